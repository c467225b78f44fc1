//! What can be found, and how, on a handful of tools and skills of our own.

use serde_json::{json, Value};

use super::answer::{self, Searched};
use super::documents::{push_document, Documents};
use super::own_tools::{definitions, OwnTool};
use super::{calls, name_lookup};
use crate::opencode::builtin_tools::is_builtin_tool;
use crate::options::Options;

const NOTES_ADD: [&str; 6] = [
    "notes_add_note",
    "add_note",
    "notes",
    "Writes a note down",
    "",
    r#"{"type":"object","properties":{"title":{"type":"string","description":"Its heading"}}}"#,
];
const NOTES_FIND: [&str; 6] = ["notes_findNotes", "findNotes", "notes", "Looks for notes by a word", "", ""];
const DESK_LIST: [&str; 6] =
    ["issue-desk_list_items", "list_items", "issue-desk", "Lists open issues", "native", "{}"];
const WEATHER: [&str; 6] = ["tianqi_weather", "weather", "tianqi", "查询城市的天气预报", "", ""];
const TOKYO: [&str; 6] = ["eki_search", "search", "eki", "東京の駅を検索します", "", ""];

fn documents(all: &[[&str; 6]]) -> Documents {
    noted(all, json!({}))
}

fn noted(all: &[[&str; 6]], notes: Value) -> Documents {
    let mut text = String::new();
    all.iter().for_each(|fields| push_document(&mut text, *fields));
    Documents::new(text, &options(json!({ "tools": notes })).discovery.tools, &|_, _| true)
}

fn all() -> Documents {
    documents(&[NOTES_ADD, NOTES_FIND, DESK_LIST, WEATHER, TOKYO])
}

fn options(discovery: Value) -> Options {
    Options::from_json(&json!({ "discovery": discovery }))
}

fn search_in(documents: &Documents, input: Value, discovery: Value) -> Value {
    let answer = calls::search(documents, Searched::Tools, &input.to_string(), &options(discovery));
    serde_json::from_str(&answer.text).unwrap()
}

fn search(input: Value) -> Value {
    search_in(&all(), input, json!({}))
}

fn ids(answer: &Value) -> Vec<&str> {
    answer["tools"].as_array().unwrap().iter().map(|tool| tool["id"].as_str().unwrap()).collect()
}

fn first(query: &str) -> String {
    let answer = search(json!({ "query": query }));
    ids(&answer).first().map_or("nothing".to_string(), |id| id.to_string())
}

#[test]
fn a_tool_is_found_by_words_of_its_server_name_description_and_parameters() {
    for (query, id) in [
        ("find notes", "notes_findNotes"),
        ("issue desk", "issue-desk_list_items"),
        ("find something", "notes_findNotes"),
        ("ADDING notes", "notes_add_note"),
        ("open issue", "issue-desk_list_items"),
        ("title", "notes_add_note"),
        ("heading", "notes_add_note"),
        ("天气", "tianqi_weather"),
        ("駅", "eki_search"),
        ("東京の駅はどこ", "eki_search"),
    ] {
        assert_eq!(first(query), id, "{query}");
    }
}

#[test]
fn words_that_say_nothing_find_nothing() {
    assert_eq!(first("please, I want to have this with the"), "nothing");
}

#[test]
fn the_best_match_comes_first_and_equal_ones_keep_their_order() {
    let tool = |id, name, description| [id, name, "s", description, "", ""];
    let documents = documents(&[
        tool("s_a", "a", "prints a label"),
        tool("s_print_label", "print_label", "prints a label"),
        tool("s_b", "b", "prints a label"),
    ]);
    let answer = search_in(&documents, json!({ "query": "print label" }), json!({}));
    assert_eq!(ids(&answer), ["s_print_label", "s_a", "s_b"]);
}

#[test]
fn one_tool_alone_is_found() {
    let answer = search_in(&documents(&[NOTES_ADD]), json!({ "query": "note" }), json!({}));
    assert_eq!(ids(&answer), ["notes_add_note"]);
}

#[test]
fn a_result_tells_id_server_description_schema_score_and_how_to_call() {
    let answer = search(json!({ "query": "heading" }));
    let tool = &answer["tools"][0];
    assert_eq!(tool["id"], "notes_add_note");
    assert_eq!(tool["server"], "notes");
    assert_eq!(tool["description"], "Writes a note down");
    assert_eq!(tool["input_schema"]["properties"]["title"]["type"], "string");
    assert!(tool["score"].as_f64().unwrap() > 0.0);
    assert_eq!(tool["call"], "tools.notes.add_note({...}) inside `execute`");
    assert_eq!(
        search(json!({ "query": "issues" }))["tools"][0]["call"],
        "`issue-desk_list_items`, from your next step on"
    );
}

#[test]
fn an_answer_is_the_same_text_for_the_same_call() {
    let text = |query: &str| {
        let input = json!({ "query": query }).to_string();
        calls::search(&all(), Searched::Tools, &input, &Options::default()).text
    };
    assert_eq!(
        text("re:add_note"),
        r#"{"tools":[{"id":"notes_add_note","server":"notes","description":"Writes a note down","input_schema":{"type":"object","properties":{"title":{"type":"string","description":"Its heading"}}},"call":"tools.notes.add_note({...}) inside `execute`","score":1.00}]}"#
    );
    assert_eq!(
        text("wether"),
        r#"{"tools":[],"nearest":["tianqi_weather"],"servers":["eki (1)","issue-desk (1)","notes (2)","tianqi (1)"]}"#
    );
    assert_eq!(
        calls::load(&all(), r#"{"name":"ad_note"}"#).text,
        r#"{"tool":null,"nearest":["notes_add_note"],"note":"No tool is called that; `tool_search` looks for words."}"#
    );
}

#[test]
fn a_schema_that_is_no_json_is_left_out() {
    let answer = answer::load(&documents(&[["a_b", "b", "a", "", "", "{\"type\":"]]), "a_b");
    assert_eq!(
        answer.text,
        r#"{"tool":{"id":"a_b","server":"a","call":"tools.a.b({...}) inside `execute`"}}"#
    );
}

#[test]
fn the_limit_is_that_of_the_input_or_of_the_option_and_at_most_twenty() {
    let ids_of_many: Vec<String> = (0..30).map(|at| format!("s_note{at}")).collect();
    let many: Vec<[&str; 6]> = ids_of_many.iter().map(|id| [id, id, "s", "note", "", ""]).collect();
    let many = documents(&many);
    let count = |input, discovery| ids(&search_in(&many, input, discovery)).len();
    assert_eq!(count(json!({ "query": "note" }), json!({})), 5);
    assert_eq!(count(json!({ "query": "note" }), json!({ "top_k": 3 })), 3);
    assert_eq!(count(json!({ "query": "note", "limit": 7 }), json!({})), 7);
    assert_eq!(count(json!({ "query": "note", "limit": 99 }), json!({})), 20);
    assert_eq!(count(json!({ "query": "note", "limit": "many" }), json!({})), 5);
    assert_eq!(count(json!({ "query": "note", "limit": -1 }), json!({})), 5);
}

#[test]
fn a_description_is_cut_in_results_and_whole_when_loaded() {
    let documents = documents(&[NOTES_ADD]);
    let found = search_in(&documents, json!({ "query": "note" }), json!({ "description_limit": 6 }));
    assert_eq!(found["tools"][0]["description"], "Writes");
    let loaded: Value = serde_json::from_str(&answer::load(&documents, "add_note").text).unwrap();
    assert_eq!(loaded["tool"]["description"], "Writes a note down");
}

#[test]
fn a_users_tags_and_description_are_searched_and_shown() {
    let notes = json!({ "notes_add_note": { "tags": ["memo"], "description": "Keeps a thought" } });
    let documents = noted(&[NOTES_ADD, NOTES_FIND], notes);
    for query in ["memo", "thought"] {
        let answer = search_in(&documents, json!({ "query": query }), json!({}));
        assert_eq!(answer["tools"][0]["description"], "Keeps a thought", "{query}");
    }
    assert_eq!(ids(&search_in(&documents, json!({ "query": "writes" }), json!({}))), [""; 0]);
}

#[test]
fn a_query_that_finds_nothing_gets_the_nearest_names_and_the_servers() {
    let answer = search(json!({ "query": "wether" }));
    assert_eq!(answer["tools"], json!([]));
    assert_eq!(answer["nearest"], json!(["tianqi_weather"]));
    assert_eq!(answer["servers"], json!(["eki (1)", "issue-desk (1)", "notes (2)", "tianqi (1)"]));
    assert_eq!(search(json!({ "query": "qqqqqqqqqqqq" }))["nearest"], json!([]));
}

#[test]
fn a_pattern_is_searched_in_names_in_both_ways_of_asking() {
    for input in [
        json!({ "query": "re:(?i)NOTE" }),
        json!({ "query": "(?i)NOTE", "mode": "regex" }),
        json!({ "query": "^notes_(add|find)", "mode": "regex" }),
    ] {
        assert_eq!(ids(&search(input)), ["notes_add_note", "notes_findNotes"]);
    }
}

#[test]
fn a_pattern_that_cannot_be_used_is_an_error() {
    for pattern in ["(", &"a".repeat(201)] {
        let answer = search(json!({ "query": pattern, "mode": "regex" }));
        assert!(answer["error"].as_str().unwrap().starts_with("The pattern cannot be used"), "{answer}");
    }
}

#[test]
fn input_without_words_gets_an_answer_that_says_what_is_missing() {
    for input in [json!({}), json!({ "query": " " }), json!(null), json!("notes"), json!({ "query": 3 })] {
        assert_eq!(search(input), json!({ "error": "Say in `query` what you are looking for." }));
    }
    assert!(calls::load(&all(), "{}").text.contains("Say in `name`"));
}

fn loaded(name: &str) -> Value {
    serde_json::from_str(&calls::load(&all(), &json!({ "name": name }).to_string()).text).unwrap()
}

#[test]
fn a_tool_is_loaded_by_its_exact_or_nearly_exact_name() {
    for name in [
        "notes_add_note",
        "notes.add_note",
        "tools.notes.add_note",
        "add_note",
        "Add-Note",
        "addnote",
        "NOTES ADD NOTE",
    ] {
        assert_eq!(loaded(name)["tool"]["id"], "notes_add_note", "{name}");
    }
    assert_eq!(loaded("tools[\"issue-desk\"].list_items")["tool"]["id"], "issue-desk_list_items");
}

#[test]
fn a_name_of_several_tools_lists_them() {
    let other = ["desk_add_note", "add_note", "desk", "", "", ""];
    let answer = answer::load(&documents(&[NOTES_ADD, other]), "add-note");
    assert!(answer.shown.is_empty());
    let answer: Value = serde_json::from_str(&answer.text).unwrap();
    assert_eq!(answer["tool"], Value::Null);
    assert_eq!(answer["called_that"], json!(["notes_add_note", "desk_add_note"]));
}

#[test]
fn an_unknown_name_gets_the_nearest_ones() {
    assert_eq!(loaded("ad_note")["nearest"], json!(["notes_add_note"]));
    assert_eq!(loaded("list")["nearest"], json!(["issue-desk_list_items"]));
    assert_eq!(loaded("nothing like that")["nearest"], json!([]));
}

#[test]
fn everything_is_listed_by_server() {
    assert_eq!(
        loaded("__list__"),
        json!({ "servers": { "eki": ["search"], "issue-desk": ["list_items"], "notes": ["add_note", "findNotes"],
                "tianqi": ["weather"] } })
    );
}

#[test]
fn what_is_found_or_loaded_is_to_be_shown() {
    let found = calls::search(&all(), Searched::Tools, r#"{"query":"note"}"#, &Options::default());
    assert_eq!(found.shown.len(), 2);
    assert_eq!(answer::load(&all(), "weather").shown, [3]);
}

#[test]
fn a_skill_tells_how_it_is_loaded() {
    let skills = documents(&[
        ["pdf-forms", "PDF forms", "", "Fills forms", "skill", ""],
        ["tea", "", "", "", "skill", ""],
    ]);
    let answer = calls::search(&skills, Searched::Skills, r#"{"query":"pdf"}"#, &Options::default());
    let answer: Value = serde_json::from_str(&answer.text).unwrap();
    let skill = &answer["skills"][0];
    assert_eq!(skill["name"], "PDF forms");
    assert_eq!(skill["call"], "the `skill` tool with \"pdf-forms\"");
}

#[test]
fn a_list_that_is_cut_off_is_read_as_far_as_it_goes() {
    let mut text = String::new();
    push_document(&mut text, NOTES_ADD);
    text.push_str("\0notes_cut\0notes\0cut");
    assert_eq!(Documents::new(text, &Default::default(), &|_, _| true).len(), 1);
}

#[test]
fn our_own_tools_are_neither_found_nor_hidden() {
    assert!(OwnTool::ALL.iter().all(|tool| is_builtin_tool(tool.name())));
}

#[test]
fn tools_to_register_follow_the_options() {
    let names = |discovery: Value| -> Vec<String> {
        definitions(&options(discovery)).iter().map(|tool| tool.name.to_string()).collect()
    };
    assert!(names(json!({})).is_empty());
    assert_eq!(names(json!({ "enabled": true })), ["tool_search", "load_tool", "skill_search"]);
    assert_eq!(names(json!({ "enabled": true, "status_tool": true })).len(), 4);
}

#[test]
fn near_names_come_in_the_order_of_their_distance() {
    let tool = |id| [id, id, "", "", "", ""];
    let documents = documents(&[tool("wheather"), tool("weather_now"), tool("weathr"), tool("clock")]);
    assert_eq!(name_lookup::nearest(&documents, "weather", 5), [0, 2, 1]);
}
