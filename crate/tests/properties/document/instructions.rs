//! MCP instructions, written by the grammar.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::words::{raw_line, sanitised, server_names};

#[derive(Clone, Debug)]
pub struct Server {
    /// As configured, raw.
    pub name: String,
    /// Whether the line that tells the namespace is there.
    pub tells_namespace: bool,
    pub lines: Vec<String>,
}

impl Server {
    pub fn namespace(&self) -> String {
        sanitised(&self.name)
    }
}

/// `None` for no server, since OpenCode never writes an empty list.
pub fn write(servers: &[Server]) -> Option<String> {
    if servers.is_empty() {
        return None;
    }
    let mut out = "<mcp_instructions>\n".to_string();
    for server in servers {
        out.push_str(&format!("  <server name=\"{}\">\n", server.name));
        if server.tells_namespace {
            let namespace = server.namespace();
            out.push_str(&format!(
                "    Use tools from this server through `execute` under `tools[\"{namespace}\"]`.\n"
            ));
        }
        server.lines.iter().for_each(|line| out.push_str(&format!("    {line}\n")));
        out.push_str("  </server>\n");
    }
    out.push_str("</mcp_instructions>");
    Some(out)
}

pub fn instructions() -> impl Strategy<Value = Vec<Server>> {
    server_names().prop_flat_map(|names| names.into_iter().map(server).collect::<Vec<_>>())
}

fn server(name: String) -> impl Strategy<Value = Server> {
    (Just(name), any::<bool>(), vec(raw_line(), 0..4)).prop_map(|(name, tells_namespace, lines)| Server {
        name,
        tells_namespace,
        lines,
    })
}
