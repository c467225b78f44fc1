//! Every expected text follows from the rules at the top of the files, not from a run of the code.

use serde_json::{json, Value};

use super::*;

fn type_of(schema: &Value) -> String {
    type_text(schema, Style::V4).unwrap_or_else(|why| panic!("{schema}: {}", why.0))
}

/// What stands above a property of an object, without the first indent and with the comment's line end.
fn comment_of(property: Value, style: Style) -> String {
    let schema = json!({ "type": "object", "properties": { "field": property } });
    let text = type_text(&schema, style).unwrap_or_else(|why| panic!("{schema}: {}", why.0));
    let end = text.find("  field?: ").unwrap();
    text[2..end].strip_prefix("  ").unwrap_or_default().to_string()
}

fn entry_of(tool: &str, description: &str, input: Value, style: Style) -> Option<String> {
    let source = EntrySource {
        namespace: "parcels",
        tool,
        description: Some(description),
        input: Some(&input),
        output: None,
    };
    entry(&source, style)
}

#[test]
fn simple_types_are_written() {
    for (schema, expected) in [
        (json!({ "type": "string" }), "string"),
        (json!({ "type": "number" }), "number"),
        (json!({ "type": "integer" }), "number"),
        (json!({ "type": "boolean" }), "boolean"),
        (json!({ "type": "null" }), "null"),
        (json!({ "type": "date" }), "unknown"),
        (json!({}), "unknown"),
        (json!(true), "unknown"),
        (json!({ "type": null, "description": "Anything" }), "unknown"),
        (json!({ "type": "array" }), "Array<unknown>"),
        (json!({ "type": "array", "items": true }), "Array<unknown>"),
        (json!({ "type": "array", "items": { "type": "boolean" } }), "Array<boolean>"),
        (json!({ "type": "array", "items": { "type": "array", "items": {} } }), "Array<Array<unknown>>"),
        (json!({ "type": "object" }), "{}"),
        (json!({ "type": "object", "properties": {}, "additionalProperties": false }), "{}"),
        (json!({ "type": "object", "properties": null, "required": null }), "{}"),
        (json!({ "type": ["string", "null"] }), "string | null"),
        (json!({ "type": ["integer"] }), "number"),
        (json!({ "type": ["array", "string"], "items": { "type": "string" } }), "Array<string> | string"),
    ] {
        assert_eq!(type_of(&schema), expected, "{schema}");
    }
}

#[test]
fn literals_are_written_as_json() {
    for (schema, expected) in [
        (json!({ "const": 3 }), "3"),
        (json!({ "const": null }), "null"),
        (json!({ "const": "a\"b" }), r#""a\"b""#),
        (json!({ "type": "string", "enum": ["a", "b c"] }), r#""a" | "b c""#),
        (json!({ "enum": [1.0, -0.5, true, null] }), "1 | -0.5 | true | null"),
        (json!({ "enum": [{ "x": [1, 2] }] }), r#"{"x":[1,2]}"#),
        (json!({ "enum": null, "type": "string" }), "string"),
        (json!({ "const": "a", "enum": ["b"] }), r#""a""#),
    ] {
        assert_eq!(type_of(&schema), expected, "{schema}");
    }
}

#[test]
fn unions_and_intersections_are_written() {
    let text = json!({ "type": "string" });
    for (schema, expected) in [
        (json!({ "anyOf": [{ "type": "boolean" }, text] }), "boolean | string"),
        (json!({ "oneOf": [{ "type": "number" }, { "type": "null" }] }), "number | null"),
        (json!({ "anyOf": [{ "enum": ["a", "b"] }, { "type": "null" }] }), r#""a" | "b" | null"#),
        (json!({ "anyOf": [text, {}] }), "unknown"),
        (json!({ "anyOf": [text, { "type": "null" }], "default": null, "title": "T" }), "string | null"),
        (json!({ "anyOf": [text, { "type": "null" }], "type": "string" }), "(string | null) & string"),
        (json!({ "allOf": [{ "enum": [1, 2] }, { "type": "number" }] }), "(1 | 2) & number"),
        (json!({ "allOf": [{ "minLength": 2 }], "type": "string" }), "string"),
        (json!({ "allOf": [{}] }), "unknown"),
        (json!({ "allOf": [] , "type": "string" }), "string"),
        (json!({ "allOf": [text, { "oneOf": [{ "const": 1 }, { "const": 2 }] }] }), "string & (1 | 2)"),
        (json!({ "oneOf": [text], "allOf": [{ "const": "a" }] }), r#"string & "a""#),
    ] {
        assert_eq!(type_of(&schema), expected, "{schema}");
    }
}

#[test]
fn unions_that_generators_write_for_one_type_are_that_type() {
    let number = json!({ "type": "number" });
    let bare = json!({ "type": "object", "additionalProperties": true });
    for (schema, expected) in [
        (json!({ "anyOf": [number, { "type": "string", "enum": ["NaN"] }] }), "number"),
        (json!({ "anyOf": [number, { "type": "number", "minimum": 3 }] }), "number"),
        (json!({ "anyOf": [number, { "type": "string", "enum": ["none"] }] }), r#"number | "none""#),
        (json!({ "anyOf": [bare, { "type": "array" }] }), "{}"),
        (json!({ "anyOf": [{ "type": "array" }, bare] }), "Array<unknown> | {}"),
    ] {
        assert_eq!(type_of(&schema), expected, "{schema}");
    }
    let disputed = json!({ "anyOf": [number, { "type": "string", "enum": ["NaN", "Infinity"] }] });
    assert!(type_text(&disputed, Style::V4).is_err());
}

#[test]
fn an_object_has_a_line_for_each_property_in_their_order() {
    let schema = json!({
        "type": "object",
        "properties": {
            "zip": { "type": "string" },
            "x y": { "type": "number" },
            "9": { "type": "null" },
            "$a_1": true,
            "q\"": {}
        },
        "required": ["x y", "zip", "gone"]
    });
    let expected =
        "{\n  zip: string,\n  \"x y\": number,\n  \"9\"?: null,\n  $a_1?: unknown,\n  \"q\\\"\"?: unknown,\n}";
    assert_eq!(type_of(&schema), expected);
}

#[test]
fn properties_alone_make_an_object() {
    assert_eq!(type_of(&json!({ "properties": { "a": { "type": "null" } } })), "{\n  a?: null,\n}");
    assert_eq!(type_of(&json!({ "type": "string", "properties": { "a": {} } })), "string");
}

#[test]
fn further_properties_have_a_line_if_a_schema_says_what_they_are() {
    let map = json!({ "type": "object", "additionalProperties": { "type": "string" } });
    assert_eq!(type_of(&map), "{\n  [key: string]: string,\n}");
    let generated =
        json!({ "type": "object", "propertyNames": { "type": "string" }, "additionalProperties": {} });
    assert_eq!(type_of(&generated), "{\n  [key: string]: unknown,\n}");
    let both =
        json!({ "type": "object", "properties": { "a": {} }, "additionalProperties": { "type": "null" } });
    assert_eq!(type_of(&both), "{\n  a?: unknown,\n  [key: string]: null,\n}");
    assert_eq!(type_of(&json!({ "type": "object", "additionalProperties": true })), "{}");
}

#[test]
fn an_object_is_indented_by_its_depth() {
    let leaf = json!({ "type": "object", "properties": { "id": { "type": "string", "format": "uuid" } } });
    let schema = json!({
        "type": "object",
        "properties": {
            "one": leaf,
            "many": { "type": "array", "items": leaf },
            "maybe": { "anyOf": [leaf, { "type": "null" }] },
            "map": { "type": "object", "additionalProperties": leaf },
            "either": { "type": ["object", "null"], "properties": { "a": {} } }
        }
    });
    let expected = "{
  one?: {
    /** @format uuid */
    id?: string,
  },
  many?: Array<{
      /** @format uuid */
      id?: string,
    }>,
  maybe?: {
      /** @format uuid */
      id?: string,
    } | null,
  map?: {
    [key: string]: {
      /** @format uuid */
      id?: string,
    },
  },
  either?: {
      a?: unknown,
    } | null,
}";
    assert_eq!(type_of(&schema), expected);
}

#[test]
fn references_are_followed_to_the_nearest_definition() {
    for (schema, expected) in [
        (json!({ "$ref": "#/$defs/id", "$defs": { "id": { "type": "string" } } }), "string"),
        (json!({ "$ref": "#/definitions/id", "definitions": { "id": { "const": 1 } } }), "1"),
        // Which list the reference names does not matter.
        (json!({ "$ref": "#/definitions/id", "$defs": { "id": { "const": 2 } } }), "2"),
        (
            json!({ "$ref": "#/$defs/a", "$defs": { "a": { "const": 3 } }, "definitions": { "a": { "const": 4 } } }),
            "3",
        ),
        (json!({ "$ref": "#/$defs/a~1b~01", "$defs": { "a/b~1": { "type": "null" } } }), "null"),
        (
            json!({ "$ref": "#/$defs/a", "description": "An a", "$defs": { "a": { "enum": ["x", "y"] } } }),
            r#""x" | "y""#,
        ),
        (
            json!({ "$ref": "#/$defs/a", "type": "string", "$defs": { "a": { "enum": ["x", "y"] } } }),
            r#"("x" | "y") & string"#,
        ),
        (
            json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "type": "string" } } }),
            "string",
        ),
        (
            json!({
                "type": "array",
                "items": { "$ref": "#/$defs/a", "$defs": { "a": { "type": "null" } } },
                "$defs": { "a": { "type": "string" } }
            }),
            "Array<null>",
        ),
        (
            json!({ "allOf": [{ "$ref": "#/$defs/a" }], "default": "x", "$defs": { "a": { "type": "string" } } }),
            "string",
        ),
    ] {
        assert_eq!(type_of(&schema), expected, "{schema}");
    }
}

#[test]
fn a_schema_inside_itself_ends_in_unknown() {
    let node = json!({ "type": "object", "properties": { "next": { "$ref": "#/$defs/node" } } });
    let schema = json!({ "$ref": "#/$defs/node", "$defs": { "node": node } });
    assert_eq!(type_of(&schema), "{\n  next?: unknown,\n}");
}

#[test]
fn what_is_deeper_than_eight_levels_is_unknown() {
    let arrays = |levels: usize| {
        (0..levels).fold(json!({ "type": "string" }), |items, _| json!({ "type": "array", "items": items }))
    };
    assert_eq!(type_of(&arrays(8)), format!("{}string{}", "Array<".repeat(8), ">".repeat(8)));
    assert_eq!(type_of(&arrays(9)), format!("{}unknown{}", "Array<".repeat(9), ">".repeat(9)));
}

#[test]
fn the_comment_of_v4_tells_description_and_constraints() {
    let long = "x".repeat(112);
    for (property, expected) in [
        (json!({ "type": "string" }), String::new()),
        (json!(true), String::new()),
        (json!({ "description": "How many" }), "/** How many */".into()),
        (json!({ "description": " \n\n  How many \n" }), "/**   How many */".into()),
        (json!({ "description": "How many", "default": 3.0 }), "/** How many. @default 3 */".into()),
        (json!({ "description": "Done.", "default": false }), "/** Done. @default false */".into()),
        (json!({ "default": { "a": ["b", null] } }), r#"/** @default {"a":["b",null]} */"#.into()),
        (json!({ "default": null }), "/** @default null */".into()),
        (
            json!({ "type": "integer", "maximum": 1e21, "minimum": -0.5, "format": "int32", "default": 3, "deprecated": true }),
            "/** @deprecated @default 3 @format int32 @integer @minimum -0.5 @maximum 1e+21 */".into(),
        ),
        (
            json!({ "exclusiveMinimum": 0, "exclusiveMaximum": 9, "multipleOf": 0.1, "uniqueItems": true }),
            "/** @exclusiveMinimum 0 @exclusiveMaximum 9 @multipleOf 0.1 @uniqueItems true */".into(),
        ),
        (
            json!({ "maxItems": 4, "minItems": 3, "pattern": "^a$", "maxLength": 2, "minLength": 1 }),
            "/** @minLength 1 @maxLength 2 @pattern ^a$ @minItems 3 @maxItems 4 */".into(),
        ),
        // Of another kind than the keyword wants, or of a keyword that is not written.
        (
            json!({ "minimum": "1", "exclusiveMinimum": true, "format": 3, "deprecated": "yes", "uniqueItems": false, "title": "T" }),
            String::new(),
        ),
        (json!({ "type": ["integer", "null"] }), String::new()),
        (json!({ "description": "One\n\nTwo" }), "/**\n   * One\n   *\n   * Two\n   */".into()),
        (
            json!({ "description": "One\nTwo", "default": 1, "minimum": 0 }),
            "/**\n   * One\n   * Two\n   * @default 1 @minimum 0\n   */".into(),
        ),
        (json!({ "pattern": "a\nb" }), "/**\n   * @pattern a\n   * b\n   */".into()),
        (json!({ "description": "a */ b", "pattern": ".*/" }), "/** a * / b. @pattern .* / */".into()),
        (json!({ "description": long[1..] }), format!("/** {} */", &long[1..])),
        (json!({ "description": long }), format!("/**\n   * {long}\n   */")),
        (
            json!({ "description": long[2..], "default": 1 }),
            format!("/**\n   * {}\n   * @default 1\n   */", &long[2..]),
        ),
    ] {
        let expected = if expected.is_empty() { expected } else { format!("{expected}\n") };
        assert_eq!(comment_of(property.clone(), Style::V4), expected, "{property}");
    }
}

#[test]
fn the_comment_of_v4_tells_of_items_and_values() {
    let named = json!({ "description": "A name", "minLength": 1 });
    for (property, expected) in [
        (json!({ "type": "array", "items": named }), "/** Each item: A name. @minLength 1 */"),
        (json!({ "type": ["array", "null"], "items": named }), "/** Each item: A name. @minLength 1 */"),
        (
            json!({ "type": "array", "description": "Who comes.", "items": named, "minItems": 2 }),
            "/**\n   * Who comes. @minItems 2\n   * Each item: A name. @minLength 1\n   */",
        ),
        (
            json!({ "type": "array", "items": { "description": "One\n\nTwo" } }),
            "/**\n   * Each item: One\n   *\n   *   Two\n   */",
        ),
        (
            json!({ "type": "object", "additionalProperties": named }),
            "/** Each value: A name. @minLength 1 */",
        ),
        (
            json!({ "properties": { "a": {} }, "additionalProperties": { "format": "uri" } }),
            "/** Each additional value: @format uri */",
        ),
        (json!({ "type": "array", "items": { "type": "array", "items": named } }), ""),
    ] {
        let expected = if expected.is_empty() { String::new() } else { format!("{expected}\n") };
        assert_eq!(comment_of(property.clone(), Style::V4), expected, "{property}");
    }
}

#[test]
fn a_line_width_counts_utf16_code_units() {
    // 55 characters of two units each, and one.
    let fits = format!("{}x", "😀".repeat(55));
    assert_eq!(comment_of(json!({ "description": fits }), Style::V4), format!("/** {fits} */\n"));
    let wider = format!("{fits}x");
    assert_eq!(comment_of(json!({ "description": wider }), Style::V4), format!("/**\n   * {wider}\n   */\n"));
}

#[test]
fn the_comment_of_the_beta_tells_less_and_breaks_no_line() {
    let long = "x".repeat(300);
    for (property, expected) in [
        (json!({ "description": long }), format!("/** {long} */\n")),
        (json!({ "type": "integer", "minimum": 1, "pattern": "a", "items": { "format": "uri" } }), String::new()),
        (json!({ "default": 2 }), "/** @default 2 */\n".into()),
        (
            json!({ "description": "M", "maxItems": 9, "minItems": 1, "format": "uri ", "default": "a", "deprecated": true }),
            "/**\n   * M\n   * @deprecated\n   * @default \"a\"\n   * @format uri\n   * @minItems 1\n   * @maxItems 9\n   */\n".into(),
        ),
        (json!({ "description": "\nOne */\n" }), "/** One * / */\n".into()),
        // Only the comment's ends lose blank lines.
        (
            json!({ "description": "One\n\n", "default": 1 }),
            "/**\n   * One\n   *\n   *\n   * @default 1\n   */\n".into(),
        ),
    ] {
        assert_eq!(comment_of(property.clone(), Style::Beta), expected, "{property}");
    }
}

#[test]
fn an_entry_has_path_argument_result_and_description() {
    let input =
        json!({ "type": "object", "properties": { "id": { "type": "integer" } }, "required": ["id"] });
    let none = json!({ "type": "object", "properties": {} });
    for (style, tool, input, expected) in [
        (
            Style::V4,
            "track",
            &input,
            "  - tools.parcels.track({\n  /** @integer */\n  id: number,\n}): Promise<unknown> // Where",
        ),
        (
            Style::Beta,
            "track",
            &input,
            "  - tools.parcels.track(input: {\n  id: number,\n}): Promise<unknown> // Where",
        ),
        (Style::V4, "list-all", &none, "  - tools.parcels[\"list-all\"](): Promise<unknown> // Where"),
        (
            Style::Beta,
            "list-all",
            &none,
            "  - tools.parcels[\"list-all\"](input: {}): Promise<unknown> // Where",
        ),
        (Style::V4, "box.9.open", &none, "  - tools.parcels.box[\"9\"].open(): Promise<unknown> // Where"),
    ] {
        let found = entry_of(tool, "  Where \r\nthey are", input.clone(), style);
        assert_eq!(found.as_deref(), Some(expected));
    }
}

#[test]
fn a_result_is_written_like_an_argument() {
    let input = json!({ "type": "object" });
    for (output, expected) in [
        (json!({ "type": "string" }), "Promise<string>"),
        (
            json!({ "type": "object", "properties": { "ok": { "type": "boolean" } } }),
            "Promise<{\n  ok?: boolean,\n}>",
        ),
        (json!({ "type": "object" }), "Promise<{}>"),
        (json!({}), "Promise<unknown>"),
    ] {
        let source = EntrySource {
            namespace: "",
            tool: "ping",
            description: None,
            input: Some(&input),
            output: Some(&output),
        };
        assert_eq!(entry(&source, Style::V4), Some(format!("  - tools.ping(): {expected}")));
    }
}

#[test]
fn a_long_description_is_cut() {
    let shown = |description: &str, style| {
        let text = entry_of("t", description, json!({ "type": "object" }), style)?;
        Some(text.split_once(" // ").map_or(String::new(), |(_, shown)| shown.to_string()))
    };
    let long = "x".repeat(121);
    assert_eq!(shown(&long[1..], Style::V4), Some(long[1..].to_string()));
    assert_eq!(shown(&long, Style::V4), Some(format!("{}...", &long[4..])));
    assert_eq!(shown(&long, Style::Beta), Some(format!("{}...", &long[2..])));
    assert_eq!(shown(" \nSecond line", Style::V4), Some(String::new()));
    // 60 characters of two units are 120 units; the cut behind 117 would lie inside one.
    let wide = "😀".repeat(60);
    assert_eq!(shown(&wide, Style::V4), Some(wide.clone()));
    assert_eq!(shown(&format!("{wide}x"), Style::V4), None);
    assert_eq!(shown(&format!("x{wide}"), Style::V4), Some(format!("x{}...", "😀".repeat(58))));
}

#[test]
fn what_says_more_than_opencode_writes_is_unsupported() {
    for schema in [
        json!({ "type": "object", "patternProperties": { "^x": {} } }),
        json!({ "not": {} }),
        json!({ "if": { "const": 1 }, "then": {}, "else": {} }),
        json!({ "type": "array", "prefixItems": [{}] }),
        json!({ "type": "array", "items": [{}, {}] }),
        json!({ "type": "object", "propertyNames": { "enum": ["a"] } }),
        json!({ "type": "string", "nullable": true }),
        json!({ "type": "object", "properties": { "a": false } }),
        json!({ "type": "object", "unevaluatedProperties": { "type": "string" } }),
        json!({ "anyOf": [{ "type": "string" }], "oneOf": [{ "type": "null" }] }),
        json!({ "$ref": "#/properties/a", "properties": { "a": {} } }),
        json!({ "$ref": "https://example.com/a.json" }),
        json!({ "$ref": "#/$defs/gone", "$defs": {} }),
        json!({ "$ref": "#/$defs/a%20b", "$defs": { "a b": {}, "a%20b": {} } }),
    ] {
        assert!(type_text(&schema, Style::V4).is_err(), "{schema}");
        assert!(type_text(&schema, Style::Beta).is_err(), "{schema}");
    }
    let harmless =
        json!({ "type": "object", "nullable": false, "unevaluatedProperties": false, "x-order": 1 });
    assert_eq!(type_of(&harmless), "{}");
}

#[test]
fn what_is_no_valid_schema_is_unsupported() {
    for schema in [
        json!("string"),
        json!(null),
        json!([]),
        json!({ "type": [] }),
        json!({ "type": [1] }),
        json!({ "enum": [] }),
        json!({ "anyOf": [] }),
        json!({ "anyOf": { "type": "string" } }),
        json!({ "allOf": {} }),
        json!({ "type": "object", "properties": [] }),
        json!({ "type": "object", "required": true }),
        json!({ "type": "object", "properties": { "a": { "description": 1 } } }),
        json!({ "type": "object", "additionalProperties": null }),
        json!({ "type": "array", "items": 3 }),
    ] {
        assert!(type_text(&schema, Style::V4).is_err(), "{schema}");
    }
}

#[test]
fn an_all_of_with_a_reference_into_itself_is_unsupported() {
    let node = json!({ "type": "object", "properties": { "next": { "$ref": "#/$defs/node" } } });
    let schema = json!({ "allOf": [{ "$ref": "#/$defs/node" }], "$defs": { "node": node } });
    assert!(type_text(&schema, Style::V4).is_err());
    let hidden = json!({ "enum": [1], "items": { "$ref": "#/$defs/gone" } });
    assert!(type_text(&json!({ "allOf": [hidden], "$defs": {} }), Style::V4).is_err());
}

#[test]
fn an_entry_that_would_tell_nothing_or_has_no_path_is_not_written() {
    let object = json!({ "type": "object" });
    assert_eq!(entry_of("t", "", json!({}), Style::V4), None);
    for tool in ["", "a.", "a..b"] {
        assert_eq!(entry_of(tool, "", object.clone(), Style::V4), None, "{tool}");
    }
    let source = EntrySource { namespace: "a", tool: "t", description: None, input: None, output: None };
    assert_eq!(try_entry(&source, Style::V4), Err(Unsupported("a tool without an input schema")));
    let constraint = json!({ "type": "object", "properties": { "a": { "format": "b\nc" } } });
    assert_eq!(entry_of("t", "", constraint, Style::Beta), None);
}

#[test]
fn references_that_stand_for_ever_more_text_come_to_an_end() {
    let level = |next: usize| {
        let names = (0..20).map(|at| (format!("p{at}"), json!({ "$ref": format!("#/$defs/d{next}") })));
        json!({ "type": "object", "properties": serde_json::Map::from_iter(names) })
    };
    let definitions = (0..9).map(|at| (format!("d{at}"), level(at + 1)));
    let schema = json!({ "$ref": "#/$defs/d0", "$defs": serde_json::Map::from_iter(definitions) });
    assert_eq!(type_text(&schema, Style::V4), Err(Unsupported("a type that is too long")));

    let chain = (0..99).map(|at| (format!("d{at}"), json!({ "$ref": format!("#/$defs/d{}", at + 1) })));
    let schema = json!({ "$ref": "#/$defs/d0", "$defs": serde_json::Map::from_iter(chain) });
    assert_eq!(type_text(&schema, Style::V4), Err(Unsupported("too many references inside references")));
}
