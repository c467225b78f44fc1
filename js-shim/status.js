// How it goes, for a person who asks by `/jev status`, `/jev perf` or `/jev why NAME`, and for the tool `jev_status`: what
// reports and requests told is kept, counted and put into words. The key is never part of it.

/** @typedef {{ name: string, score: number | null, decision: string, reason: string }} Judged */
/** @typedef {{ servers: Judged[], tools: Judged[], skills: Judged[], since: Map<string, { decision: string, at: number }> }} Diary */
/** @typedef {{ at: number, ms: number, failure?: string }} Call */

const MAX_SESSIONS = 50;
const MAX_CALLS = 10;
const MAX_TIMES = 256;

/**
 * @param {object} plugin
 * @param {any} plugin.config
 * @param {string} plugin.version
 * @param {boolean} plugin.hasKey
 * @param {() => number} [plugin.now]
 * @param {string} [plugin.disabled] why it does nothing
 * @param {string} [plugin.partly] why it does not do all that it could
 * @param {() => string | undefined} [plugin.logFile] where the debug log is
 * @param {readonly string[]} [plugin.warned] what was amiss
 */
export function createStatus({ config, version, hasKey, disabled, partly, logFile, warned = [], now = () => performance.now() }) {
  const stages = { parse: times(), decide: times(), apply: times(), jev: times(), search: times() };
  /** @type {Call[]} */
  const calls = [];
  /** @type {Map<string, Diary>} */
  const diaries = new Map();
  let coolingUntil = 0;

  /** @returns {["healthy" | "degraded" | "disabled", string]} */
  function health() {
    if (disabled !== undefined) return ["disabled", disabled];
    if (config.mode === "off") return ["disabled", "option `mode` is `off`"];
    if (partly !== undefined) return ["degraded", partly];
    if (config.scorer !== "jev") return ["healthy", "Jev is not needed"];
    const last = calls.at(-1);
    if (!last) return ["healthy", "Jev was not asked yet"];
    return last.failure ? ["degraded", `Jev failed the last time: ${last.failure}`] : ["healthy", "Jev answered the last time"];
  }

  /** @param {string} session */
  function status(session) {
    const [word, reason] = health();
    return {
      health: word,
      reason,
      version,
      mode: config.mode,
      scorer: config.scorer,
      key: hasKey ? "present" : "missing",
      endpoint: config.jev_endpoint,
      debug_log: logFile?.() ?? null,
      warnings: warned.map((warning) => ({ warning })),
      cooldown_ms: Math.max(0, Math.round(coolingUntil - now())),
      last_calls: calls.toReversed().map(({ at, ms, failure }) =>
        ({ seconds_ago: seconds(now() - at), ms: rounded(ms), failure: failure ?? null })),
      ...ofSession(diaries.get(session)),
    };
  }

  const perf = () => Object.fromEntries(Object.entries(stages).map(([name, stage]) => [name, stage.tell()]));

  /** @param {string} session @param {string} name */
  function why(session, name) {
    const diary = diaries.get(session);
    if (!diary) return { error: "Nothing was decided in this session yet." };
    const wanted = name.trim().toLowerCase();
    const found = KINDS.flatMap(({ kind, list, phase, threshold }) =>
      diary[list].filter((judged) => isCalled(judged.name, wanted)).map((judged) => ({
        kind,
        name: judged.name,
        shown: isShown(judged),
        reason: judged.reason,
        score: judged.score,
        threshold: thresholdOf(config, threshold),
        phase,
        decided_seconds_ago: seconds(now() - (diary.since.get(judged.name)?.at ?? now())),
      })));
    return found.length > 0 ? found : { error: `Nothing in this session is called \`${name.trim()}\`.` };
  }

  return {
    status,
    perf,
    why,

    /** @param {number} ms */
    noteSearch: (ms) => stages.search.note(ms),

    /**
     * The same client, with a note of what became of each request.
     * @param {ReturnType<typeof import("./jev-client.js").createJevClient>} ask
     * @returns {typeof ask}
     */
    watch: (ask) => async (body, limits) => {
      const at = now() + (limits.delayMs ?? 0);
      const reply = await ask(body, limits);
      const ms = now() - at;
      const failure = failureOf(reply);
      stages.jev.note(ms);
      calls.push({ at, ms, ...(failure && { failure }) });
      calls.splice(0, calls.length - MAX_CALLS);
      return reply;
    },

    /** @param {any} report of one request */
    noteReport(report) {
      if (!report?.stats) return;
      const { ms_parse, ms_apply, ms_rust } = report.stats;
      stages.parse.note(ms_parse);
      stages.apply.note(ms_apply);
      stages.decide.note(Math.max(0, ms_rust - ms_parse - ms_apply));
      if (report.errors?.length > 0) coolingUntil = now() + config.failure_cooldown_ms;
      if (report.skipped !== undefined || !report.session) return;
      const since = diaries.get(report.session)?.since ?? new Map();
      const { servers = [], tools = [], skills = [] } = report;
      for (const { name, decision } of [...servers, ...tools, ...skills]) {
        if (since.get(name)?.decision !== decision) since.set(name, { decision, at: now() });
      }
      diaries.delete(report.session);
      diaries.set(report.session, { servers, tools, skills, since });
      for (const oldest of diaries.keys()) {
        if (diaries.size <= MAX_SESSIONS) break;
        diaries.delete(oldest);
      }
    },

    /** What the tool `jev_status` answers. @param {string} session @param {unknown} name */
    asJSON(session, name) {
      const told = typeof name === "string" && name.trim() !== "" ? why(session, name) : { status: status(session), perf: perf() };
      return JSON.stringify(told);
    },
  };
}

/** @typedef {ReturnType<typeof createStatus>} Status */

/**
 * Rows for the table of `/jev`.
 * @param {Status} told
 * @returns {Record<string, import("./commands.js").Row>}
 */
export function statusCommands(told) {
  return {
    status: { usage: "status", about: "health, settings, the last requests to Jev, and what this session shows", answer: (_core, { session }) => lines(told.status(session)) },
    perf: { usage: "perf", about: "how long each part of the work took", answer: () => lines(told.perf()) },
    why: { usage: "why NAME", about: "why a server, tool or skill is shown or not", answer: (_core, { session, argument }) =>
      argument === "" ? "Say which server, tool or skill: `/jev why NAME`." : lines(told.why(session, argument)) },
  };
}

const KINDS = /** @type {const} */ ([
  { kind: "server", list: "servers", phase: 1, threshold: "jev_phase1_threshold" },
  { kind: "tool", list: "tools", phase: 2, threshold: "jev_confidence_threshold" },
  { kind: "skill", list: "skills", phase: 2, threshold: "jev_confidence_threshold" },
]);

/** Only Jev's answers are held against the thresholds of the options. @param {any} config @param {string} name */
const thresholdOf = (config, name) => (config.scorer === "jev" && config.selection === "threshold" ? config[name] : null);

/** @param {Judged} judged */
const isShown = ({ decision }) => decision === "keep" || decision === "add";

/** The whole name, or a tool's without its server. @param {string} name @param {string} wanted in lower case */
function isCalled(name, wanted) {
  const lower = name.toLowerCase();
  return lower === wanted || lower.slice(lower.indexOf(".") + 1) === wanted;
}

/** @param {Diary | undefined} diary */
function ofSession(diary) {
  if (!diary) return {};
  const shown = (/** @type {Judged[]} */ list) => list.filter(isShown).map(({ name }) => name);
  return {
    servers: diary.servers.map(({ name }) => {
      const tools = diary.tools.filter((tool) => tool.name.startsWith(`${name}.`));
      return { name, tools: tools.length, shown: tools.filter(isShown).length };
    }),
    skills: { count: diary.skills.length, shown: shown(diary.skills) },
    kept: { servers: shown(diary.servers), tools: shown(diary.tools) },
  };
}

/** @param {import("./jev-client.js").Reply} reply */
function failureOf(reply) {
  if ("failure" in reply) return reply.failure;
  return reply.status >= 200 && reply.status < 300 ? undefined : `HTTP ${reply.status}`;
}

function times() {
  let [count, total, least, most] = [0, 0, Infinity, 0];
  /** @type {number[]} the newest, from which the 95th percentile is taken */
  const recent = [];
  return {
    /** @param {number} ms */
    note(ms) {
      if (!Number.isFinite(ms)) return;
      count += 1;
      total += ms;
      least = Math.min(least, ms);
      most = Math.max(most, ms);
      recent.push(ms);
      recent.splice(0, recent.length - MAX_TIMES);
    },
    tell() {
      const sorted = recent.toSorted((a, b) => a - b);
      return {
        count,
        total_ms: rounded(total),
        average_ms: rounded(count && total / count),
        min_ms: rounded(count && least),
        max_ms: rounded(most),
        p95_ms: rounded(sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0),
      };
    },
  };
}

/** To hundredths; more would be noise. @param {number} ms */
const rounded = (ms) => Math.round(ms * 100) / 100;

/** @param {number} ms */
const seconds = (ms) => Math.round(ms / 1000);

/**
 * What is told as lines for a person:
 *
 *     health: healthy
 *     last_calls:
 *       seconds_ago: 3, ms: 112.5, failure: none
 * @param {object} told
 * @returns {string}
 */
export function lines(told) {
  if (Array.isArray(told)) return told.map(plain).join("\n");
  return Object.entries(told).map(([name, value]) => {
    const nests = Array.isArray(value) ? value.some(isObject) : isObject(value);
    return nests ? `${name}:\n${lines(value).replaceAll(/^/gm, "  ")}` : `${name}: ${plain(value)}`;
  }).join("\n");
}

/** On one line. @param {unknown} value @returns {string} */
function plain(value) {
  if (value === null) return "none";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(plain).join(", ");
  if (isObject(value)) return Object.entries(value).map(([name, inner]) => `${name}: ${plain(inner)}`).join(", ");
  return String(value);
}

/** @param {unknown} value @returns {value is object} */
const isObject = (value) => typeof value === "object" && value !== null;
