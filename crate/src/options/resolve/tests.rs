//! What the user may write, and the warnings that come of it.

use serde_json::json;

use super::*;

fn given(value: Value) -> Given {
    value.into()
}

fn resolve_only(value: Value) -> Resolved {
    resolve(&given(value), |_| None)
}

#[test]
fn nothing_given_is_the_defaults_without_a_word() {
    let resolved = resolve(&Given::Nothing, |_| None);
    assert_eq!(resolved.options, Options::default());
    assert!(resolved.warnings.is_empty());
}

#[test]
fn an_option_beats_the_environment_and_the_environment_the_default() {
    let env = |name: &str| (name == "JEV_TIMEOUT_MS").then(|| "300".to_string());
    assert_eq!(resolve(&Given::Nothing, env).options.jev_timeout_ms, 300.0);
    assert_eq!(resolve(&given(json!({ "jev_timeout_ms": 200 })), env).options.jev_timeout_ms, 200.0);
    assert_eq!(resolve(&Given::Nothing, |_| None).options.jev_timeout_ms, 900.0);
}

#[test]
fn the_first_variable_that_is_set_wins_and_an_empty_one_is_not_set() {
    let env = |name: &str| match name {
        "JEV_API_KEY" => Some(" ".to_string()),
        "TYPESAFE_API_KEY" => Some("second".to_string()),
        _ => None,
    };
    assert_eq!(resolve(&Given::Nothing, env).options.jev_api_key.reveal(), Some("second"));
}

#[test]
fn names_are_taken_in_camel_case_too() {
    let resolved = resolve_only(json!({ "jevConfidenceThreshold": 0.7, "pruneMcpTools": false }));
    assert_eq!(resolved.options.jev_confidence_threshold, 0.7);
    assert!(!resolved.options.prune_mcp_tools);
    assert!(resolved.warnings.is_empty());
}

#[test]
fn both_spellings_at_once_are_told() {
    let resolved = resolve_only(json!({ "jevModel": "a", "jev_model": "b" }));
    assert_eq!(resolved.options.jev_model, "b");
    assert_eq!(resolved.warnings.len(), 1);
}

#[test]
fn a_bad_value_is_one_warning_with_name_problem_and_value_used() {
    for (value, parts) in [
        (
            json!({ "jev_timeout_ms": "soon" }),
            ["jev_timeout_ms", "a number from 1 to 60000", "\"soon\"", "900"],
        ),
        (json!({ "jev_timeout_ms": -5 }), ["jev_timeout_ms", "a number from 1", "-5", "900"]),
        (json!({ "jevPhase1Threshold": 1.5 }), ["jevPhase1Threshold", "from 0 to 1", "1.5", "0.35"]),
        (json!({ "prune_skills": "yes" }), ["prune_skills", "true or false", "\"yes\"", "true"]),
        (json!({ "max_questions_per_request": 2.5 }), ["max_questions_per_request", "whole", "2.5", "100"]),
        (json!({ "always_include_tools": "x" }), ["always_include_tools", "a list of texts", "a text", "[]"]),
        (json!({ "always_include_tools": [1] }), ["always_include_tools", "a list of texts", "1", "[]"]),
        (json!({ "jev_endpoint": "not a url" }), ["jev_endpoint", "address", "https://host", "opencode.ai"]),
        (json!({ "jev_model": "" }), ["jev_model", "not empty", "an empty text", "jev-1.13"]),
        (json!({ "mode": "loud" }), ["mode", "one of prune, shadow, off", "\"loud\"", "\"prune\""]),
        (json!({ "debug_log_file": 3 }), ["debug_log_file", "a text", "3", "stays unset"]),
    ] {
        let resolved = resolve_only(value);
        assert_eq!(resolved.options, Options::default());
        assert_eq!(resolved.warnings.len(), 1, "{:?}", resolved.warnings);
        for part in parts {
            assert!(resolved.warnings[0].contains(part), "{part} in {}", resolved.warnings[0]);
        }
    }
}

#[test]
fn nan_and_functions_are_bad_values() {
    for value in [Given::Number(f64::NAN), Given::Number(f64::INFINITY), Given::Other("a function")] {
        let resolved = resolve(&Given::Map(vec![("jev_timeout_ms".into(), value)]), |_| None);
        assert_eq!(resolved.options.jev_timeout_ms, 900.0);
        assert_eq!(resolved.warnings.len(), 1);
    }
}

#[test]
fn an_unknown_name_is_told_with_the_name_probably_meant() {
    for (name, meant) in [
        ("jev_timout_ms", "`jev_timeout_ms`"),
        ("alwaysIncludeSkill", "`always_include_skills`"),
        ("JEV_MODEL", "`jev_model`"),
        ("colour", "schema.json"),
    ] {
        let warnings = resolve_only(json!({ name: 1 })).warnings;
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].contains(name) && warnings[0].contains(meant), "{}", warnings[0]);
    }
}

#[test]
fn a_key_is_in_no_warning() {
    for value in [
        json!({ "jev_api_key": "sk-secret\nline" }),
        json!({ "jev_endpoint": "sk-secret" }),
        json!({ "jev_endpoint": "https://user:sk-secret@host/" }),
        json!({ "debug_mode": "sk-secret-of-some-length" }),
    ] {
        let warnings = resolve_only(value).warnings;
        assert_eq!(warnings.len(), 1);
        assert!(!warnings[0].contains("secret"), "{}", warnings[0]);
    }
}

#[test]
fn plain_http_is_told_except_on_loopback() {
    for (endpoint, warned) in [
        ("http://example.com/x", true),
        ("http://10.0.0.1/x", true),
        ("http://localhost.example.com/x", true),
        ("http://localhost:1/x", false),
        ("http://127.0.0.1:1/x", false),
        ("http://127.0.0.1.example/x", true),
        ("http://127.example.a.b/x", true),
        ("http://[::1]/x", false),
        ("http://[::1]:1/x", false),
        ("https://example.com/x", false),
    ] {
        let resolved = resolve_only(json!({ "jev_endpoint": endpoint }));
        assert_eq!(resolved.options.jev_endpoint, endpoint);
        assert_eq!(resolved.warnings.len(), usize::from(warned), "{endpoint}");
    }
}

#[test]
fn options_that_are_no_object_are_told() {
    assert_eq!(resolve_only(json!(["x"])).warnings.len(), 1);
}

#[test]
fn flags_from_the_environment_are_words() {
    for (text, expected) in [("1", true), ("TRUE", true), ("on", true), ("0", false), ("no", false)] {
        let resolved = resolve(&Given::Nothing, |name| (name == "JEV_WARMUP").then(|| text.to_string()));
        assert_eq!(resolved.options.warmup_on_load, expected, "{text}");
        assert!(resolved.warnings.is_empty());
    }
    let resolved = resolve(&Given::Nothing, |name| (name == "JEV_WARMUP").then(|| "maybe".to_string()));
    assert_eq!(resolved.warnings.len(), 1);
}

#[test]
fn groups_are_taken_in_either_spelling_at_every_level() {
    for given in [
        json!({ "history": { "placeholder_compression": { "delay_turns": 7 }, "batch_tokens": 1 } }),
        json!({ "history": { "placeholderCompression": { "delayTurns": 7 }, "batchTokens": 1 } }),
        json!({ "history": { "placeholderCompression": { "delay_turns": 7 }, "batchTokens": 1 } }),
    ] {
        let resolved = resolve_only(given);
        assert_eq!(resolved.warnings, Vec::<String>::new());
        assert_eq!(resolved.options.history.placeholder_compression.delay_turns, 7);
        assert_eq!(resolved.options.history.batch_tokens, 1);
        assert!(resolved.options.history.deduplication.enabled);
    }
}

#[test]
fn a_warning_names_the_whole_path_as_it_was_written() {
    for (value, parts) in [
        (
            json!({ "history": { "deduplication": { "enabled": "yes" } } }),
            vec!["option `history.deduplication.enabled` must be true or false", "\"yes\"", "true is used"],
        ),
        (
            json!({ "history": { "purgeErrors": { "turns": -1 } } }),
            vec!["option `history.purgeErrors.turns` must be a whole number", "2 is used"],
        ),
        (
            json!({ "history": { "deduplication": true } }),
            vec!["option `history.deduplication` must be an object, not true", "defaults"],
        ),
        (json!({ "history": 3 }), vec!["option `history` must be an object, not 3"]),
        (json!({ "mode": { "x": 1 } }), vec!["option `mode` must be one of", "an object"]),
        (
            json!({ "history": { "deduplication": { "enable": true } } }),
            vec![
                "option `history.deduplication.enable` is unknown",
                "did you mean `history.deduplication.enabled`?",
            ],
        ),
        (
            json!({ "history": { "deduplicate": { "enabled": true } } }),
            vec!["option `history.deduplicate` is unknown", "did you mean `history.deduplication`?"],
        ),
        (json!({ "histroy": {} }), vec!["option `histroy` is unknown", "did you mean `history`?"]),
    ] {
        let resolved = resolve_only(value);
        assert_eq!(resolved.options, Options::default());
        assert_eq!(resolved.warnings.len(), 1, "{:?}", resolved.warnings);
        for part in parts {
            assert!(resolved.warnings[0].contains(part), "{part} in {}", resolved.warnings[0]);
        }
    }
}

#[test]
fn a_group_spelled_twice_is_merged_and_only_the_same_option_twice_is_told() {
    let resolved = resolve_only(json!({ "history": {
        "purge_errors": { "turns": 3 },
        "purgeErrors": { "turns": 4, "enabled": false },
    } }));
    assert_eq!(resolved.options.history.purge_errors.turns, 3);
    assert!(!resolved.options.history.purge_errors.enabled);
    assert_eq!(
        resolved.warnings,
        ["option `history.purgeErrors.turns` is given as `history.purge_errors.turns` too; \
          `history.purge_errors.turns` is used"]
    );
}

#[test]
fn a_resolved_configuration_comes_back_from_its_json() {
    let options = resolve_only(json!({ "history": { "tools": { "discard": true } } })).options;
    assert_eq!(Options::from_json(&serde_json::to_value(&options).unwrap_or_default()), options);
}

#[test]
fn patterns_may_be_globs_or_regular_expressions_that_can_be_read() {
    let resolved = resolve_only(json!({ "discovery": { "enabled": true, "hide": ["a*", "re:^b(c|d)$"] } }));
    assert_eq!(resolved.options.discovery.hide, ["a*", "re:^b(c|d)$"]);
    assert!(resolved.warnings.is_empty());
    let refused = resolve_only(json!({ "discovery": { "enabled": true, "keep": ["re:(a"] } }));
    assert!(refused.options.discovery.keep.is_empty());
    for part in ["`discovery.keep`", "`re:(a`", "unclosed group", "[] is used"] {
        assert!(refused.warnings[0].contains(part), "{part} in {}", refused.warnings[0]);
    }
}

#[test]
fn what_is_said_of_tools_is_taken_or_told_to_be_wrong() {
    let note = json!({ "notes_add": { "tags": ["memo"], "description": " Keeps it. " } });
    let resolved = resolve_only(json!({ "discovery": { "tools": note } }));
    assert!(resolved.warnings.is_empty());
    let notes = &resolved.options.discovery.tools;
    assert_eq!((notes.description("notes_add"), notes.tags("notes_add").len()), (Some("Keeps it."), 1));
    for wrong in [
        json!({ "x": "memo" }),
        json!({ "x": { "tags": "memo" } }),
        json!({ "x": { "tag": ["memo"] } }),
        json!([]),
    ] {
        let resolved = resolve_only(json!({ "discovery": { "tools": wrong } }));
        assert_eq!(resolved.options.discovery.tools, Options::default().discovery.tools);
        assert!(resolved.warnings[0].contains("`discovery.tools`"), "{}", resolved.warnings[0]);
    }
}

#[test]
fn what_would_be_hidden_out_of_reach_is_told() {
    for (options, part) in [
        (json!({ "scorer": "lexical" }), "`lexical`"),
        (json!({ "scorer": "none" }), "`none`"),
        (json!({ "discovery": { "hide": ["x"] } }), "`discovery.hide`"),
    ] {
        let warnings = resolve_only(options).warnings;
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].contains(part) && warnings[0].contains("`discovery.enabled`"), "{}", warnings[0]);
    }
    let reachable = json!({ "scorer": "lexical", "discovery": { "enabled": true, "hide": ["x"] } });
    assert!(resolve_only(reachable).warnings.is_empty());
}
