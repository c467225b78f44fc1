// Rendered from crate/src/options/mod.rs; `cargo test` says how to render it anew.

/** What `opencode.json` may hold for this plugin; every name is accepted in camelCase too. */
export interface PrunerOptions {
  /** The key for Jev. Without one the plugin is disabled and requests are left as they are. */
  jev_api_key?: string;
  /** The full address of a System One endpoint. Default: `"https://opencode.ai/inference/systemone/v1/systemone"`. */
  jev_endpoint?: string;
  /** The model to ask. OpenCode's gateway does not know the alias `jev-latest`. Default: `"jev-1.13"`. */
  jev_model?: string;
  /** A tool or skill stays when Jev's answer is at least this. Default: `0.55`. */
  jev_confidence_threshold?: number;
  /** An MCP server passes phase 1 when Jev's answer is at least this. Default: `0.35`. */
  jev_phase1_threshold?: number;
  /** How long one request to Jev may take, in milliseconds. Default: `900`. */
  jev_timeout_ms?: number;
  /** Ask about servers first, then only about the tools of those that pass. Off: ask about all tools at once and about no server. Default: `true`. */
  enable_two_phase_gating?: boolean;
  /** Skills that are never asked about and always stay: globs over id and name. Default: `["core_system_skill","error_recovery"]`. */
  always_include_skills?: string[];
  /** Tools that are never asked about and always stay: globs over `tool`, `server.tool` and `server_tool`. Default: `[]`. */
  always_include_tools?: string[];
  /** Servers that are never asked about and always stay whole: globs over the name. Default: `["opencode"]`. */
  always_include_servers?: string[];
  /** Prune MCP servers and their tools. Default: `true`. */
  prune_mcp_tools?: boolean;
  /** Prune skills. Default: `true`. */
  prune_skills?: boolean;
  /** Print a report of every request to the console. Default: `false`. */
  debug_mode?: boolean;
  /** Append one JSON object a line to this file. A relative path is taken from the project directory. */
  debug_log_file?: string;
  /** Send one tiny question when the plugin loads, so that the first prompt finds a warm connection. Default: `false`. */
  warmup_on_load?: boolean;
  /** After a failure leave Jev alone for this long, in milliseconds. Default: `0`. */
  failure_cooldown_ms?: number;
  /** The most questions in one request; more are split into parallel requests. Default: `100`. */
  max_questions_per_request?: number;
  /** What a question tells of its server, tool or skill is cut at this many characters; what a server's tools do is told in as many more. Default: `400`. */
  max_description_chars?: number;
  /** What Jev reads of the prompt is cut at this many characters. Default: `6000`. */
  max_prompt_chars?: number;
  /** What Jev reads beside the newest prompt. `auto`: with a prompt shorter than 40 characters ("yes, go on") also the one before it and the last sentence of the assistant's answer to that. `prompt`: nothing. Default: `"auto"`. */
  state_context?: "auto" | "prompt";
  /** How long an answer is good for the same session, prompt and candidates, in milliseconds; 0 asks anew each time. Default: `600000`. */
  cache_ttl_ms?: number;
  /** Add tools that the host's sample left out and that the prompt needs, as far as pruning made room. Default: `true`. */
  refill_catalog?: boolean;
  /** The most tools to ask about at once, listed ones first, then those that share most words with the prompt. Default: `400`. */
  max_candidates?: number;
  /** `session`: what was shown stays shown until the history is compacted, so that the provider's prompt cache holds. `prompt`: each prompt is decided alone. Default: `"session"`. */
  decision_scope?: "session" | "prompt";
  /** When Jev fails: `open` sends the request whole, `last` keeps the last decision if it covers every candidate. Default: `"open"`. */
  on_failure?: "open" | "last";
  /** `prune`: change requests. `shadow`: ask, decide and report, and change nothing. `off`: do nothing. Default: `"prune"`. */
  mode?: "prune" | "shadow" | "off";
  /** Tell the model in one constant line per pruned list how to reach what is not listed. Default: `true`. */
  recovery_hint?: boolean;
  /** The largest share of the candidates that may be hidden, tools and skills counted apart. Default: `1`. */
  max_pruned_fraction?: number;
  /** How long a whole decision may take, both phases and retries, in milliseconds; 0 means twice `jev_timeout_ms`. Default: `0`. */
  deadline_ms?: number;
  /** When everything that could be pruned is shorter than this, Jev is not asked. Default: `400`. */
  min_saving_chars?: number;
  /** `threshold`: keep what reaches its threshold. `budget`: keep the best within `budget_fraction` of the candidates' tokens, from lower thresholds (0.15 for servers, 0.25 for tools and skills). Default: `"threshold"`. */
  selection?: "threshold" | "budget";
  /** With `selection: "budget"`, the share of the candidates' tokens that may stay, tools and skills counted apart. Default: `0.25`. */
  budget_fraction?: number;
  /** Who decides: `jev` asks Jev. `lexical` keeps the `lexical_keep` servers and skills that share most words with the prompt. `none` hides only what `discovery.hide` names. The last two need no key and no network. Default: `"jev"`. */
  scorer?: "jev" | "lexical" | "none";
  /** With `scorer: "lexical"`, how many servers stay, and how many skills. Default: `12`. */
  lexical_keep?: number;
  /** Mend arguments of tool calls before they run: texts that the schema wants as boolean, number, list or object, and names of properties in the wrong case. Only where one meaning is possible. Default: `false`. */
  repair_arguments?: boolean;
  discovery?: {
    /** Give the model `tool_search`, `load_tool` and `skill_search`, which reach what is not shown. Default: `false`. */
    enabled?: boolean;
    /** What is hidden until it is asked for: globs, or regular expressions behind `re:`, over servers, `tool`, `server.tool`, `server_tool` and skills. Only while `discovery.enabled` is on. Default: `[]`. */
    hide?: string[];
    /** What is never hidden, with the same patterns; it wins over `discovery.hide`. Default: `[]`. */
    keep?: string[];
    /** What you say of single tools, by `server_tool`: `tags` they are found by, and a `description` that replaces theirs in search and in questions. Default: `{}`. */
    tools?: Record<string, { tags?: string[], description?: string }>;
    /** How many results a search gives when the model does not say. Default: `5`. */
    top_k?: number;
    /** A description in search results is cut at this many characters; `load_tool` gives it whole. Default: `800`. */
    description_limit?: number;
    /** Tell the model in one constant line that lists are shortened and how to search. Default: `true`. */
    system_hint?: boolean;
    /** List what is hidden, by server, in the description of `load_tool`. It changes whenever something more is shown. Default: `false`. */
    pointer_list?: boolean;
    /** That list is cut at this many characters. Default: `2000`. */
    pointer_chars?: number;
    /** Give the model `jev_status` too, which tells as JSON what `/jev status`, `perf` and `why` tell. Default: `false`. */
    status_tool?: boolean;
  };
  history?: {
    /** Prune the conversation: old outputs, inputs of failed calls, thinking of finished turns. Default: `false`. */
    enabled?: boolean;
    /** Edits of old messages wait until they save more than this many tokens together, since the first of them costs the provider's prompt cache. A long conversation waits for a sixth of itself; 0 makes each edit at once. Default: `4000`. */
    batch_tokens?: number;
    /** Prune the conversations of child sessions (subagents) too. Default: `false`. */
    subagents?: boolean;
    /** Tools whose calls are never touched: globs over the name. Those of the default are protected whether they are listed or not; inputs of `write` and `edit` may still be shortened by `supersede_writes` and `purge_errors`. Default: `["task","subagent","todowrite","todoread","question","skill","batch","discard","extract","write","edit","patch","*memory*"]`. */
    protected_tools?: string[];
    /** Calls whose input names a file that matches are never touched: globs over the path, or over its end behind a `/`. Default: `[]`. */
    protected_file_patterns?: string[];
    deduplication?: {
      /** Of calls of the same tool with the same input only the newest keeps its output. Default: `true`. */
      enabled?: boolean;
      /** Tools whose outputs all stay: globs over the name. Default: `[]`. */
      protected_tools?: string[];
    };
    supersede_writes?: {
      /** The input of a `write` loses its content once the file was read or wholly written again. Default: `true`. */
      enabled?: boolean;
    };
    purge_errors?: {
      /** The input of a call that failed loses its large strings; the error stays. Default: `true`. */
      enabled?: boolean;
      /** How many user turns later. Default: `2`. */
      turns?: number;
      /** Tools whose failed calls stay whole: globs over the name. Default: `[]`. */
      protected_tools?: string[];
    };
    prune_thinking?: {
      /** Reasoning of older messages goes, and `<thinking>` blocks in their texts. Default: `true`. */
      enabled?: boolean;
      /** How many user turns later. Default: `1`. */
      delay_turns?: number;
    };
    placeholder_compression?: {
      /** An older large output becomes one line that says what it was and how to have it again. Default: `true`. */
      enabled?: boolean;
      /** How many user turns later. Default: `2`. */
      delay_turns?: number;
      /** Outputs of fewer tokens stay. Default: `100`. */
      min_output_tokens?: number;
      /** Tools whose outputs stay: globs over the name. Default: `[]`. */
      protected_tools?: string[];
    };
    turn_protection?: {
      /** Touch nothing in the newest turns, whatever the strategies say. Default: `false`. */
      enabled?: boolean;
      /** How many turns, the running one included. Default: `4`. */
      turns?: number;
    };
    tools?: {
      /** Give the model a tool `discard` that drops outputs it no longer needs. Default: `false`. */
      discard?: boolean;
      /** Give the model a tool `extract` that replaces outputs by its own summary. Default: `false`. */
      extract?: boolean;
      /** List the ids for these tools again after this many further outputs. Default: `5`. */
      nudge_frequency?: number;
    };
  };
}
