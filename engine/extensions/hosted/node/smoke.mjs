// SPDX-License-Identifier: Apache-2.0
// The host alone, without the engine: loads pi's ten examples and calls each once.
//   node smoke.mjs EXAMPLES_FOLDER
// A small engine of its own answers what they ask. Ends with 1 at the first surprise.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const examples = process.argv[2];
const folder = mkdtempSync(join(tmpdir(), "plumb-smoke-"));
const facts = { cwd: folder, mode: "rpc", hasUI: true, model: "fake-1" };

class Engine {
  constructor() {
    const stdio = ["ignore", "inherit", "ignore", "pipe", "pipe", "pipe", "pipe"];
    this.child = spawn(process.execPath, [new URL("host.mjs", import.meta.url).pathname], { stdio });
    this.next = 1;
    this.seq = 0;
    this.open = new Map();
    this.shown = [];
    this.registered = [];
    this.idle = () => {};
    createInterface({ input: this.child.stdio[4] }).on("line", (line) => this.hear(line));
    createInterface({ input: this.child.stdio[5] }).on("line", (line) => this.question(line));
  }
  write(message) {
    this.seq += 1;
    const line = JSON.stringify({ ...message, seq: this.seq, now: 1_735_689_600_000 });
    this.child.stdio[3].write(`${line}\n`);
  }
  question(line) {
    const { method, params } = JSON.parse(line);
    const result = { value: params.what === "activeTools" ? ["read"] : null, entries: [] };
    this.child.stdio[6].write(`${JSON.stringify({ result, method })}\n`);
  }
  hear(line) {
    const { id, method, params, result, error } = JSON.parse(line);
    if (method === undefined) return this.settle(id, result, error);
    if (id !== undefined) return this.write({ id, result: this.answerTo(method, params) });
    if (method === "ui.notify") this.shown.push(params.arguments[0]);
    if (method === "register") this.registered.push(params);
    if (method === "error") throw new Error(params.stack ?? params.message);
  }
  settle(id, result, error) {
    const { resolve, reject } = this.open.get(id);
    this.open.delete(id);
    if (error) reject(new Error(error.stack ?? error.message));
    else resolve(result);
  }
  answerTo(method, params) {
    if (method === "exec") return { stdout: `${params.args[0]}\n`, stderr: "", code: 0 };
    return method === "ui.select" ? "No" : null;
  }
  request(method, params) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.open.set(id, { resolve, reject });
      this.write({ id, method, params });
    });
  }
}

const engine = new Engine();
let extension = 0;

async function load(name) {
  extension += 1;
  const path = join(examples, `${name}.ts`);
  const loaded = await engine.request("load", { extension, path, generation: 1 });
  assert.deepEqual(loaded.missing, [], name);
  return loaded.registrations;
}

async function handle(registrations, event, fields = {}, shared) {
  const { index } = registrations.find((one) => one.event === event);
  const params = { extension, index, event: { type: event, ...fields }, shared, facts };
  return (await engine.request("handler", params)).returned;
}

async function execute(tool, params) {
  const request = { extension, tool, callId: "c1", params, facts };
  return (await engine.request("tool.execute", request)).result.content[0].text;
}

const command = (name, args = "") => engine.request("command", { extension, name, args, facts });
const call = (toolName, input) => ({ toolName, toolCallId: "c1", input });

async function play() {
  const hello = await engine.request("initialize", { agentDir: folder, seed: 1 });
  assert.equal(hello.protocol, 1);
  await load("hello");
  assert.equal(await execute("hello", { name: "Ada" }), "Hello, Ada!");
  const gate = await load("permission-gate");
  const refused = await handle(gate, "tool_call", call("bash", { command: "sudo x" }), "input");
  assert.deepEqual(refused, { block: true, reason: "Blocked by user" });
  const paths = await load("protected-paths");
  const kept = await handle(paths, "tool_call", call("write", { path: ".env" }), "input");
  assert.equal(kept.block, true);
  const list = await load("todo");
  await handle(list, "session_start", { reason: "startup" });
  assert.match(await execute("todo", { action: "add", text: "buy tea" }), /#1\b.*buy tea/);
  await command("todos");
  await load("tool-override");
  writeFileSync(join(folder, "a.txt"), "one\ntwo\n");
  assert.equal(await execute("read", { path: "a.txt", limit: 1 }), "one");
  await command("read-log");
  const dynamic = await load("dynamic-tools");
  await handle(dynamic, "session_start", { reason: "startup" });
  await command("add-echo-tool", "again");
  assert.equal(await execute("again", { message: "hi" }), "[again] hi");
  assert.deepEqual(engine.registered.map((one) => one.name), ["echo_session", "again"]);
  await load("structured-output");
  const saved = await execute("structured_output", { headline: "h", summary: "s", actionItems: [] });
  assert.equal(saved, "Saved structured output: h");
  await load("truncated-tool");
  await assert.rejects(execute("rg", { pattern: "'" }), /ripgrep failed/);
  const events = await load("event-bus");
  await handle(events, "session_start", { reason: "startup" });
  await command("emit", "ping");
  assert.equal(engine.shown.at(-1), "Event from /emit command: ping");
  const git = await load("git-checkpoint");
  await handle(git, "turn_start", { turnIndex: 0 });
}

try {
  await play();
  console.log("10 passed, 0 failed, 0 skipped");
} finally {
  engine.child.kill();
  rmSync(folder, { recursive: true });
}
