//! Native tools that belong to no MCP server: OpenCode's own and those of this plugin.
//!
//! They stay in every request as they are, whatever a server is called: without this list a server named
//! `apply` would own OpenCode's `apply_patch`.

/// Whether a native tool is OpenCode's own or this plugin's, and so never a candidate.
pub(crate) fn is_builtin_tool(native_name: &str) -> bool {
    OPENCODE_TOOLS.contains(&native_name) || PLUGIN_TOOLS.contains(&native_name)
}

/// Tools of this plugin that a request offers while `discovery.enabled` is on.
const PLUGIN_TOOLS: [&str; 4] = ["tool_search", "load_tool", "skill_search", "jev_status"];

/// OpenCode's own tools, of all versions (`opencode-host.md` §9, `host-observed.md`).
const OPENCODE_TOOLS: [&str; 29] = [
    "apply_patch",
    "bash",
    "batch",
    "codesearch",
    "edit",
    "execute",
    "glob",
    "grep",
    "list",
    "list_mcp_resource_templates",
    "list_mcp_resources",
    "lsp",
    "multiedit",
    "patch",
    "plan_enter",
    "plan_exit",
    "invalid",
    "question",
    "read",
    "read_mcp_resource",
    "shell",
    "skill",
    "subagent",
    "task",
    "todoread",
    "todowrite",
    "webfetch",
    "websearch",
    "write",
];
