// SPDX-License-Identifier: Apache-2.0
// The scripted extensions of scenarios (scenarios/README.md, Extensions), as extensions of real pi.
// Each slot is an extension of its own: the adapter writes a file a slot that calls `scripted`.
// It says what its handlers and tools are given and give back, and changes nothing else.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { defineTool, withFileMutationQueue } from "@earendil-works/pi-coding-agent";
import { flagsOf, registerNamed } from "./commands.ts";
import { asText, blocksOf, checkShapes, fits, isMap, isSame, resolve, resultOf, setPointer,
  unsetPointer, verbOf } from "./verbs.ts";
import { copy, currentWorld, type Json, latch, reference, type Registration, sourceOf, tellActive,
  tellTools, type World } from "./world.ts";

/** A value that a script throws; only an Error is thrown as such. */
class Thrown {
  value: Json;
  constructor(value: Json) {
    this.value = value;
  }
}

/** One extension in one load. */
class Extension {
  pi: Json;
  world: World;
  slot: number;
  owner: string;
  isLoading = true;
  flags: string[] = [];
  private pendingTools: Json[] = [];
  private handlers = new Map<string, () => void>();

  constructor(pi: Json, world: World, slot: number) {
    this.pi = pi;
    this.world = world;
    this.slot = slot;
    this.owner = world.scenario.slots[slot].path;
  }

  note(topic: string, data: Json, call?: string, extra = {}): void {
    this.world.tell("notify", { by: this.owner, topic, data: copy(data) },
      { ...(call ? { call } : {}), ...extra });
  }

  register(definition: Json): void {
    if (this.isLoading) {
      this.pendingTools.push(definition);
      return;
    }
    this.note("registration", { what: "tool", name: definition.name });
    this.addTool(definition);
    tellTools(this.world, this.pi, "registration");
  }

  /** What the factory registers counts from its end on. */
  finishLoad(): void {
    this.isLoading = false;
    for (const definition of this.pendingTools.splice(0)) {
      this.note("registration", { what: "tool", name: definition.name });
      this.addTool(definition);
    }
  }

  private addTool(definition: Json): void {
    const tool = toolOf(definition, this);
    const { execute, prepareArguments, ...info } = tool;
    this.pi.registerTool(tool);
    const sourceInfo = sourceOf(this.world.scenario.slots[this.slot]);
    this.world.candidates.push({ exposure: "direct", ...copy(info), level: "extension", sourceInfo,
      ...(prepareArguments ? { prepares: true } : {}) });
  }

  addHandler(script: Json, event: string): void {
    const registration: Registration = {
      slot: this.slot, event, number: this.world.registrations++, ref: reference(),
    };
    this.note("registration", { what: "handler", name: event }, undefined,
      { ref: registration.ref });
    if (!this.isLoading) this.note("handler_added", event);
    this.world.chain.push(registration);
    let count = 0;
    const off = this.pi.on(event, (given: Json, context: Json) =>
      runHandler(this, registration, script, () => ++count, { given, context }));
    const remove = () => {
      const at = this.world.chain.indexOf(registration);
      if (at < 0) return;
      this.world.chain.splice(at, 1);
      this.note("handler_removed", event);
      this.world.tell("notify", { by: this.owner, topic: "registration_removed" },
        { cause: registration.ref });
      off();
    };
    if (script.id) this.handlers.set(script.id, remove);
  }

  removeHandler(id: string): void {
    this.handlers.get(id)?.();
  }

  /** The place of a handler in the chain of its event. */
  indexOf(registration: Registration): number {
    return this.world.chain.filter((other) => other.event === registration.event &&
      (other.slot < registration.slot ||
        (other.slot === registration.slot && other.number < registration.number))).length;
  }
}

/** One run of a script: a handler's, a tool's or the factory's. */
interface State {
  extension: Extension;
  context?: Json;
  call: string;
  /** The input that handlers share, or the tool's arguments. */
  input?: Json;
  data?: Json;
  tool?: { params: Json; onUpdate?: (partial: Json) => void };
  signal?: AbortSignal;
  last: Json;
  returned?: Json;
  result: Json;
  hasEnded: boolean;
}

const signalOf = (state: State): AbortSignal | undefined => state.signal ?? state.context?.signal;

function aborted(signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return new Promise(() => {});
  if (signal.aborted) return Promise.resolve();
  return new Promise((done) => signal.addEventListener("abort", () => done(), { once: true }));
}

/** Scenarios count virtual time. Here the host's steps need a while to arrive; the order stays. */
const realMs = (ms: number): number =>
  ms <= 100 ? ms * 5 : ms <= 1_000 ? 400 + ms : 1_400 + 100 * Math.log2(ms / 1_000);

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** A wait that an abort ends. */
async function pauseOrAbort(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((done) => (timer = setTimeout(done, ms)));
  await Promise.race([over, aborted(signal)]);
  clearTimeout(timer);
}

function lookUp(state: State, name: string): Json {
  const context = state.context;
  switch (name) {
    case "args":
    case "input":
      if (state.tool) return state.tool.params;
      return state.input ?? state.data?.input ?? null;
    case "event": return state.data ?? null;
    case "last": return state.last ?? null;
    case "signal.aborted": return signalOf(state)?.aborted ?? false;
    case "call": return state.call;
    case "active": return state.extension.pi.getActiveTools();
    case "flags": return flagsOf(state.extension);
    case "tools": return state.extension.pi.getAllTools().map((tool: Json) => tool.name);
    case "ctx.model": return context?.model?.id ?? null;
    case "ctx.cwd": return context?.cwd ?? null;
    case "ctx.has_ui": return context?.hasUI ?? null;
    case "ctx.is_idle": return context?.isIdle() ?? null;
    case "ctx.system_prompt": return context?.getSystemPrompt() ?? null;
    case "ctx.entries": return copy(context?.sessionManager.getBranch() ?? null);
    default: return null;
  }
}

/** Parts of a verb that are run or compiled later, and not resolved with it. */
const BODIES = new Set(["do", "yes", "no", "answers", "then", "else"]);

function resolved(state: State, verb: string, args: Json): Json {
  if (verb === "register" || verb === "define" || verb === "add_handler") return args;
  const plain: Json = {};
  const branches: Json = {};
  for (const [key, value] of Object.entries(args)) {
    const isBody = BODIES.has(key) && verb !== "return" && verb !== "replace";
    (isBody ? branches : plain)[key] = value;
  }
  const values = resolve(plain, (name) => lookUp(state, name));
  checkShapes(verb, values);
  return { ...values, ...branches };
}

function end(state: State, returned?: Json): void {
  state.returned = returned;
  state.hasEnded = true;
}

function absolute(state: State, name: string): string {
  if (path.isAbsolute(name)) return name;
  return path.normalize(path.join(state.context?.cwd ?? process.cwd(), name));
}

function wantedTools(state: State, args: Json): string[] {
  const list = (value: Json): string[] =>
    (typeof value === "string" ? [value] : value ?? [])
      .filter((one: Json) => typeof one === "string");
  const names = "names" in args ? list(args.names) : state.extension.pi.getActiveTools();
  const removed = list(args.remove);
  return [...names, ...list(args.add)].filter((name) => !removed.includes(name));
}

function send(state: State, args: Json): void {
  const { pi, owner } = state.extension;
  const mode = args.mode ?? "steer";
  const isLater = mode === "follow_up" || mode === "prompt";
  if (args.text !== undefined) {
    pi.sendUserMessage(args.text, { deliverAs: isLater ? "followUp" : "steer" });
    return;
  }
  const deliverAs = isLater ? "followUp" : mode === "next_turn" ? "nextTurn" : "steer";
  pi.sendMessage(
    { customType: args.type ?? owner, content: blocksOf(args.content), display: true,
      details: args.details },
    { deliverAs, triggerTurn: args.trigger ?? true });
}

async function ask(state: State, args: Json): Promise<void> {
  const ui = state.context.ui;
  const signal = args.signal ? signalOf(state) : undefined;
  const timeout = args.timeout_ms ? Math.round(realMs(args.timeout_ms)) : undefined;
  const options = { timeout, signal };
  const title = args.title ?? "";
  const { world } = state.extension;
  if (state.call) world.tell("_dialog_call", { method: args.method, title, call: state.call });
  let answer: Json;
  if (args.method === "confirm") answer = await ui.confirm(title, args.message ?? "", options);
  else if (args.method === "input") answer = await ui.input(title, args.message, options);
  else if (args.method === "editor") answer = await ui.editor(title, args.message);
  else answer = await ui.select(title, (args.options ?? []).map(asText), options);
  world.tell("_dialog_end",
    { method: args.method, title, by: signal?.aborted ? "abort" : "timeout" });
  state.last = answer ?? null;
  const word = asText(state.last);
  const branches: [string, Json][] = Object.entries(args.answers ?? {});
  if (args.yes) branches.push(["true", args.yes]);
  if (args.no) branches.push(["false", args.no]);
  const taken = branches.find(([text]) => text === word || text === "*");
  if (taken) await run(state, taken[1]);
}

async function callTool(state: State, args: Json): Promise<void> {
  const outcome = await state.context.executeTool(args.tool, args.args ?? {});
  const content: Json[] = outcome.result?.content ?? [];
  state.last = {
    id: outcome.toolCall?.id,
    isError: outcome.isError,
    cause: "",
    text: content.filter((block) => block.type === "text").map((block) => block.text).join("\n"),
    result: copy(outcome.result),
  };
}

/** What the verbs throw is the last value then; null if they throw nothing. */
async function attempt(state: State, body: Json): Promise<void> {
  const error = await run(state, body).then(() => null, (thrown) => messageOf(unwrap(thrown)));
  state.last = error;
}

/** Goes on after the handler or tool has returned; nobody awaits it. */
function later(state: State, body: Json): void {
  void run({ ...state, hasEnded: false }, body).catch((error: unknown) =>
    state.extension.world.tell("_log", { text: `later: ${String(error)}` }));
}

async function perform(state: State, verb: string, args: Json): Promise<void> {
  const { extension } = state;
  const { pi, world } = extension;
  switch (verb) {
    case "abort":
      extension.note("abort", null, state.call);
      state.context.abort();
      break;
    case "append": pi.appendEntry(args.type, args.data ?? null); break;
    case "ask": await ask(state, args); break;
    case "call_tool": await callTool(state, args); break;
    case "delay": await pauseOrAbort(realMs(args.ms), signalOf(state)); break;
    case "sleep": await pause(realMs(args.ms)); break;
    case "if":
      await run(state, (isSame(args.value, args.equals) ? args.then : args.else) ?? []);
      break;
    case "in_turn":
      await withFileMutationQueue(absolute(state, args.path), () => run(state, args.do));
      break;
    case "later": later(state, args.do); break;
    case "try": await attempt(state, args.do); break;
    case "latch":
      if (args.set !== undefined) latch(args.set).set();
      else await Promise.race([latch(args.wait).opens, aborted(signalOf(state))]);
      break;
    case "note": extension.note(args.topic, args.data ?? null, state.call); break;
    case "send": send(state, args); break;
    case "set_active": {
      const names = wantedTools(state, args);
      pi.setActiveTools(names);
      tellActive(world, pi, extension.owner, names);
      break;
    }
    case "wait_abort": await aborted(signalOf(state)); break;
    case "read_file": state.last = await readFile(absolute(state, args.path)); break;
    case "write_file": await fs.promises.writeFile(absolute(state, args.path), args.text); break;
    case "append_file": await fs.promises.appendFile(absolute(state, args.path), args.text); break;
    default: change(state, verb, args);
  }
}

const readFile = (name: string): Promise<string> => fs.promises.readFile(name, "utf8");

/** The verbs that change only the script's own state, its input or what is registered. */
function change(state: State, verb: string, args: Json): void {
  const { extension } = state;
  const root = () => state.tool?.params ?? state.input ?? state.data;
  switch (verb) {
    case "add_handler": extension.addHandler(args, args.event); break;
    case "remove_handler": extension.removeHandler(args.id); break;
    case "register": extension.register(args.value); break;
    case "define": defineTool(toolOf(args.value, extension)); break;
    case "allow": end(state); break;
    case "block": end(state, { block: true, ...args }); break;
    case "patch": state.returned = "content" in args
      ? { ...args, content: blocksOf(args.content) } : args;
      break;
    case "replace": state.input = args.value; break;
    case "result": state.result = resultOf(args); break;
    case "update": state.tool?.onUpdate?.(resultOf(args)); break;
    case "return": end(state, args.value); break;
    case "set": setPointer(root(), args.path, args.value); break;
    case "unset": unsetPointer(root(), args.path); break;
    case "throw": throw new Error(asText(args.text));
    case "throw_value": throw new Thrown(args.value);
    default: throw new Error(`unknown verb '${verb}'`);
  }
}

async function run(state: State, steps: Json[]): Promise<void> {
  for (const step of steps) {
    const { name, args } = verbOf(step);
    await perform(state, name, resolved(state, name, args));
    if (state.hasEnded) return;
  }
}

/** Only what was thrown as an Error is one (HOOK-09). */
const unwrap = (error: unknown): unknown => error instanceof Thrown ? error.value : error;
const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : asText(error);

// ---- handlers

/** What the handlers of an event share and may change in place. */
function sharedInput(given: Json): Json {
  if (given.type === "tool_call") return given.input;
  return given.type === "before_agent_start" ? given.systemPromptOptions : undefined;
}

function dataOf(given: Json): Json {
  const { type, signal, context, ...fields } = given;
  if (type === "tool_call") delete fields.input;
  if (type === "before_agent_start") fields.systemPrompt = given.systemPrompt;
  return copy(fields);
}

async function runHandler(extension: Extension, registration: Registration, script: Json,
  next: () => number, { given, context }: { given: Json; context: Json }): Promise<Json> {
  const { world, owner } = extension;
  const call: string = given.toolCallId ?? given.message?.toolCallId ?? "";
  const data = dataOf(given);
  const input = sharedInput(given);
  const index = extension.indexOf(registration);
  const of = { event: registration.event, extension: owner, index };
  const extra = call ? { call } : {};
  const ref = reference();
  world.tell("hook_call", { ...of, input: given.type === "tool_call" ? copy(input) : data },
    { ...extra, ref, cause: registration.ref });
  const state: State = { extension, context, call, input, data, last: null, result: {},
    hasEnded: false };
  const finish = (more: Json) => world.tell("hook_return",
    { ...of, ...(input === undefined ? {} : { input_after: copy(input) }), ...more },
    { ...extra, cause: ref });
  try {
    const when = script.when ?? {};
    const isMeant = fits(when, call, data, input);
    const number = isMeant ? next() : 0;
    if (isMeant && (!when.nth || when.nth === number)) await run(state, script.do ?? []);
  } catch (error) {
    finish({ error: messageOf(unwrap(error)) });
    throw unwrap(error);
  }
  finish(state.returned === undefined ? {} : { result: copy(state.returned) });
  return state.returned;
}

// ---- tools

function prepared(steps: Json[], raw: Json): Json {
  for (const step of steps) {
    const { name, args } = verbOf(step);
    const values = resolve(args, (of) => (of === "args" || of === "input" ? raw : null));
    checkShapes(name, values);
    if (name === "return") return values.value;
    if (name === "throw") throw new Error(asText(values.text));
    if (name === "throw_value") throw values.value;
    if (name === "unset") unsetPointer(raw, values.path);
    else setPointer(raw, values.path, values.value);
  }
  return raw;
}

/** Members of a definition that pi has under the same name. */
const SAME = ["exposure", "defaultActive", "outputSchema", "annotations", "namespace"];

function toolOf(definition: Json, extension: Extension): Json {
  const tool: Json = {
    name: definition.name,
    label: definition.label ?? definition.name,
    description: definition.description ?? "",
    parameters: definition.parameters ?? { type: "object" },
    execute: (...given: Json[]) => execute(definition, extension, given),
  };
  const snippet = definition.snippet ?? definition.promptSnippet;
  const guidelines = definition.guidelines ?? definition.promptGuidelines;
  if (snippet !== undefined) tool.promptSnippet = snippet;
  if (guidelines !== undefined) tool.promptGuidelines = guidelines;
  if (definition.mode === "sequential") tool.executionMode = "sequential";
  for (const key of SAME) if (definition[key] !== undefined) tool[key] = definition[key];
  const reach = definition.reachesTools;
  if (reach !== undefined) tool.reachesTools = () => reach;
  if (definition.prepare) {
    tool.prepareArguments = (raw: Json) => prepared(definition.prepare, structuredClone(raw));
  }
  return tool;
}

async function execute(definition: Json, extension: Extension,
  [call, params, signal, onUpdate, context]: Json[]): Promise<Json> {
  const { world, owner } = extension;
  const extra = { call };
  const initial: Json = definition.do ? { content: [] } : resultOf({ content: "ok" });
  if (definition.addedToolNames) initial.addedToolNames = definition.addedToolNames;
  world.tell("execute_begin", { name: definition.name, owner,
    args: copy(params), signal_aborted: signal?.aborted ?? false }, extra);
  const state: State = { extension, context, call, tool: { params, onUpdate }, signal,
    last: null, result: initial, hasEnded: false };
  try {
    await run(state, definition.do ?? []);
  } catch (error) {
    world.tell("execute_end",
      { name: definition.name, outcome: "threw", error: messageOf(unwrap(error)) }, extra);
    throw unwrap(error);
  }
  const outcome = state.result.isError ? "returned_error" : "ok";
  world.tell("execute_end",
    { name: definition.name, outcome, result: copy(state.result) }, extra);
  return state.result;
}

// ---- the factory

export default async function scripted(pi: Json, slot: number): Promise<void> {
  const world = currentWorld();
  const definition = world.scenario.slots[slot]?.definition;
  if (!isMap(definition)) return;
  const extension = new Extension(pi, world, slot);
  // The first slot is the host's own.
  const load = (phase: string, error?: string) => slot > 0 && world.tell("load", { extension: extension.owner, phase, ...(error ? { error } : {}) });
  load("begin");
  try {
    const state: State = { extension, call: "", last: null, result: {}, hasEnded: false };
    await run(state, definition.load ?? []);
    for (const tool of definition.tools ?? []) extension.register(tool);
    for (const [event, scripts] of Object.entries(definition.on ?? {}) as [string, Json[]][]) {
      for (const script of scripts) extension.addHandler(script, event);
    }
    registerNamed(extension, definition, (context, data, body) => run(
      { extension, context, call: "", data, last: null, result: {}, hasEnded: false }, body));
    extension.finishLoad();
  } catch (error) {
    world.chain = world.chain.filter((one) => one.slot !== slot);
    world.candidates = world.candidates.filter((one) => one.sourceInfo.path !== extension.owner);
    load("failed", messageOf(unwrap(error)));
    throw unwrap(error);
  }
  load("end");
}

