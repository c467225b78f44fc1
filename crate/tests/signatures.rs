//! Catalog entries as the core writes them: for any JSON, for the tools of real servers, and held against the
//! entries that real versions of OpenCode wrote.
//!
//! The last two need data that is no part of this repository: `JEV_PRUNER_DATA` names the folder with
//! `livemcpbench`, `mcp-tools` and `host-captures`. Without it they pass and say so.

#![cfg(not(target_arch = "wasm32"))]

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use opencode_jev_pruner::opencode::catalog::Style;
use opencode_jev_pruner::opencode::names::sanitise;
use opencode_jev_pruner::opencode::signature::{entry, try_entry, EntrySource};
use opencode_jev_pruner::opencode::{read, Section};
use proptest::prelude::*;
use serde_json::{json, Value};

/// A tool as a server or an inventory describes it.
#[derive(Clone, Debug)]
struct Tool {
    namespace: String,
    name: String,
    description: String,
    input: Value,
    output: Option<Value>,
}

impl Tool {
    /// From `{ name, description, inputSchema, outputSchema }`.
    fn of_server(server: &str, tool: &Value) -> Option<Tool> {
        Some(Tool {
            namespace: sanitise(server),
            name: sanitise(tool["name"].as_str()?),
            description: tool["description"].as_str().unwrap_or_default().to_string(),
            input: tool.get("inputSchema")?.clone(),
            output: tool.get("outputSchema").cloned(),
        })
    }

    fn source(&self) -> EntrySource<'_> {
        EntrySource {
            namespace: &self.namespace,
            tool: &self.name,
            description: Some(&self.description),
            input: Some(&self.input),
            output: self.output.as_ref(),
        }
    }

    fn entry(&self, style: Style) -> Option<String> {
        entry(&self.source(), style)
    }
}

/// The entry in a catalog of its style, as the core reads it: its namespace, tool and description.
fn read_back(namespace: &str, entry: &str, style: Style) -> Option<(String, String, String)> {
    let head = match style {
        Style::V4 => {
            "# Code Mode\n\nUse the `execute` tool.\n\nThe catalog is complete. All.\n\n## Available tools"
        }
        Style::Beta => "## Available tools (COMPLETE list - nothing is left out)",
    };
    let text = format!("{head}\n\n- {namespace} (1 tool)\n{entry}\n\nInstructions from: /AGENTS.md");
    let reading = read(&text);
    let [Section::Catalog(catalog)] = reading.sections.as_slice() else { return None };
    let [namespace] = catalog.namespaces.as_slice() else { return None };
    let [entry] = namespace.entries.as_slice() else { return None };
    let description = entry.description.clone().map_or("", |range| &text[range]);
    Some((namespace.name.to_string(), entry.tool.to_string(), description.to_string()))
}

#[cfg(test)]
mod any_json {
    use super::*;

    const KEYWORDS: [&str; 32] = [
        "type",
        "properties",
        "required",
        "items",
        "additionalProperties",
        "enum",
        "const",
        "anyOf",
        "oneOf",
        "allOf",
        "$ref",
        "$defs",
        "definitions",
        "description",
        "default",
        "format",
        "pattern",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "multipleOf",
        "minLength",
        "minItems",
        "uniqueItems",
        "deprecated",
        "title",
        "nullable",
        "propertyNames",
        "patternProperties",
        "not",
        "a",
        "b c",
    ];
    const TEXTS: [&str; 20] = [
        "string",
        "number",
        "integer",
        "object",
        "array",
        "null",
        "#/$defs/a",
        "#/definitions/b c",
        "#/$defs/a~0",
        "",
        " ",
        "a",
        "One\n\nTwo */ \r",
        "}): Promise<unknown> // x\n\n- parcels (1 tool)\n  - tools.x.y()",
        "😀\u{2028}\u{feff}\u{85}",
        "NaN",
        "unknown",
        " | ",
        "__proto__",
        "\u{0}",
    ];

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            proptest::sample::select(&TEXTS[..]).prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(7, 96, 8, |inner| {
            let name =
                prop_oneof![9 => proptest::sample::select(&KEYWORDS[..]).prop_map(str::to_string), 1 => any::<String>()];
            prop_oneof![
                1 => proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                4 => proptest::collection::vec((name, inner), 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    /// Schemas that a server might have, so that more of them can be written than of any JSON.
    fn likely_schema() -> impl Strategy<Value = Value> {
        let text = proptest::sample::select(&TEXTS[..]);
        let leaf = prop_oneof![
            Just(json!({ "type": "string" })),
            Just(json!(true)),
            Just(json!({ "$ref": "#/$defs/a" })),
            text.clone().prop_map(|text| json!({ "type": "integer", "description": text, "default": text })),
            (text, any::<f64>()).prop_map(
                |(text, bound)| json!({ "pattern": text, "minimum": bound, "enum": [text, bound] })
            ),
        ];
        leaf.prop_recursive(6, 64, 6, |inner| {
            let list = proptest::collection::vec(inner.clone(), 1..4);
            let named = proptest::collection::vec((proptest::sample::select(&TEXTS[..]), inner.clone()), 0..5);
            prop_oneof![
                3 => named.prop_map(|list| {
                    let properties: serde_json::Map<_, _> = list.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
                    json!({ "type": "object", "properties": properties, "required": ["a"] })
                }),
                1 => inner.clone().prop_map(|items| json!({ "type": ["array", "null"], "items": items })),
                1 => inner.clone().prop_map(|values| json!({ "type": "object", "additionalProperties": values })),
                1 => list.clone().prop_map(|list| json!({ "anyOf": list })),
                1 => list.prop_map(|list| json!({ "allOf": list, "type": "string" })),
                1 => inner.prop_map(|definition| json!({ "$ref": "#/$defs/a", "$defs": { "a": definition } })),
            ]
        })
    }

    fn holds(tool: &Tool, style: Style) -> Result<(), TestCaseError> {
        let Some(entry) = tool.entry(style) else { return Ok(()) };
        prop_assert!(!entry.contains("\n\n") && !entry.ends_with('\n'));
        let read = read_back(&tool.namespace, &entry, style);
        let Some((namespace, name, _)) = read else { return Err(TestCaseError::fail(entry)) };
        prop_assert_eq!((&namespace, &name), (&tool.namespace, &tool.name));
        Ok(())
    }

    fn tool(description: String, input: Value, output: Value) -> Tool {
        Tool {
            namespace: "parcels".into(),
            name: "track-all".into(),
            description,
            input,
            output: Some(output),
        }
    }

    fn config() -> ProptestConfig {
        ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
    }

    proptest! {
        #![proptest_config(config())]

        #[test]
        fn any_json_gives_an_entry_that_reads_back_or_none(
            input in any_value(), output in any_value(), description in any::<String>()
        ) {
            let tool = tool(description, input, output);
            holds(&tool, Style::V4)?;
            holds(&tool, Style::Beta)?;
        }

        #[test]
        fn a_likely_schema_gives_an_entry_that_reads_back_or_none(
            input in likely_schema(), output in likely_schema()
        ) {
            let tool = tool("Where > // they are".into(), input, output);
            holds(&tool, Style::V4)?;
            holds(&tool, Style::Beta)?;
        }
    }
}

#[cfg(test)]
mod real_tools {
    use super::*;

    /// The folder with the data, or nothing and a line that says so.
    fn data() -> Option<PathBuf> {
        let folder = std::env::var_os("JEV_PRUNER_DATA").map(PathBuf::from);
        if folder.is_none() {
            println!("skipped: JEV_PRUNER_DATA does not name the folder with the data");
        }
        folder
    }

    fn json_files(folder: &Path) -> Vec<(String, Value)> {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder).unwrap().map(|found| found.unwrap().path()).collect();
        paths.sort();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
        paths
            .iter()
            .map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), json_file(path)))
            .collect()
    }

    fn json_file(path: &Path) -> Value {
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    }

    fn list(value: &Value) -> &[Value] {
        value.as_array().map(Vec::as_slice).unwrap_or_default()
    }

    /// Tools of published lists; those without a schema are left out.
    fn published(folder: &Path) -> Vec<Tool> {
        let bench = json_file(&folder.join("livemcpbench/servers.json"));
        let mut tools: Vec<Tool> = list(&bench)
            .iter()
            .flat_map(|server| {
                list(&server["tools"])
                    .iter()
                    .filter_map(|tool| Tool::of_server(server["server"].as_str()?, tool))
            })
            .collect();
        for (name, file) in json_files(&folder.join("mcp-tools")) {
            tools.extend(list(&file["tools"]).iter().filter_map(|tool| Tool::of_server(&name, tool)));
        }
        tools
    }

    /// The native tools of all captures, by name: of the 1.18 line nearly all MCP tools are among them.
    fn native(captures: &[(String, Value)]) -> HashMap<String, Tool> {
        let mut tools = HashMap::new();
        let mut add = |name: &str, description: &Value, input: &Value| {
            let tool = Tool {
                namespace: "native".into(),
                name: name.into(),
                description: description.as_str().unwrap_or_default().into(),
                input: input.clone(),
                output: None,
            };
            tools.insert(name.to_string(), tool);
        };
        for (_, capture) in captures {
            for tool in list(&capture["tools"]).iter().map(|tool| &tool["function"]) {
                add(tool["name"].as_str().unwrap(), &tool["description"], &tool["parameters"]);
            }
        }
        for (_, capture) in captures {
            for (name, tool) in capture["tools"].as_object().into_iter().flatten() {
                add(name, &tool["description"], &tool["input"]);
            }
        }
        tools
    }

    /// That the core reads an entry as what it was made of, and that all properties are in it.
    fn assert_reads_back(tool: &Tool, entry: &str, style: Style) {
        let (namespace, name, description) =
            read_back(&tool.namespace, entry, style).unwrap_or_else(|| panic!("not read:\n{entry}"));
        assert_eq!((&namespace, &name), (&tool.namespace, &tool.name));
        let line = tool.description.lines().next().unwrap_or_default().trim();
        match description.strip_suffix("...") {
            Some(start) if line.encode_utf16().count() > 120 => assert!(line.starts_with(start), "{entry}"),
            _ => assert_eq!(description, line, "{entry}"),
        }
        for name in tool.input["properties"].as_object().into_iter().flat_map(|list| list.keys()) {
            let quoted = Value::from(name.as_str()).to_string();
            let is_line_of = |line: &str| {
                let rest = line.strip_prefix(name.as_str()).or_else(|| line.strip_prefix(quoted.as_str()));
                rest.is_some_and(|rest| rest.starts_with(": ") || rest.starts_with("?: "))
            };
            assert!(entry.lines().any(|line| is_line_of(line.trim_start())), "{name} is missing:\n{entry}");
        }
    }

    #[test]
    fn the_tools_of_real_servers_are_written_and_read_back() {
        let Some(folder) = data() else { return };
        let mut tools = published(&folder);
        tools.extend(native(&json_files(&folder.join("host-captures"))).into_values());
        for style in [Style::V4, Style::Beta] {
            let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
            let mut longest = 0;
            for tool in &tools {
                match try_entry(&tool.source(), style) {
                    Ok(entry) => {
                        assert_reads_back(tool, &entry, style);
                        longest = longest.max(entry.len());
                    }
                    Err(why) => {
                        reasons.entry(why.0).or_default().push(format!("{}.{}", tool.namespace, tool.name))
                    }
                }
            }
            let left_out: usize = reasons.values().map(Vec::len).sum();
            let written = tools.len() - left_out;
            println!(
                "{style:?}: {written} of {} tools are written, the longest in {longest} bytes",
                tools.len()
            );
            for (why, tools) in &reasons {
                println!("  {} because of {why}: {}", tools.len(), tools.join(" "));
            }
            assert!(tools.len() > 500 && written * 100 >= tools.len() * 95, "{reasons:?}");
        }
    }

    /// The entries of a capture by their paths.
    fn entries_of(text: &str) -> HashMap<String, String> {
        let mut entries: Vec<Vec<&str>> = Vec::new();
        let mut inside = false;
        for line in text.lines() {
            if line.starts_with("  - tools.") || line.starts_with("  - tools[") {
                entries.push(Vec::new());
                inside = true;
            }
            inside &= !line.is_empty() && !line.starts_with("- ");
            if let Some(entry) = entries.last_mut().filter(|_| inside) {
                entry.push(line);
            }
        }
        let path = |entry: &str| entry.split('(').next().unwrap_or_default().to_string();
        entries.into_iter().map(|lines| lines.join("\n")).map(|entry| (path(&entry), entry)).collect()
    }

    fn captured(folder: &Path, name: &str, style: Style) -> HashMap<String, String> {
        let capture = json_file(&folder.join("host-captures").join(name));
        let text = match style {
            Style::V4 => &capture["system"][1]["text"],
            Style::Beta => &capture["tools"]["execute"]["description"],
        };
        entries_of(text.as_str().unwrap())
    }

    /// What stands before the result and behind it: native tools do not tell their output schema.
    fn without_result(entry: &str) -> (&str, Option<&str>) {
        let (before, behind) = entry.split_once("): Promise<").unwrap_or((entry, ""));
        (before, behind.rsplit_once("> // ").map(|(_, description)| description))
    }

    /// Holds the tools that a capture lists against what OpenCode wrote; returns how many those are, and of
    /// how many the result is known too.
    fn compare(tools: &[Tool], entries: &HashMap<String, String>, style: Style) -> (usize, usize) {
        let (mut compared, mut exactly) = (0, 0);
        for tool in tools {
            let entry = tool.entry(style).unwrap_or_default();
            let Some(written) = entries.get(entry.split('(').next().unwrap_or_default()) else { continue };
            compared += 1;
            if tool.output.is_some() || written.contains("): Promise<unknown>") {
                assert_eq!(&entry, written);
                exactly += 1;
            } else {
                assert_eq!(without_result(&entry), without_result(written));
            }
        }
        (compared, exactly)
    }

    fn of_namespace(native: &HashMap<String, Tool>, namespace: &str) -> Vec<Tool> {
        let tools = native.iter().filter_map(|(name, tool)| {
            let name = name.strip_prefix(namespace)?.strip_prefix('_')?;
            Some(Tool { namespace: namespace.into(), name: name.into(), ..tool.clone() })
        });
        tools.collect()
    }

    #[test]
    fn a_server_that_one_host_offered_natively_and_another_listed_is_written_alike() {
        let Some(folder) = data() else { return };
        let capture = json_file(&folder.join("host-captures/v20shape-partial-changes.json"));
        let tools = of_namespace(&native(&[(String::new(), capture)]), "everything");
        let entries = captured(&folder, "v20shape-complete-changes.json", Style::V4);
        // All but one have no output schema.
        assert_eq!(compare(&tools, &entries, Style::V4), (16, 15));
    }

    #[test]
    fn published_servers_are_written_as_the_hosts_wrote_them() {
        let Some(folder) = data() else { return };
        let tools: Vec<Tool> = ["memory", "filesystem"]
            .into_iter()
            .flat_map(|name| {
                let file = json_file(&folder.join(format!("mcp-tools/server-{name}.json")));
                let tools: Vec<Tool> =
                    list(&file["tools"]).iter().filter_map(|tool| Tool::of_server(name, tool)).collect();
                tools
            })
            .collect();
        let entries = captured(&folder, "v20shape-partial-first.json", Style::V4);
        assert_eq!(compare(&tools, &entries, Style::V4), (4, 4));
        let entries = captured(&folder, "v2beta-first-request.json", Style::Beta);
        assert_eq!(compare(&tools, &entries, Style::Beta), (2, 2));
    }

    #[test]
    fn the_native_tools_of_all_captures_are_written_as_the_catalogs_had_them() {
        let Some(folder) = data() else { return };
        let captures = json_files(&folder.join("host-captures"));
        let native = native(&captures);
        for (file, style) in [
            ("v20shape-complete-changes.json", Style::V4),
            ("v20shape-partial-first.json", Style::V4),
            ("v20shape-partial-changes.json", Style::V4),
            ("v2beta-first-request.json", Style::Beta),
            ("v2beta-message-kinds.json", Style::Beta),
        ] {
            let entries = captured(&folder, file, style);
            let mut namespaces: Vec<&str> = entries.keys().filter_map(|path| namespace_of(path)).collect();
            namespaces.sort();
            namespaces.dedup();
            let tools: Vec<Tool> =
                namespaces.into_iter().flat_map(|namespace| of_namespace(&native, namespace)).collect();
            let (compared, exactly) = compare(&tools, &entries, style);
            println!("{file}: {compared} of {} entries, {exactly} with their results", entries.len());
            assert!(compared >= entries.len() / 2);
        }
    }

    /// The first segment of `  - tools.NAME...` or `  - tools["NAME"]...`.
    fn namespace_of(path: &str) -> Option<&str> {
        let rest = path.strip_prefix("  - tools")?;
        rest.split(['.', '[', ']', '"']).find(|segment| !segment.is_empty())
    }
}
