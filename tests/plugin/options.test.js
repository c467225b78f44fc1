/**
 * What a person can set, where, and what is said about values that cannot be used. Names, defaults and variables are those
 * of the README's table; what each option does is tried by its effect.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { renderSkills } from "../mini-host/index.js";
import { eventOf, watch } from "./events.js";
import { scripted } from "./fetches.js";
import { numbered, server, skillList } from "./inventory.js";
import { linesOf } from "./logs.js";
import { shown } from "./reading.js";
import { KEY, folder, stage } from "./stage.js";

/** @import { TestContext } from "node:test" */
/** @import { Wishes } from "./stage.js" */

const SERVERS = [server("desk", ["add", "drop"]), server("notes", ["find"])];
const SKILLS = skillList(["forms", "captions"]);
const SYSTEM = [String(renderSkills(SKILLS))];
const HALF = { otherwise: 0.5 };

/** @param {TestContext} t @param {Wishes} [wishes] */
async function prompted(t, wishes) {
  const made = await stage(t, { servers: SERVERS, skills: SKILLS, scores: HALF, ...wishes });
  const { after } = await made.host.prompt("Go on");
  return { ...made, left: shown(after) };
}

/**
 * How each option shows in what the plugin does.
 * @type {Record<string, (t: TestContext, wishes: Wishes) => Promise<unknown>>}
 */
const EFFECTS = {
  jev_api_key: async (t, wishes) => (await prompted(t, wishes)).jev.requests[0]?.headers.authorization,
  jev_endpoint: async (t, wishes) => {
    const fetch = scripted(HALF);
    await prompted(t, { ...wishes, parts: { fetch } });
    return fetch.calls[0]?.url;
  },
  jev_model: async (t, wishes) => (await prompted(t, wishes)).asked()[0]?.model,
  jev_confidence_threshold: async (t, wishes) => (await prompted(t, wishes)).left.skills.length,
  jev_phase1_threshold: async (t, wishes) => Object.keys((await prompted(t, wishes)).left.namespaces).length,
  jev_timeout_ms: async (t, wishes) => (await prompted(t, { ...wishes, jev: { latency: 150 } })).left.skills.length,
  debug_mode: async (t, wishes) => (await prompted(t, wishes)).printed.length > 0,
  warmup_on_load: async (t, wishes) => {
    const { jev } = await stage(t, wishes);
    await sleep(100);
    return jev.requests.length;
  },
  failure_cooldown_ms: async (t, wishes) => {
    const { host, jev } = await stage(t, { servers: SERVERS, ...wishes, jev: { status: 400 } });
    await host.prompt("One");
    await host.prompt("Two");
    return jev.requests.length;
  },
};

/** Name, its value and what that does, a variable and what its value does. @type {[keyof typeof EFFECTS, unknown, unknown, string, string, unknown][]} */
const BOTH_WAYS = [
  ["jev_api_key", "sk-option", "Bearer sk-option", "JEV_API_KEY", "sk-env", "Bearer sk-env"],
  ["jev_api_key", "sk-option", "Bearer sk-option", "TYPESAFE_API_KEY", "sk-env", "Bearer sk-env"],
  [
    "jev_endpoint",
    "https://option.example/s",
    "https://option.example/s",
    "JEV_URL",
    "https://env.example/s",
    "https://env.example/s",
  ],
  [
    "jev_endpoint",
    "https://option.example/s",
    "https://option.example/s",
    "JEV_ENDPOINT",
    "https://env.example/s",
    "https://env.example/s",
  ],
  ["jev_model", "jev-option", "jev-option", "JEV_MODEL", "jev-env", "jev-env"],
  ["jev_confidence_threshold", 0.4, 2, "JEV_CONFIDENCE_THRESHOLD", "0.6", 0],
  ["jev_phase1_threshold", 0.4, 2, "JEV_PHASE1_THRESHOLD", "0.6", 0],
  ["jev_timeout_ms", 2000, 0, "JEV_TIMEOUT_MS", "50", 2],
  ["debug_mode", true, true, "JEV_PRUNER_DEBUG", "0", false],
  ["debug_mode", false, false, "JEV_PRUNER_DEBUG", "1", true],
  ["warmup_on_load", true, 1, "JEV_WARMUP", "false", 0],
  ["warmup_on_load", false, 0, "JEV_WARMUP", "true", 1],
  ["failure_cooldown_ms", 60_000, 1, "JEV_FAILURE_COOLDOWN_MS", "0", 2],
  ["failure_cooldown_ms", 0, 2, "JEV_FAILURE_COOLDOWN_MS", "60000", 1],
];

/** What the stage gives besides, and must not where the variable is to count. @type {Record<string, Record<string, undefined>>} */
const UNSET = {
  jev_api_key: { jev_api_key: undefined },
  jev_endpoint: { jev_endpoint: undefined },
  jev_timeout_ms: { jev_timeout_ms: undefined },
};

for (const [name, value, byOption, variable, text, byVariable] of BOTH_WAYS) {
  const effect = /** @type {(typeof EFFECTS)[string]} */ (EFFECTS[name]);
  const camel = name.replaceAll(/_(.)/g, (_, letter) => letter.toUpperCase());

  describe(`${name} and ${variable}=${text}`, () => {
    test("the option counts", async (t) => {
      assert.equal(await effect(t, { options: { ...UNSET[name], [name]: value } }), byOption);
    });

    test("the option counts in camelCase", async (t) => {
      assert.equal(await effect(t, { options: { ...UNSET[name], [camel]: value } }), byOption);
    });

    test("the variable counts", async (t) => {
      assert.equal(await effect(t, { options: UNSET[name], env: { [variable]: text } }), byVariable);
    });

    test("the option beats the variable", async (t) => {
      const wishes = { options: { ...UNSET[name], [name]: value }, env: { [variable]: text } };
      assert.equal(await effect(t, wishes), byOption);
    });
  });
}

describe("of two variables the one named first counts:", () => {
  test("JEV_API_KEY", async (t) => {
    const env = { TYPESAFE_API_KEY: "sk-second", JEV_API_KEY: "sk-first" };
    assert.equal(await EFFECTS.jev_api_key?.(t, { options: { jev_api_key: undefined }, env }), "Bearer sk-first");
  });

  test("JEV_URL", async (t) => {
    const env = { JEV_ENDPOINT: "https://second.example/s", JEV_URL: "https://first.example/s" };
    assert.equal(
      await EFFECTS.jev_endpoint?.(t, { options: { jev_endpoint: undefined }, env }),
      "https://first.example/s",
    );
  });
});

test("JEV_PRUNER_DEBUG_LOG names the log", async (t) => {
  const file = join(folder(t), "debug.log");
  await prompted(t, { env: { JEV_PRUNER_DEBUG_LOG: file } });
  assert.equal((await linesOf(file, 2)).length, 2);
});

describe("by default", () => {
  test("the endpoint is OpenCode's gateway", async (t) => {
    const address = "https://opencode.ai/inference/systemone/v1/systemone";
    assert.equal(await EFFECTS.jev_endpoint?.(t, { options: { jev_endpoint: undefined } }), address);
  });

  for (const [name, effect] of /** @type {[keyof typeof EFFECTS, unknown][]} */ ([
    ["jev_model", "jev-1.13"],
    ["debug_mode", false],
    ["warmup_on_load", 0],
    ["failure_cooldown_ms", 2],
  ])) {
    test(`${name} does what is promised`, async (t) => {
      assert.equal(await EFFECTS[name]?.(t, {}), effect);
    });
  }

  for (const [latency, left] of /** @type {const} */ ([
    [400, 0],
    [1300, 2],
  ])) {
    test(`a request may take 900 ms: ${latency} are ${left ? "too many" : "not too many"}`, async (t) => {
      const { context } = await stage(t, { options: { jev_timeout_ms: undefined }, jev: { latency } });
      const event = eventOf({ system: SYSTEM });
      await context(event);
      assert.equal(shown(event).skills.length, left);
    });
  }

  test("nothing is warned of", async (t) => {
    assert.deepEqual((await prompted(t)).warned, []);
  });
});

describe("without a key", () => {
  const none = { jev_api_key: undefined };

  test("there is one warning, at setup, that names option and variable", async (t) => {
    const { warned } = await stage(t, { options: none });
    assert.equal(warned.length, 1);
    assert.match(String(warned[0]), /jev_api_key/);
    assert.match(String(warned[0]), /JEV_API_KEY/);
  });

  test("requests stay as they are", async (t) => {
    const { host } = await stage(t, { servers: SERVERS, skills: SKILLS, options: none });
    assert.deepEqual((await host.prompt("Go on")).touched, { system: false, messages: false, tools: false });
  });

  test("Jev is not asked, nor warmed up", async (t) => {
    const { host, jev } = await stage(t, { servers: SERVERS, options: { ...none, warmup_on_load: true } });
    await host.prompt("Go on");
    await sleep(30);
    assert.equal(jev.requests.length, 0);
  });

  for (const blank of ["", "  "]) {
    test(`is also with ${JSON.stringify(blank)} in the environment`, async (t) => {
      const { warned } = await stage(t, { options: none, env: { JEV_API_KEY: blank } });
      assert.equal(warned.length, 1);
    });
  }
});

describe("a bad value is one warning at setup, with name, problem and the value used:", () => {
  for (const [name, value, ...parts] of /** @type {[string, unknown, ...RegExp[]][]} */ ([
    ["jev_endpoint", "not a url", /opencode\.ai/],
    ["jev_endpoint", "ftp://host/x", /opencode\.ai/],
    ["jev_endpoint", "https://", /opencode\.ai/],
    ["jev_endpoint", 5, /5/, /opencode\.ai/],
    ["jev_model", "", /jev-1\.13/],
    ["jev_model", 5, /5/, /jev-1\.13/],
    ["jev_confidence_threshold", 1.5, /1\.5/, /0\.55/],
    ["jev_confidence_threshold", -0.1, /-0\.1/, /0\.55/],
    ["jev_confidence_threshold", "high", /high/, /0\.55/],
    ["jev_confidence_threshold", NaN, /NaN/, /0\.55/],
    ["jev_phase1_threshold", 2, /2/, /0\.35/],
    ["jev_phase1_threshold", [], /0\.35/],
    ["jev_timeout_ms", -5, /-5/, /900/],
    ["jev_timeout_ms", "soon", /soon/, /900/],
    ["jev_timeout_ms", NaN, /NaN/, /900/],
    ["jev_timeout_ms", Infinity, /900/],
    ["jev_timeout_ms", () => 5, /function/, /900/],
    ["jev_timeout_ms", 5n, /900/],
    ["jev_timeout_ms", Symbol("x"), /900/],
    ["enable_two_phase_gating", "yes", /yes/, /true/],
    ["enable_two_phase_gating", 0, /0/, /true/],
    ["always_include_skills", "forms", /list/, /core_system_skill/],
    ["always_include_skills", [1], /1/, /core_system_skill/],
    ["always_include_tools", { a: 1 }, /list/, /\[\]/],
    ["always_include_servers", true, /true/, /opencode/],
    ["prune_mcp_tools", "no", /no/, /true/],
    ["prune_skills", [], /true/],
    ["debug_mode", "on", /on/, /false/],
    ["debug_log_file", 3, /3/],
    ["warmup_on_load", 1, /1/, /false/],
    ["failure_cooldown_ms", -1, /-1/, /0/],
    ["max_questions_per_request", 0, /0/, /100/],
    ["max_questions_per_request", 2.5, /2\.5/, /100/],
    ["max_description_chars", -1, /-1/, /400/],
    ["max_prompt_chars", "all", /all/, /6000/],
    ["cache_ttl_ms", -1, /-1/, /600000/],
  ])) {
    test(`${name}: ${typeof value === "string" ? JSON.stringify(value) : String(value)}`, async (t) => {
      const { warned } = await stage(t, { options: { [name]: value } });
      assert.equal(warned.length, 1, warned.join("\n"));
      for (const part of [new RegExp(name), ...parts]) assert.match(String(warned[0]), part);
    });
  }

  for (const [variable, text, name, used] of /** @type {[string, string, RegExp, RegExp][]} */ ([
    ["JEV_URL", "not a url", /JEV_URL|jev_endpoint/, /opencode\.ai/],
    ["JEV_CONFIDENCE_THRESHOLD", "high", /JEV_CONFIDENCE_THRESHOLD|jev_confidence_threshold/, /0\.55/],
    ["JEV_PHASE1_THRESHOLD", "7", /JEV_PHASE1_THRESHOLD|jev_phase1_threshold/, /0\.35/],
    ["JEV_TIMEOUT_MS", "1s", /JEV_TIMEOUT_MS|jev_timeout_ms/, /900/],
    ["JEV_TIMEOUT_MS", "NaN", /JEV_TIMEOUT_MS|jev_timeout_ms/, /900/],
    ["JEV_TIMEOUT_MS", "inf", /JEV_TIMEOUT_MS|jev_timeout_ms/, /900/],
    ["JEV_PRUNER_DEBUG", "maybe", /JEV_PRUNER_DEBUG|debug_mode/, /false/],
    ["JEV_WARMUP", "maybe", /JEV_WARMUP|warmup_on_load/, /false/],
    ["JEV_FAILURE_COOLDOWN_MS", "-1", /JEV_FAILURE_COOLDOWN_MS|failure_cooldown_ms/, /0/],
  ])) {
    test(`${variable}=${text}`, async (t) => {
      const { warned } = await stage(t, {
        options: { jev_endpoint: undefined, jev_timeout_ms: undefined },
        env: { [variable]: text },
      });
      assert.equal(warned.length, 1, warned.join("\n"));
      assert.match(String(warned[0]), name);
      assert.match(String(warned[0]), used);
    });
  }

  test("two of them are two warnings", async (t) => {
    assert.equal((await stage(t, { options: { jev_timeout_ms: -1, jev_model: 5 } })).warned.length, 2);
  });

  test("and the request is pruned all the same", async (t) => {
    const { left } = await prompted(t, { options: { jev_confidence_threshold: "high", max_prompt_chars: NaN } });
    assert.deepEqual(left.skills, []);
  });

  test("and nothing more is said at the first request", async (t) => {
    assert.equal((await prompted(t, { options: { jev_confidence_threshold: "high" } })).warned.length, 1);
  });
});

describe("a good value at the edge of its range is taken without a word:", () => {
  for (const [name, value] of /** @type {[string, unknown][]} */ ([
    ["jev_confidence_threshold", 0],
    ["jev_confidence_threshold", 1],
    ["jev_phase1_threshold", 0],
    ["jev_phase1_threshold", 1],
    ["failure_cooldown_ms", 0],
    ["cache_ttl_ms", 0],
    ["max_questions_per_request", 1],
    ["always_include_servers", []],
    ["jev_endpoint", "http://localhost:1/s"],
    ["jev_endpoint", "http://[::1]:1/s"],
    ["jev_endpoint", "http://127.0.0.1:1/s"],
  ])) {
    test(`${name}: ${JSON.stringify(value)}`, async (t) => {
      assert.deepEqual((await stage(t, { options: { [name]: value } })).warned, []);
    });
  }
});

describe("an unknown name is one warning at setup", () => {
  for (const [name, meant] of [
    ["jev_timout_ms", "jev_timeout_ms"],
    ["jev_api_kye", "jev_api_key"],
    ["alwaysIncludeSkill", "always_include_skills"],
    ["prune_skill", "prune_skills"],
    ["JEV_MODEL", "jev_model"],
    ["debugmode", "debug_mode"],
    ["max_question_per_request", "max_questions_per_request"],
  ]) {
    test(`that tells what ${name} probably meant`, async (t) => {
      const { warned } = await stage(t, { options: { [String(name)]: 1 } });
      assert.equal(warned.length, 1);
      assert.ok(warned[0]?.includes(`\`${name}\``) && warned[0].includes(`\`${meant}\``), warned[0]);
    });
  }

  test("that guesses nothing when the name is like none", async (t) => {
    const { warned } = await stage(t, { options: { colour: "red" } });
    assert.equal(warned.length, 1);
    assert.match(String(warned[0]), /`colour`/);
    assert.doesNotMatch(String(warned[0]), /did you mean/i);
  });
});

describe("plain http to anything but loopback", () => {
  for (const address of [
    "http://jev.example/s",
    "http://10.0.0.7/s",
    "http://localhost.example/s",
    "HTTP://jev.example/s",
  ]) {
    test(`is one warning: ${address}`, async (t) => {
      const { warned } = await stage(t, { options: { jev_endpoint: address } });
      assert.equal(warned.length, 1);
      assert.match(String(warned[0]), /jev_endpoint/);
    });
  }

  test("is used all the same", async (t) => {
    assert.equal(
      await EFFECTS.jev_endpoint?.(t, { options: { jev_endpoint: "http://jev.example/s" } }),
      "http://jev.example/s",
    );
  });
});

describe("options that are none", () => {
  for (const options of [undefined, null, "text", 5, [], () => {}]) {
    test(`do not stop the plugin: ${options === undefined ? "nothing" : (JSON.stringify(options) ?? "a function")}`, async (t) => {
      const env = { JEV_API_KEY: KEY };
      const fetch = scripted(HALF);
      const { context } = await stage(t, { env, parts: { fetch }, ctx: (ctx) => ({ ...ctx, options }) });
      const event = eventOf({ system: [String(renderSkills(skillList(numbered(20, "skill"))))] });
      await context(event);
      assert.deepEqual(shown(event).skills, []);
    });
  }
});

test("a host without session hooks is left alone, with one warning", async (t) => {
  const event = eventOf({ system: SYSTEM });
  const unchanged = watch(event);
  const { host, warned } = await stage(t, { ctx: ({ session, ...ctx }) => ({ ...ctx, session: session && {} }) });
  await host.prompt("Go on");
  unchanged();
  assert.equal(warned.length, 1);
});
