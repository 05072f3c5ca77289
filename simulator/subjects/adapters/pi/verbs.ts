// SPDX-License-Identifier: Apache-2.0
// What verbs of scripted extensions take (scenarios/README.md): short forms, shapes, references.
import type { Json } from "./world.ts";

type Shape = "any" | "text" | "flag" | "integer" | "list" | "object";

/** The member that a short form stands for; "" where there is none. */
const SHORT: Record<string, string> = {
  append: "type", block: "reason", call_tool: "tool", define: "value", delay: "ms", later: "do",
  note: "topic", read_file: "path", register: "value", remove_handler: "id", replace: "value",
  result: "content", return: "value", send: "text", set_active: "names", sleep: "ms", throw: "text",
  throw_value: "value", try: "do", unset: "path", update: "content",
};

/** Members whose shape a reference may break when it is replaced. */
const SHAPES: Record<string, Record<string, Shape>> = {
  append: { type: "text" }, append_file: { path: "text", text: "text" },
  ask: { title: "text", message: "text", options: "list", timeout_ms: "integer", signal: "flag" },
  block: { reason: "text", terminate: "flag" }, call_tool: { tool: "text" },
  in_turn: { path: "text" }, latch: { set: "text", wait: "text" }, note: { topic: "text" },
  patch: { isError: "flag", terminate: "flag" }, read_file: { path: "text" },
  result: { isError: "flag", terminate: "flag", addedToolNames: "list" },
  send: { text: "text", mode: "text", type: "text", trigger: "flag" }, set: { path: "text" },
  set_active: { names: "list", add: "list", remove: "list" }, throw: { text: "text" },
  unset: { path: "text" }, write_file: { path: "text", text: "text" },
};

const NAMES: Record<Shape, string> = {
  any: "a value", text: "a text", flag: "true or false", integer: "a whole number from 0",
  list: "a list", object: "a mapping",
};

function hasShape(value: Json, shape: Shape): boolean {
  switch (shape) {
    case "text": return typeof value === "string";
    case "flag": return typeof value === "boolean";
    case "integer": return Number.isInteger(value) && value >= 0;
    case "list": return Array.isArray(value) || typeof value === "string";
    case "object": return isMap(value);
    default: return true;
  }
}

export const isMap = (value: Json): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export interface Verb {
  name: string;
  args: Json;
}

/** One step of a script, with its arguments as an object also where the short form was written. */
export function verbOf(step: Json): Verb {
  if (typeof step === "string") return { name: step, args: {} };
  const [name, given] = Object.entries(step)[0] as [string, Json];
  const short = SHORT[name];
  if (short === "value") return { name, args: { value: given } };
  if (isMap(given)) return { name, args: given };
  return { name, args: short && given !== null && given !== undefined ? { [short]: given } : {} };
}

/** Throws for whoever wrote the script: a reference may stand for anything. */
export function checkShapes(verb: string, args: Json): void {
  for (const [member, shape] of Object.entries(SHAPES[verb] ?? {})) {
    const value = args[member];
    if (value === undefined || hasShape(value, shape)) continue;
    const what = `'${member}' of '${verb}' must be ${NAMES[shape]}`;
    throw new Error(`${what}, not ${JSON.stringify(value)}`);
  }
}

// ---- JSON pointers

const tokensOf = (pointer: string): string[] =>
  pointer === "" ? []
    : pointer.slice(1).split("/").map((one) => one.replaceAll("~1", "/").replaceAll("~0", "~"));

const isIndex = (token: string): boolean => /^\d+$/.test(token);

/** undefined where there is nothing. */
export function findPointer(root: Json, pointer: string): Json {
  let at = root;
  for (const token of tokensOf(pointer)) {
    const isThere = Array.isArray(at) ? isIndex(token) && Number(token) < at.length
      : isMap(at) && Object.hasOwn(at, token);
    if (!isThere) return undefined;
    at = at[token];
  }
  return at;
}

function noPlace(pointer: string): Error {
  return new Error(`no place at '${pointer}'`);
}

/** The key of the child that `token` names; parents that are missing are made on the way. */
function childKey(parent: Json, token: string, pointer: string): string | number {
  if (isMap(parent)) return token;
  if (!Array.isArray(parent)) throw noPlace(pointer);
  const index = token === "-" ? parent.length : isIndex(token) ? Number(token) : -1;
  if (index < 0 || index > parent.length) throw noPlace(pointer);
  return index;
}

export function setPointer(root: Json, pointer: string, value: Json): void {
  if (pointer !== "" && !pointer.startsWith("/")) {
    throw new Error(`'${pointer}' is no JSON pointer`);
  }
  const tokens = tokensOf(pointer);
  if (tokens.length === 0) {
    for (const key of Object.keys(root)) delete root[key];
    Object.assign(root, value);
    return;
  }
  let at = root;
  tokens.forEach((token, i) => {
    const key = childKey(at, token, pointer);
    if (i === tokens.length - 1) at[key] = value;
    else at = at[key] ??= {};
  });
}

export function unsetPointer(root: Json, pointer: string): void {
  const tokens = tokensOf(pointer);
  const last = tokens.pop();
  if (last === undefined) return;
  let at = root;
  for (const token of tokens) {
    at = findPointer(at, `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`);
    if (at === undefined) return;
  }
  if (Array.isArray(at) && isIndex(last)) at.splice(Number(last), 1);
  else if (isMap(at)) delete at[last];
}

// ---- references

export type Lookup = (name: string) => Json;

function follow(reference: string, lookup: Lookup): Json {
  const slash = reference.indexOf("/");
  const name = slash < 0 ? reference : reference.slice(0, slash);
  const found = findPointer(lookup(name), slash < 0 ? "" : reference.slice(slash));
  return found === undefined ? null : found;
}

const asText = (value: Json): string => typeof value === "string" ? value : JSON.stringify(value);

/** "$name/pointer" is the value, "${name/pointer}" within a text its text, "$$" a "$". */
export function resolve(value: Json, lookup: Lookup): Json {
  if (typeof value === "string") {
    if (value.startsWith("$$")) return value.slice(1);
    if (/^\$[a-z]/.test(value)) return follow(value.slice(1), lookup);
    return value.replace(/\$\{([^}]*)\}/g, (_, inner: string) => asText(follow(inner, lookup)));
  }
  if (Array.isArray(value)) return value.map((one) => resolve(one, lookup));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, resolve(one, lookup)]));
}

export { asText };

// ---- conditions of handlers

function holds(found: Json, wanted: Json): boolean {
  const equals = (other: Json) => found !== undefined && isSame(found, other);
  if (!isMap(wanted)) return equals(wanted);
  for (const [key, operand] of Object.entries(wanted)) {
    let held: boolean;
    if (key === "missing") held = (found === undefined) === (operand === true);
    else if (key === "equals") held = equals(operand);
    else if (key === "contains") {
      held = typeof found === "string" && typeof operand === "string" && found.includes(operand);
    } else return equals(wanted);
    if (!held) return false;
  }
  return true;
}

/** Equal as JSON values: the order of members does not count. */
export function isSame(left: Json, right: Json): boolean {
  if (Array.isArray(left)) {
    return Array.isArray(right) && left.length === right.length &&
      left.every((one, i) => isSame(one, right[i]));
  }
  if (!isMap(left) || !isMap(right)) return left === right;
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isSame(left[key], right[key]));
}

/** `data`: the event's fields; `input`: what its handlers share. `nth` is the caller's. */
export function fits(when: Json, call: string, data: Json, input: Json): boolean {
  if (when.name && (data?.toolName ?? "") !== when.name) return false;
  if (when.call && call !== when.call) return false;
  const match = { ...(when.match ?? {}) };
  if (when.path !== undefined) match[`/input${when.path}`] = { equals: when.equals };
  const view = input === undefined ? data : { ...data, input };
  return Object.entries(match)
    .every(([pointer, wanted]) => holds(findPointer(view, pointer), wanted));
}

// ---- results

export const blocksOf = (content: Json): Json => {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content?.map((block: Json) =>
    typeof block === "string" ? { type: "text", text: block } : block);
};

/** A tool's result, or its progress, in pi's form. */
export function resultOf(args: Json): Json {
  const result: Json = { ...args, content: blocksOf(args.content) ?? [] };
  if (args.content !== undefined && !Array.isArray(result.content)) {
    throw new Error("content must be a string or a list");
  }
  return result;
}
