//! The module as JavaScript sees it: what `prune` does to an event, and when it leaves it alone. Run in Node
//! by `wasm-pack test --node`.

#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use js_sys::{Array, Function, Object, Promise, Reflect};
use opencode_jev_pruner::wasm::{forget_session, pruning, remember_prompt, resolve_options};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test;

/// The value of a JavaScript expression.
fn js(expression: &str) -> JsValue {
    Function::new_no_args(&format!("return {expression}")).call0(&JsValue::UNDEFINED).unwrap()
}

/// `object.a.b[0]` for the path `a.b.0`.
fn at(object: &JsValue, path: &str) -> JsValue {
    path.split('.').fold(object.clone(), |value, key| Reflect::get(&value, &key.into()).unwrap())
}

fn text_at(object: &JsValue, path: &str) -> String {
    at(object, path).as_string().unwrap()
}

fn number_at(object: &JsValue, path: &str) -> f64 {
    at(object, path).as_f64().unwrap()
}

fn keys(object: &JsValue) -> Vec<String> {
    Object::keys(object.unchecked_ref::<Object>()).iter().filter_map(|key| key.as_string()).collect()
}

const SKILL_HINT: &str =
    "\nMore skills are installed than are listed here; the skill tool loads any of them by its id.";

/// A skill list between other text, and what is told behind it.
fn skills(ids: &[&str], hint: &str) -> String {
    let description = "Prüft die Größe — 😀. ".repeat(10);
    let skill = |id: &&str| {
        format!("\n  <skill>\n    <id>{id}</id>\n    <description>{description}</description>\n  </skill>")
    };
    let skills: String = ids.iter().map(skill).collect();
    format!("Fähigkeiten 😀:\n<available_skills>{skills}\n</available_skills>{hint}\n\nEnde — 😀")
}

/// The list after only the first skill has passed.
fn pruned_skills() -> String {
    skills(&["forms"], SKILL_HINT)
}

/// An event with a prompt, a catalog with one server, native tools of another one, and three skills. Each
/// session is another one, so that no answer is known.
fn event(session: &str) -> JsValue {
    let system = skills(&["forms", "notes", "größe"], "");
    let list = "## Available tools (COMPLETE list - all)\n\n\
                - desk (2 tools)\n  - tools.desk.add(): Promise<unknown> // Fügt 😀 hinzu\n  \
                - tools.desk.list(): Promise<unknown>\n\nEnde";
    let event = js(r#"({
        system: [{ type: "text", text: "Base" }, { type: "text", text: "", cache: { type: "x" } }],
        messages: [
            { id: "msg_1", role: "user", metadata: {}, content: [{ type: "text", text: "Füge es hinzu" }] },
        ],
        tools: {
            read: { description: "Reads", input: {} },
            execute: { description: "", input: { type: "object" } },
            desk_send: { description: "Sends", input: {} },
            bash: { description: "Runs", input: {} },
        },
    })"#);
    let set =
        |path: &str, key: &str, value: &str| Reflect::set(&at(&event, path), &key.into(), &value.into());
    set("system.1", "text", &system).unwrap();
    set("tools.execute", "description", list).unwrap();
    Reflect::set(&event, &"sessionID".into(), &session.into()).unwrap();
    event
}

/// A module of the shim as an expression: an object of what it exports. `given` declares what it imports.
fn module(source: &str, given: &str) -> String {
    let lines = source.lines().filter(|line| !line.starts_with("import "));
    let exported = |line: &str| {
        let declared = line.strip_prefix("export ")?.trim_start_matches("async ");
        let name = declared.trim_start_matches("function ").trim_start_matches("const ");
        Some(name.split(['(', ' ']).next()?.to_string())
    };
    let exports: Vec<String> = lines.clone().filter_map(exported).collect();
    let body: String =
        lines.map(|line| format!("{}\n", line.strip_prefix("export ").unwrap_or(line))).collect();
    format!("(() => {{ {given} {body} return {{ {} }} }})()", exports.join(", "))
}

/// `prune` of the shim.
fn shim() -> Function {
    let values = module(include_str!("../../js-shim/values.js"), "");
    let lists = module(include_str!("../../js-shim/encoded-list.js"), "const { isText } = values;");
    let all =
        "const { isObject, isText, json, list } = values; const { encode, fieldsOf, withoutNul } = lists;";
    let conversation = module(include_str!("../../js-shim/conversation.js"), all);
    let given = format!("{all} const {{ outlineConversation, redraw }} = conversation;");
    let event = module(include_str!("../../js-shim/event.js"), &given);
    let given = "const { changeEvent, forgetKnown, readEvent } = event;";
    let prune = module(include_str!("../../js-shim/prune.js"), given);
    let declared = [("values", values), ("lists", lists), ("conversation", conversation), ("event", event)];
    let declared: String =
        declared.iter().map(|(name, module)| format!("const {name} = {module};\n")).collect();
    js(&format!("(() => {{ {declared} return {prune}.prune }})()")).unchecked_into()
}

/// The module's exports, as the shim sees them.
fn core() -> JsValue {
    let prune = Closure::<dyn Fn(JsValue, JsValue) -> Result<JsValue, JsValue>>::new(|snapshot, call| {
        pruning::prune(snapshot, call).map(JsValue::from)
    });
    let core = Object::new();
    Reflect::set(&core, &"prune".into(), &prune.into_js_value()).unwrap();
    core.into()
}

thread_local! {
    static SHIM: (Function, JsValue) = (shim(), core());
}

/// Prunes as the shim does; the promise is of the report.
fn prune(event: JsValue, host: JsValue) -> Promise {
    SHIM.with(|(prune, core)| prune.call3(&JsValue::UNDEFINED, core, &event, &host)).unwrap().into()
}

/// What the shim lends, with a Jev that gives these answers: `{ add: 0.9 }` is the answer to every question
/// that names "add" in quotes, and 0 is the answer to all others. Bodies are kept in `asked`.
fn lent(answers: &str) -> JsValue {
    js(&format!(
        r#"(() => {{
            const asked = [], answers = {answers};
            const named = (text) => Object.keys(answers).find((name) => text.includes(`"${{name}}"`));
            const noul = (text) => answers[named(text)] ?? 0;
            const ask = async (body) => {{
                asked.push(body);
                const questions = Object.entries(JSON.parse(body).questions);
                const given = questions.map(([id, {{ instructions }}]) => [id, {{ noul: noul(instructions) }}]);
                return {{ status: 200, body: JSON.stringify({{ answers: Object.fromEntries(given) }}) }};
            }};
            return {{ asked, ask, now: () => 1000, config: {{ min_saving_chars: 0 }} }};
        }})()"#
    ))
}

fn with_ask(ask: &str) -> JsValue {
    js(&format!("({{ ask: {ask}, now: () => 1000 }})"))
}

/// Prunes and returns the report.
async fn pruned(event: &JsValue, lent: &JsValue) -> JsValue {
    JsFuture::from(prune(event.clone(), lent.clone())).await.unwrap()
}

/// A picture of an event that shows identities: a list of every object in it.
fn objects_of(event: &JsValue) -> Array {
    let walk = js("(function walk(value) {
        const inner = value && typeof value === 'object' ? Object.values(value) : [];
        return [value, ...inner.flatMap(walk)];
    })");
    walk.unchecked_into::<Function>().call1(&JsValue::UNDEFINED, event).unwrap().into()
}

/// An event is left as it was when all its values are the same objects, with the same texts and keys.
async fn is_left_alone(event: &JsValue, lent: &JsValue) -> bool {
    let (before, written) = (objects_of(event), js_sys::JSON::stringify(event).unwrap());
    let report = pruned(event, lent).await;
    assert_eq!(at(&report, "applied"), JsValue::FALSE);
    let after = objects_of(event);
    let is_same = |index: u32| Object::is(&before.get(index), &after.get(index));
    js_sys::JSON::stringify(event).unwrap() == written
        && before.length() == after.length()
        && (0..before.length()).all(is_same)
}

#[wasm_bindgen_test]
async fn an_event_is_pruned() {
    let event = event("pruned");
    let report = pruned(&event, &lent("{ add: 0.9, forms: 0.9 }")).await;
    assert_eq!(at(&report, "applied"), JsValue::TRUE);
    assert_eq!(text_at(&event, "system.1.text"), pruned_skills());
    assert_eq!(keys(&at(&event, "tools")), ["read", "execute", "bash"]);
    assert_eq!(
        text_at(&event, "tools.execute.description"),
        "## Available tools (PARTIAL - 1 of 2 shown; find the rest with search(...))\n\n\
         - desk (2 tools, 1 shown)\n  - tools.desk.add(): Promise<unknown> // Fügt 😀 hinzu\n\nEnde"
    );
}

#[wasm_bindgen_test]
async fn fields_of_the_event_get_new_objects_and_the_old_ones_stay_as_they_were() {
    let event = event("fields");
    let [system, part, execute] = ["system", "system.1", "tools.execute"].map(|path| at(&event, path));
    let written = [&system, &part, &execute].map(|object| js_sys::JSON::stringify(object).unwrap());
    pruned(&event, &lent("{}")).await;
    for (path, before) in [("system", &system), ("system.1", &part), ("tools.execute", &execute)] {
        assert!(!Object::is(&at(&event, path), before), "{path}");
    }
    assert_eq!([&system, &part, &execute].map(|object| js_sys::JSON::stringify(object).unwrap()), written);
}

#[wasm_bindgen_test]
async fn what_is_not_touched_keeps_its_identity() {
    let event = event("identity");
    let paths = [
        "messages",
        "messages.0",
        "system.0",
        "system.1.cache",
        "tools",
        "tools.read",
        "tools.execute.input",
    ];
    let before = paths.map(|path| at(&event, path));
    pruned(&event, &lent("{}")).await;
    for (path, before) in paths.iter().zip(&before) {
        assert!(Object::is(&at(&event, path), before), "{path}");
    }
}

#[wasm_bindgen_test]
async fn a_system_message_is_pruned_and_one_that_becomes_empty_goes() {
    let event = event("messages");
    let list = "New skills are available in addition to those previously listed:\n  \
                <skill>\n    <id>neu</id>\n  </skill>";
    let message = |text: &str| {
        let message = js(r#"({ id: "msg_s", role: "system", content: [{ type: "text" }], native: 1 })"#);
        Reflect::set(&at(&message, "content.0"), &"text".into(), &text.into()).unwrap();
        message
    };
    let messages: Array = at(&event, "messages").into();
    messages.unshift(&message(list));
    messages.push(&message(&format!("Neu 😀\n\n{list}")));
    pruned(&event, &lent("{}")).await;
    assert_eq!(number_at(&event, "messages.length"), 2.0);
    assert_eq!(text_at(&event, "messages.0.id"), "msg_1");
    assert_eq!(text_at(&event, "messages.1.content.0.text"), "Neu 😀");
    assert_eq!(number_at(&event, "messages.1.native"), 1.0);
}

#[wasm_bindgen_test]
async fn a_text_with_lone_surrogates_is_pruned_around_them() {
    let whole = event("whole");
    let broken = event("broken");
    let lone = |text: &JsValue| {
        js("'\\ud83d'").unchecked_into::<js_sys::JsString>().concat(text).concat(&js("' \\ude00'"))
    };
    Reflect::set(&at(&broken, "system.1"), &"text".into(), &lone(&at(&broken, "system.1.text"))).unwrap();
    for event in [&whole, &broken] {
        assert_eq!(at(&pruned(event, &lent("{}")).await, "applied"), JsValue::TRUE);
    }
    assert!(Object::is(&at(&broken, "system.1.text"), &lone(&at(&whole, "system.1.text"))));
}

#[wasm_bindgen_test]
async fn after_any_failure_the_event_is_as_it_was() {
    for (at, ask) in [
        "async () => ({ failure: 'timeout', message: 'too late' })",
        "async () => ({ status: 500, body: 'oops' })",
        "async () => ({ status: 200, body: '<html>' })",
        "async () => ({ status: 200, body: '{\"answers\":[]}' })",
        "async () => ({ something: 'else' })",
        "async () => undefined",
        "async () => { throw new Error('refused') }",
        "() => ({ status: '200' })",
        "() => { throw new Error('not even a promise') }",
    ]
    .iter()
    .enumerate()
    {
        let event = event(&format!("failure {at}"));
        assert!(is_left_alone(&event, &with_ask(ask)).await, "{ask}");
    }
}

#[wasm_bindgen_test]
async fn a_failure_is_told_in_the_report() {
    let event = event("told");
    let report = pruned(&event, &with_ask("async () => ({ failure: 'timeout', message: 'too late' })")).await;
    assert_eq!(text_at(&report, "errors.0.what"), "timeout");
    assert_eq!(text_at(&report, "errors.0.message"), "too late");
}

#[wasm_bindgen_test]
async fn without_a_prompt_nothing_is_asked_and_nothing_changes() {
    let event = event("promptless");
    Reflect::set(&event, &"messages".into(), &Array::new()).unwrap();
    let lent = lent("{}");
    assert!(is_left_alone(&event, &lent).await);
    assert_eq!(number_at(&lent, "asked.length"), 0.0);
}

#[wasm_bindgen_test]
async fn a_frozen_tools_map_leaves_the_event_alone() {
    let event = event("frozen");
    Object::freeze(at(&event, "tools").unchecked_ref::<Object>());
    let lent = lent("{}");
    assert!(is_left_alone(&event, &lent).await);
    assert_eq!(number_at(&lent, "asked.length"), 0.0);
}

#[wasm_bindgen_test]
async fn a_frozen_event_is_left_alone() {
    let event = event("frozen whole");
    Object::freeze(event.unchecked_ref::<Object>());
    assert!(is_left_alone(&event, &lent("{}")).await);
}

#[wasm_bindgen_test]
async fn an_event_that_was_changed_while_jev_was_asked_is_left_alone() {
    let event = event("meanwhile");
    let promise = prune(event.clone(), lent("{}"));
    let others = js("[{ type: 'text', text: 'Of somebody else' }]");
    Reflect::set(&event, &"system".into(), &others).unwrap();
    let report = JsFuture::from(promise).await.unwrap();
    assert_eq!(at(&report, "applied"), JsValue::FALSE);
    assert!(Object::is(&at(&event, "system"), &others));
    assert_eq!(keys(&at(&event, "tools")).len(), 4);
}

#[wasm_bindgen_test]
async fn nothing_changes_before_every_answer_is_there() {
    let event = event("last step");
    let lent = lent("{}");
    let written = js_sys::JSON::stringify(&event).unwrap();
    let promise = prune(event.clone(), lent.clone());
    assert_eq!(js_sys::JSON::stringify(&event).unwrap(), written);
    JsFuture::from(promise).await.unwrap();
    assert_ne!(js_sys::JSON::stringify(&event).unwrap(), written);
}

#[wasm_bindgen_test]
async fn two_calls_for_the_same_share_one_run() {
    let (first, second) = (event("shared"), event("shared"));
    let lent = lent("{ forms: 0.9 }");
    let both = Array::of2(&prune(first.clone(), lent.clone()), &prune(second.clone(), lent.clone()));
    let reports = JsFuture::from(Promise::all(&both)).await.unwrap();
    assert_eq!(number_at(&lent, "asked.length"), 1.0);
    assert_eq!(text_at(&second, "system.1.text"), pruned_skills());
    assert_eq!(js_sys::JSON::stringify(&first).unwrap(), js_sys::JSON::stringify(&second).unwrap());
    assert_eq!(at(&reports, "1.stats.from_cache"), JsValue::TRUE);
}

#[wasm_bindgen_test]
async fn a_failure_is_shared_too() {
    let (first, second) = (event("shared failure"), event("shared failure"));
    let lent = with_ask("async () => ({ failure: 'network', message: 'refused' })");
    let shared = prune(first, lent.clone());
    assert!(is_left_alone(&second, &lent).await);
    JsFuture::from(shared).await.unwrap();
}

#[wasm_bindgen_test]
async fn a_known_answer_is_not_asked_for_again() {
    let lent = lent("{ forms: 0.9 }");
    pruned(&event("known"), &lent).await;
    let again = event("known");
    let report = pruned(&again, &lent).await;
    assert_eq!(number_at(&lent, "asked.length"), 1.0);
    assert_eq!(text_at(&again, "system.1.text"), pruned_skills());
    assert_eq!(at(&report, "stats.from_cache"), JsValue::TRUE);
    assert_eq!(number_at(&report, "stats.jev_calls"), 0.0);
}

#[wasm_bindgen_test]
async fn a_forgotten_session_is_asked_about_anew() {
    let lent = lent("{ forms: 0.9 }");
    pruned(&event("forgotten"), &lent).await;
    forget_session("forgotten");
    pruned(&event("forgotten"), &lent).await;
    assert_eq!(number_at(&lent, "asked.length"), 2.0);
}

#[wasm_bindgen_test]
async fn a_request_that_may_pass_is_sent_once_more() {
    let event = event("once more");
    let lent = js(r#"(() => {
        const limits = [];
        const ask = async (body, limit) => {
            limits.push(limit);
            return limits.length === 1 ? { status: 529, body: "" } : { status: 200, body: '{"answers":{}}' };
        };
        return { limits, ask, now: () => 1000 };
    })()"#);
    let report = pruned(&event, &lent).await;
    assert_eq!(number_at(&lent, "limits.length"), 2.0);
    assert!(number_at(&lent, "limits.1.delayMs") > 0.0);
    assert_eq!(number_at(&report, "stats.jev_calls"), 2.0);
    assert_eq!(at(&report, "errors"), JsValue::UNDEFINED);
}

#[wasm_bindgen_test]
async fn in_shadow_mode_the_report_is_full_and_the_event_as_it_was() {
    let event = event("shadow");
    let lent = lent("{}");
    Reflect::set(&lent, &"config".into(), &js("({ mode: 'shadow' })")).unwrap();
    assert!(is_left_alone(&event, &lent).await);
    let report = pruned(&event, &lent).await;
    assert_eq!(number_at(&report, "stats.skills.pruned"), 3.0);
}

#[wasm_bindgen_test]
async fn a_remembered_prompt_is_what_jev_is_told() {
    remember_prompt("msg_remembered".into(), "Wie getippt 😀".into(), 1000.0);
    let event = event("remembered");
    Reflect::set(&at(&event, "messages.0"), &"id".into(), &"msg_remembered".into()).unwrap();
    let lent = lent("{}");
    pruned(&event, &lent).await;
    let body = js_sys::JSON::parse(&text_at(&lent, "asked.0")).unwrap();
    assert_eq!(text_at(&body, "state"), "Wie getippt 😀");
}

#[wasm_bindgen_test]
async fn options_that_were_resolved_are_obeyed() {
    let resolved =
        resolve_options(&js("({ prune_skills: false, alwaysIncludeTools: ['desk_*'] })"), &js("({})"));
    let resolved = resolved.unwrap();
    let event = event("obeyed");
    let lent = lent("{}");
    Reflect::set(&lent, &"config".into(), &at(&resolved, "config")).unwrap();
    assert!(is_left_alone(&event, &lent).await);
    assert_eq!(number_at(&lent, "asked.length"), 0.0);
}

#[wasm_bindgen_test]
fn an_option_that_is_not_a_number_gives_one_warning() {
    let resolved = resolve_options(&js("({ jev_timeout_ms: NaN })"), &js("({})")).unwrap();
    assert_eq!(number_at(&resolved, "warnings.length"), 1.0);
    let warning = text_at(&resolved, "warnings.0");
    for part in ["jev_timeout_ms", "NaN", "900"] {
        assert!(warning.contains(part), "{part} in {warning}");
    }
    assert_eq!(number_at(&resolved, "config.jev_timeout_ms"), 900.0);
}

#[wasm_bindgen_test]
fn the_key_is_handed_on_apart_from_the_configuration() {
    let resolved = resolve_options(&js("({})"), &js("({ JEV_API_KEY: 'sk-secret' })")).unwrap();
    assert_eq!(text_at(&resolved, "apiKey"), "sk-secret");
    let config = js_sys::JSON::stringify(&at(&resolved, "config")).unwrap();
    assert!(!String::from(config).contains("sk-secret"));
}

#[wasm_bindgen_test]
fn options_of_any_kind_never_throw() {
    for given in
        ["undefined", "null", "5", "'x'", "[]", "() => 1", "Symbol()", "({ jev_model: Symbol() })", "10n"]
    {
        assert!(resolve_options(&js(given), &js("({})")).is_ok(), "{given}");
    }
}
