// SPDX-License-Identifier: Apache-2.0
// Holds the two interpreters of scripted extensions equal: the C++ one in our session engine and
// the TypeScript one in real pi play the same scenarios, under the rules of pi's edition, and what
// scripts were given and did is compared after `plumb trace normalise`:
//   node interpreters.mjs PATH_OF_PLUMB
// Compared are, in their order: for each call its gate and result handlers with their inputs and
// answers, what execute was given and gave back, and how the call ended; the handlers of all other
// events with their answers; what scripts note, in dialogs ask and register; the tools that each
// request declares. A scenario that differs stands in interpreters_differ.mjs with what
// differs, which is exact, and why that is lawful.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { LAWFUL } from "./interpreters_differ.mjs";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.resolve(HERE, "../../../..");
const PLUMB = path.resolve(process.argv[2] ?? "plumb");
const OUT = fs.mkdtempSync(path.join(os.tmpdir(), "plumb-interpreters-"));
const COMPARED_MIN = 25;

// ---- scenarios with scripts, in pi's edition

function scriptedScenarios() {
  const all = fs.readdirSync(path.join(ROOT, "scenarios"), { recursive: true });
  return all.filter((name) => name.endsWith(".yaml") && !name.startsWith("rules")).sort()
    .map((name) => ({ name, text: fs.readFileSync(path.join(ROOT, "scenarios", name), "utf8") }))
    .filter(({ text }) => /^extensions:|^ {2}sdk:/m.test(text) && !/^variants:/m.test(text));
}

function inPiEdition(text) {
  if (/^edition:/m.test(text)) return text;
  return text.replace(/^(scenario: .*)$/m, "$1\nedition: pi-1.6.0");
}

function writeScenarios(scenarios) {
  const folder = path.join(OUT, "scenarios");
  for (const { name, text } of scenarios) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, inPiEdition(text));
  }
  return folder;
}

/** The traces of the scenarios that the subject could play, by their ids. */
function play(folder, name, options = []) {
  const out = path.join(OUT, name);
  const run = spawnSync(PLUMB, ["run", folder, "--out", out, ...options],
    { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 28 });
  const file = path.join(out, "record.json");
  if (!fs.existsSync(file)) throw new Error(`${name} left no record: ${run.stdout}${run.stderr}`);
  const { scenarios } = JSON.parse(fs.readFileSync(file, "utf8"));
  const told = scenarios.filter((one) => one.trace_path && one.status !== "skipped");
  return new Map(told.map((one) => [one.id, path.join(out, one.trace_path)]));
}

// ---- what a trace shows of its scripts

function normalised(file) {
  const run = spawnSync(PLUMB, ["trace", "normalise", file],
    { encoding: "utf8", maxBuffer: 1 << 28 });
  if (run.status !== 0) throw new Error(run.stderr);
  return run.stdout.trim().split("\n").slice(1).map((line) => JSON.parse(line));
}

/** Members in one order; what is null or not there is one, and so are a text and its block. */
function plain(value, key = "") {
  if (key === "content" && typeof value === "string") return [{ text: value, type: "text" }];
  if (Array.isArray(value)) return value.map((one) => plain(one));
  if (typeof value !== "object" || value === null) return value ?? null;
  return Object.fromEntries(Object.keys(value).sort()
    .filter((name) => value[name] !== null).map((name) => [name, plain(value[name], name)]));
}

/** pi's RPC has no place for tools of the host but an extension, whose name says so. */
const ownerOf = (owner) => /^(sdk|<sdk:.*>|<inline:host>)$/.test(owner ?? "") ? "the host" : owner;
const isScript = (owner) => typeof owner === "string" && !/^(builtin|<host>$)/.test(owner);

function ofHandler(event) {
  const { event: name, extension, index } = event;
  const isCall = event.kind === "hook_call";
  const shown = { at: isCall ? "called" : "returned", name, extension, index };
  // Inputs of other events are the engine's own descriptions of itself.
  if (isCall && name === "tool_call") shown.input = event.input;
  if (!isCall) {
    if (name === "tool_call") shown.input = event.input_after;
    Object.assign(shown, { result: event.result, error: event.error || null });
  }
  return shown;
}

function ofExecution(event) {
  const { kind, name, owner, args, outcome, result, error } = event;
  return { at: kind, name, owner: ownerOf(owner), args, outcome, result, error: error || null };
}

/** Words of the engine's own, such as that a tool is unknown, are its own. */
function ofEnd(event, executed, blocked) {
  const shown = { at: "end", name: event.name, isError: event.is_error };
  if (executed || blocked) shown.content = event.result?.content;
  if (executed) {
    shown.details = event.result?.details;
    shown.terminate = event.result?.terminate;
  }
  return shown;
}

function declaredTools(event, tools) {
  const kept = (tools.get(event.lineage) ?? []).slice(0, event.common);
  const blocks = [...kept, ...(event.append ?? []).map((block) =>
    block.zone === "tools" ? block.body?.name ?? block.json?.name ?? "?" : null)];
  tools.set(event.lineage, blocks);
  return blocks.filter((name) => name !== null);
}

/** What hosts note by themselves. */
const OWN_NOTES = new Set(["registration", "handler_added", "handler_removed",
  "registration_removed", "prepare_begin", "prepare_end", "prepare_failed"]);

/** {calls, handlers, notes, dialogs, requests}, each a list of comparable values. */
function story(events) {
  const calls = {};
  const shown = { calls, handlers: {}, notes: {}, dialogs: [], requests: [] };
  const tools = new Map();
  const owners = {};
  const blocked = {};
  const put = (list, key, value) => (list[key] ??= []).push(plain(value));
  for (const event of events) {
    const { kind, call } = event;
    if (kind === "hook_call" || kind === "hook_return") {
      if (event.result?.block && event.result.reason) blocked[call] = true;
      // Updates are delivered while execute goes on.
      if (event.event === "tool_execution_update") put(shown.handlers, kind, ofHandler(event));
      else if (call) put(calls, call, ofHandler(event));
      else put(shown.handlers, event.event, ofHandler(event));
    } else if (kind === "execute_begin" && isScript(event.owner)) {
      owners[call] = event.owner;
      put(calls, call, ofExecution(event));
    } else if (kind === "execute_end" && owners[call]) {
      put(calls, call, ofExecution(event));
    } else if (kind === "tool_execution_end") {
      put(calls, call, ofEnd(event, owners[call], blocked[call]));
    } else if (kind === "notify" && !OWN_NOTES.has(event.topic) && isScript(event.by)) {
      // Calls of a batch have no order.
      const by = ownerOf(event.by);
      put(shown.notes, call ? `${by} ${call}` : by, { topic: event.topic, data: event.data });
    } else if (kind === "ui_ask") {
      shown.dialogs.push(plain({ method: event.method, title: event.title }));
    } else if (kind === "provider_request") {
      shown.requests.push(declaredTools(event, tools));
    }
  }
  return shown;
}

// ---- comparison

/** Places at which two stories differ: "calls/c1", "handlers/turn_end", "requests". */
function differences(ours, theirs) {
  const found = [];
  const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  for (const part of ["calls", "handlers", "notes"]) {
    const keys = new Set([...Object.keys(ours[part]), ...Object.keys(theirs[part])]);
    for (const key of [...keys].sort()) {
      if (!isSame(ours[part][key], theirs[part][key])) found.push(`${part}/${key}`);
    }
  }
  for (const part of ["dialogs", "requests"]) {
    if (!isSame(ours[part], theirs[part])) found.push(part);
  }
  return found;
}

function tell(place, ours, theirs) {
  const at = (story_) => place.split("/").reduce((value, key) => value?.[key], story_);
  const lines = (value) => (Array.isArray(value) ? value : [value])
    .map((one) => `      ${JSON.stringify(one)}`).join("\n").slice(0, 3_000);
  console.log(`    ${place}\n     C++:\n${lines(at(ours))}`);
  console.log(`     TypeScript:\n${lines(at(theirs))}`);
}

let failed = 0;
function fail(text) {
  ++failed;
  console.log(`FAIL ${text}`);
}

/** Changes of one story, each with the place where the comparison must find it. */
const PLANTED = [
  ["calls", (one) => Object.values(one.calls)[0]?.pop()],
  ["handlers", (one) => Object.values(one.handlers)[0]?.push("another")],
  ["notes", (one) => Object.values(one.notes)[0]?.reverse()],
  ["dialogs", (one) => one.dialogs.pop()],
  ["requests", (one) => one.requests[0]?.push("another")],
];

/** Each change is found where a story has something to change, and only there. */
function proveComparison(stories) {
  for (const [part, plant] of PLANTED) {
    const found = stories.map((one) => {
      const changed = structuredClone(one);
      plant(changed);
      return differences(one, changed);
    }).filter((places) => places.length > 0);
    const isFound = found.length > 0 &&
      found.every((places) => places.length === 1 && places[0].split("/")[0] === part);
    if (!isFound) fail(`a planted difference of ${part} is not found`);
  }
}

const folder = writeScenarios(scriptedScenarios());
const ours = play(folder, "session");
const adapter = `${process.execPath} ${path.join(HERE, "adapter.mjs")}`;
const theirs = play(folder, "pi", ["--subject", adapter, "--subject-timeout", "15"]);
const counts = { compared: 0, equal: 0, different: 0 };
const stories = [];
for (const [id, file] of theirs) {
  if (!ours.has(id)) continue;
  const [one, other] = [ours.get(id), file].map((trace) => story(normalised(trace)));
  stories.push(one);
  const found = differences(one, other);
  const known = LAWFUL[id]?.differs ?? [];
  ++counts.compared;
  if (found.length === 0) ++counts.equal;
  else ++counts.different;
  if (found.join() === known.join()) continue;
  fail(`${id}: differs in [${found.join(", ")}], expected [${known.join(", ")}]`);
  for (const place of found) if (!known.includes(place)) tell(place, one, other);
}
for (const id of Object.keys(LAWFUL)) {
  if (!theirs.has(id) || !ours.has(id)) fail(`${id} has a reason and was not compared`);
}
proveComparison(stories);
if (counts.compared < COMPARED_MIN) fail(`fewer than ${COMPARED_MIN} scenarios were compared`);
fs.rmSync(OUT, { recursive: true, force: true });
console.log(`interpreters: ${counts.compared} compared, ${counts.equal} equal, ` +
  `${counts.different} different, each with its reason`);
console.log(`${counts.compared - failed} passed, ${failed} failed, 0 skipped`);
process.exit(failed === 0 ? 0 : 1);
