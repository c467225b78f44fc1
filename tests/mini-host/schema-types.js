/**
 * Renders a JSON schema as the TypeScript text that stands in Code Mode signatures: multi-line objects, two spaces
 * a level, what a type cannot say as a doc comment above the property (opencode-host.md §6.1). Paths, arguments and
 * the `// description` behind a signature belong to catalog.js.
 *
 *     {                                     a property's comment and line are indented by the depth of the schema,
 *       /** How many. @default 10 *\/       and `Array<`, a union's member and an index type each count as one level
 *       count?: number,
 *       rows: Array<{
 *           id: string,
 *         }>,
 *     }
 *
 * Not rendered as the host does: number schemas that spell out `NaN` and `Infinity`, which only its own tools have.
 */

import { isIdentifier } from "./names.js";

/** @import { JsonSchema } from "./types.js" */

/**
 * `2.0` keeps comments within the line width and tells all constraints; `beta` breaks no line and tells few
 * (host-observed.md, "Newer signatures carry").
 * @typedef {"2.0" | "beta"} DocStyle
 */

/**
 * @typedef {object} Place
 * @property {number} depth
 * @property {Readonly<Record<string, JsonSchema>>} defs
 * @property {readonly string[]} open the references being followed
 * @property {DocStyle} docs
 */

/** Deeper schemas, cyclic ones among them, end in `unknown`. */
const DEEPEST = 8;
const LINE_WIDTH = 120;
/** What `/** ` and ` *\/` add to a one-line comment. */
const COMMENT_MARKS = 7;

/**
 * @param {JsonSchema} schema
 * @param {{ docs?: DocStyle }} [options]
 * @returns {string}
 */
export function typeText(schema, { docs = "2.0" } = {}) {
  return render(schema, { depth: 0, defs: {}, open: [], docs });
}

/**
 * @param {JsonSchema} schema
 * @param {Place} outer
 * @returns {string}
 */
function render(schema, outer) {
  if (outer.depth > DEEPEST) return "unknown";
  const place = { ...outer, defs: { ...outer.defs, ...schema.definitions, ...schema.$defs } };
  if (schema.$ref) return renderReference(schema, schema.$ref, place);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf || schema.oneOf) return renderUnion(schema, place);
  if (schema.allOf) return renderAllOf(schema, schema.allOf, place);
  if (Array.isArray(schema.type)) {
    return schema.type.map((type) => render({ ...schema, type }, inner(place))).join(" | ");
  }
  return renderPlain(schema, place);
}

/** @param {Place} place */
const inner = (place) => ({ ...place, depth: place.depth + 1 });

/**
 * @param {JsonSchema} schema
 * @param {Place} place
 */
function renderPlain(schema, place) {
  switch (schema.type) {
    case "string":
    case "number":
    case "boolean":
    case "null":
      return schema.type;
    case "integer":
      return "number";
    case "array":
      return `Array<${render(schema.items ?? {}, inner(place))}>`;
    default:
      return schema.type === "object" || schema.properties ? renderObject(schema, place) : "unknown";
  }
}

/**
 * @param {JsonSchema} schema
 * @param {Place} place
 */
function renderObject(schema, place) {
  const pad = "  ".repeat(place.depth + 1);
  const required = new Set(schema.required);
  const lines = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const key = isIdentifier(name) ? name : JSON.stringify(name);
    const mark = required.has(name) ? "" : "?";
    return `${comment(property, pad, place.docs)}${pad}${key}${mark}: ${render(property, inner(place))},`;
  });
  if (typeof schema.additionalProperties === "object") {
    lines.push(`${pad}[key: string]: ${render(schema.additionalProperties, inner(place))},`);
  }
  return lines.length === 0 ? "{}" : ["{", ...lines, `${"  ".repeat(place.depth)}}`].join("\n");
}

/**
 * @param {JsonSchema} schema
 * @param {Place} place
 */
function renderUnion(schema, place) {
  const members = (schema.anyOf ?? schema.oneOf ?? []).map((member) => render(member, inner(place)));
  if (members.includes("unknown")) return "unknown";
  return allOf([members.join(" | "), render({ ...schema, anyOf: undefined, oneOf: undefined }, inner(place))]);
}

/**
 * @param {JsonSchema} schema
 * @param {JsonSchema[]} members
 * @param {Place} place
 */
function renderAllOf(schema, members, place) {
  const own = render({ ...schema, allOf: undefined }, inner(place));
  return allOf([own, ...members.map((member) => render(member, inner(place)))]);
}

/**
 * @param {JsonSchema} schema
 * @param {string} ref
 * @param {Place} place
 */
function renderReference(schema, ref, place) {
  const name = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(ref)?.[1]?.replaceAll("~1", "/").replaceAll("~0", "~");
  const target = name === undefined ? undefined : place.defs[name];
  if (name === undefined || target === undefined || place.open.includes(name)) return "unknown";
  const named = render(target, { ...place, open: [...place.open, name] });
  return allOf([named, render({ ...schema, $ref: undefined }, inner(place))]);
}

/**
 * What says nothing (`unknown`) narrows nothing.
 * @param {string[]} types
 */
function allOf(types) {
  const telling = types.filter((type) => type !== "unknown");
  if (telling.length < 2) return telling[0] ?? "unknown";
  return telling.map((type) => (type.includes(" | ") ? `(${type})` : type)).join(" & ");
}

/**
 * The comment above a property, with its line end, or nothing.
 * @param {JsonSchema} schema
 * @param {string} pad
 * @param {DocStyle} docs
 */
function comment(schema, pad, docs) {
  const lines = (docs === "beta" ? betaDoc(schema) : [...ownDoc(schema, pad.length), ...childDoc(schema, pad.length)])
    // Text from a server must not be able to end the comment.
    .map((line) => line.replaceAll("*/", "* /"));
  const [first] = lines;
  if (first === undefined) return "";
  if (lines.length === 1 && (docs === "beta" || fits(first, pad.length))) return `${pad}/** ${first} */\n`;
  const body = lines.map((line) => `${pad} *${line === "" ? "" : ` ${line}`}\n`);
  return `${pad}/**\n${body.join("")}${pad} */\n`;
}

/**
 * @param {string} line
 * @param {number} indent
 */
const fits = (line, indent) => indent + line.length + COMMENT_MARKS <= LINE_WIDTH;

/**
 * A one-line description and its constraints share a line if there is room, with a full stop between them.
 * @param {JsonSchema} schema
 * @param {number} indent
 */
function ownDoc(schema, indent) {
  const lines = descriptionLines(schema);
  const tags = constraints(schema).join(" ");
  if (tags === "") return lines;
  const shared = `${lines[0]}${lines[0]?.endsWith(".") ? "" : "."} ${tags}`;
  if (lines.length === 1 && !tags.includes("\n") && fits(shared, indent)) return [shared];
  return [...lines, ...tags.split("\n")];
}

/**
 * An array's items and a map's values have no line of their own to stand above.
 * @param {JsonSchema} schema
 * @param {number} indent
 */
function childDoc(schema, indent) {
  const types = [schema.type ?? []].flat();
  /** @param {string} label @param {JsonSchema} child */
  const labelled = (label, child) =>
    ownDoc(child, indent + label.length + 2).map((line, at) => (at === 0 ? `${label}: ${line}` : line && `  ${line}`));
  /** @type {string[]} */
  const lines = [];
  if (types.includes("array") && schema.items) lines.push(...labelled("Each item", schema.items));
  if ((types.includes("object") || schema.properties) && typeof schema.additionalProperties === "object") {
    const named = Object.keys(schema.properties ?? {}).length > 0;
    lines.push(...labelled(named ? "Each additional value" : "Each value", schema.additionalProperties));
  }
  return lines;
}

/** @param {JsonSchema} schema */
function betaDoc(schema) {
  const told = ["@deprecated", "@default", "@format", "@minItems", "@maxItems"];
  const tags = constraints(schema).filter((tag) => told.includes(/** @type {string} */ (tag.split(" ")[0])));
  return [...descriptionLines(schema), ...tags];
}

/**
 * Without blank lines at either end.
 * @param {JsonSchema} schema
 */
function descriptionLines(schema) {
  const lines = (schema.description ?? "").split("\n").map((line) => line.trimEnd());
  const first = lines.findIndex((line) => line !== "");
  const last = lines.findLastIndex((line) => line !== "");
  return first < 0 ? [] : lines.slice(first, last + 1);
}

/**
 * @param {JsonSchema} schema
 * @returns {string[]}
 */
function constraints(schema) {
  /** @type {Array<[string, unknown]>} */
  const values = [
    ["default", schema.default === undefined ? undefined : JSON.stringify(schema.default)],
    ["format", schema.format],
    ["integer", schema.type === "integer" ? "" : undefined],
    ["minimum", schema.minimum],
    ["maximum", schema.maximum],
    ["exclusiveMinimum", schema.exclusiveMinimum],
    ["exclusiveMaximum", schema.exclusiveMaximum],
    ["multipleOf", schema.multipleOf],
    ["minLength", schema.minLength],
    ["maxLength", schema.maxLength],
    ["pattern", schema.pattern],
    ["minItems", schema.minItems],
    ["maxItems", schema.maxItems],
    ["uniqueItems", schema.uniqueItems === true ? true : undefined],
  ];
  const told = values
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => (value === "" ? `@${name}` : `@${name} ${value}`));
  return schema.deprecated === true ? ["@deprecated", ...told] : told;
}
