/**
 * Tells valid System One requests from others, and how refusals look (jev-api.md §1 "Request", "Errors" and "Limits").
 * Which answer a question deserves is not decided here.
 */

/** @import { Question } from "./scoring.js" */
/** @typedef {{ model: string, state: unknown, questions: Record<string, Question>, tokens: number }} Request */

const LONGEST_REQUEST = 64_000;
/** Of the state and the longest single question. */
const LONGEST_QUESTION = 32_000;
const CHARACTERS_PER_TOKEN = 3;

/** An error reply, thrown on the way. */
export class Refusal extends Error {
  /**
   * @param {number} status
   * @param {unknown} body
   * @param {Record<string, string>} [headers]
   */
  constructor(status, body, headers = {}) {
    super(`refused with ${status}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** @param {number} status @param {string} type @param {string} [message] some refusals come without one */
const typed = (status, type, message) =>
  new Refusal(status, { detail: { error_type: type, ...(message && { message }) } });

/**
 * FastAPI's form.
 * @param {Array<string | number>} path
 * @param {string} type
 * @param {string} msg
 * @param {unknown} [input]
 */
const invalid = (path, type, msg, input = null) =>
  new Refusal(422, { detail: [{ type, loc: ["body", ...path], msg, input }] });

export const notFound = () => new Refusal(404, { detail: "Not Found" });
export const wrongMethod = () => new Refusal(405, { detail: "Method Not Allowed" }, { Allow: "POST" });

/**
 * @param {string | undefined} authorization
 * @param {string | undefined} key left out, any will do
 */
export function checkKey(authorization, key) {
  if (!/^Bearer \S/.test(authorization ?? "")) throw typed(403, "authentication_error", "No API key was given.");
  if (key !== undefined && authorization !== `Bearer ${key}`) throw typed(401, "authentication_error", "This API key is not known.");
}

/**
 * The refusal that belongs to a status somebody asked for.
 * @param {number} status
 */
export function refusalOf(status) {
  switch (status) {
    case 400:
      return typed(400, "api_usage_error", "This request cannot be served.");
    case 401:
      return typed(401, "authentication_error", "This API key is not known.");
    case 403:
      return typed(403, "authentication_error", "No API key was given.");
    case 404:
      return notFound();
    case 422:
      return invalid(["questions"], "value_error", "Not what was expected");
    case 429:
      return new Refusal(
        429,
        { detail: { error_type: "rate_limit_error", message: "Too many requests." } },
        { "Retry-After": "1" },
      );
    case 529:
      return typed(529, "overloaded_error", "Busy. Try again shortly.");
    default:
      return new Refusal(status, { detail: `Status ${status}` });
  }
}

/**
 * @param {string} text the body
 * @returns {Request}
 */
export function readRequest(text) {
  const body = parse(text);
  if (!isRecord(body)) throw invalid([], "model_attributes_type", "Not an object", body);
  for (const field of ["model", "state", "questions"]) {
    if (!(field in body)) throw invalid([field], "missing", "Field required", body);
  }
  const { model, state, questions } = body;
  if (typeof model !== "string") throw invalid(["model"], "string_type", "Not a string", model);
  if (!isText(state)) throw invalid(["state"], "string_type", "Neither a string nor an object nor a list", state);
  if (!isRecord(questions)) throw invalid(["questions"], "dict_type", "Not an object", questions);
  if (Object.keys(questions).length === 0)
    throw invalid(["questions"], "too_short", "No question was asked", questions);
  for (const [id, question] of Object.entries(questions)) checkQuestion(id, question);
  if (!model.startsWith("jev-")) throw typed(400, "api_usage_error", `Unknown model: ${model}`);
  const asked = /** @type {Record<string, Question>} */ (questions);
  return { model, state, questions: asked, tokens: checkLength(state, Object.values(asked)) };
}

/** @param {string} text */
function parse(text) {
  try {
    return /** @type {unknown} */ (JSON.parse(text));
  } catch (error) {
    throw invalid([], "json_invalid", `Not JSON: ${/** @type {Error} */ (error).message}`);
  }
}

/**
 * @param {string} id
 * @param {unknown} question
 */
function checkQuestion(id, question) {
  const place = ["questions", id];
  if (id === "") throw invalid(place, "string_too_short", "An id cannot be empty", id);
  if (!isRecord(question)) throw invalid(place, "model_attributes_type", "Not an object", question);
  const { type, instructions, criteria } = question;
  if (type === undefined) throw invalid(place, "union_tag_not_found", "The type is missing", question);
  const check = typeof type === "string" && Object.hasOwn(CRITERIA, type) ? CRITERIA[type] : undefined;
  // Also a capitalised one, which is the commonest mistake.
  if (!check) throw typed(400, "api_usage_error", `Unknown question type: ${JSON.stringify(type)}`);
  if (instructions === undefined && type === "noul")
    throw invalid([...place, "instructions"], "missing", "Field required", question);
  if (instructions !== undefined && !isText(instructions)) {
    throw invalid([...place, "instructions"], "string_type", "Neither a string nor an object nor a list", instructions);
  }
  const complaint = check(criteria);
  if (complaint) throw invalid([...place, "criteria"], "value_error", complaint, criteria);
}

/**
 * What is wrong with the criteria of each type of question, if anything.
 * @type {Record<string, (criteria: unknown) => string | undefined>}
 */
const CRITERIA = {
  noul: (criteria) => {
    if (criteria === undefined || criteria === null) return undefined;
    if (!isRecord(criteria)) return "Not an object";
    if (Object.keys(criteria).some((side) => side !== "true" && side !== "false"))
      return "The sides are true and false";
    return Object.values(criteria).every(isText) ? undefined : "A side is neither a string nor an object nor a list";
  },
  choice: (criteria) => {
    if (!isRecord(criteria)) return "Not an object";
    const options = Object.values(criteria);
    if (options.length < 2 || options.length > 255) return "A choice has 2 to 255 options";
    return options.every((option) => option === null || isText(option))
      ? undefined
      : "An option is told by text or null";
  },
  score: (criteria) => {
    if (!Array.isArray(criteria)) return "Not a list";
    if (criteria.length < 2 || criteria.length > 10) return "A score has 2 to 10 levels";
    return criteria.every(isText) ? undefined : "A level is told by text";
  },
};

/**
 * Ids are not sent to the model and cost nothing.
 * @param {unknown} state
 * @param {Question[]} questions
 */
function checkLength(state, questions) {
  const own = tokensOf(state);
  const each = questions.map(({ instructions, criteria }) => tokensOf(instructions) + tokensOf(criteria));
  const total = each.reduce((sum, tokens) => sum + tokens, own);
  // Without a message, as the service often sends it.
  if (total > LONGEST_REQUEST || own + Math.max(...each) > LONGEST_QUESTION) throw typed(400, "max_tokens_exceeded");
  return total;
}

/**
 * Coarse, but on the safe side for English.
 * @param {unknown} value
 */
function tokensOf(value) {
  if (value === undefined || value === null) return 0;
  return Math.ceil((typeof value === "string" ? value : JSON.stringify(value)).length / CHARACTERS_PER_TOKEN);
}

/** @param {unknown} value */
const isText = (value) => typeof value === "string" || (typeof value === "object" && value !== null);

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
