// SPDX-License-Identifier: Apache-2.0
// The other side of the comparison: the published pi's own loop, session and tools, in process.
// Reads the name of a workload a line and answers with a line of JSON, {ms, cpu, proof}: the mean
// wall and processor time of as many repetitions as fit into the time that ours gets too, and a
// digest of what came out.
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";

process.env.PI_OFFLINE = "1";
const ai = await import("@earendil-works/pi-ai");
const core = await import("@earendil-works/pi-agent-core");
const pi = await import("@earendil-works/pi-coding-agent");

const SECONDS = Number(process.env.SECONDS ?? "0.3");
const root = fs.mkdtempSync(path.join(os.tmpdir(), "plumb-peer-"));
/** Milliseconds of wall and processor time (all threads) that `work` takes. */
async function timed(work) {
  const used = process.cpuUsage(), begin = performance.now();
  const result = await work();
  const ms = performance.now() - begin, { user, system } = process.cpuUsage(used);
  return { ms, cpu: (user + system) / 1000, result };
}
const digest = (text) => createHash("sha256").update(text).digest("hex");

// ---- turns and batches: the same script of calls as bench/run_workloads.h

const noop = {
  name: "noop", label: "noop", description: "does nothing",
  parameters: { type: "object", properties: { i: { type: "number" } } },
  execute: async () => ({ content: [{ type: "text", text: "ok" }], details: {} }),
};

function script(turns, calls) {
  const answers = [];
  for (let turn = 0; turn < turns; turn++) {
    const blocks = [];
    for (let i = 0; i < calls; i++) {
      blocks.push(ai.fauxToolCall("noop", { i }, { id: `c${turn}_${i}` }));
    }
    answers.push(ai.fauxAssistantMessage(blocks, { stopReason: "toolUse" }));
  }
  return [...answers, ai.fauxAssistantMessage("done")];
}

const as_blocks = (content) =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;

/** As conversation_digest of bench/run_workloads.h. */
function conversation(messages) {
  let lines = "";
  for (const message of messages) {
    if (message.role === "system") continue;
    const blocks = as_blocks(message.content).map((block) =>
      block.type === "text"
        ? { type: "text", text: block.text }
        : { type: block.type, id: block.id, name: block.name, arguments: block.arguments });
    const line = [message.role, blocks];
    for (const key of ["toolCallId", "toolName", "isError", "stopReason"]) {
      if (message[key] !== undefined) line.push(message[key]);
    }
    lines += JSON.stringify(line) + "\n";
  }
  return digest(lines);
}

const one_piece = { tokenSize: { min: 100000, max: 100000 } };

/** The bare loop of pi-agent-core: no session, no extensions, nothing stored. */
async function loop_run(turns, calls) {
  const faux = ai.createFauxCore(one_piece);
  faux.setResponses(script(turns, calls));
  const messages = [];
  const emit = async (event) => { if (event.type === "message_end") messages.push(event.message); };
  const prompt = { role: "user", content: "go", timestamp: 0 };
  const context = { systemPrompt: "x", messages: [], tools: [noop] };
  const config = { model: faux.getModel(), convertToLlm: (all) => all, apiKey: "k" };
  const time = await timed(() =>
    core.runAgentLoop([prompt], context, config, emit, undefined, faux.streamSimple));
  return { ...time, proof: conversation(messages) };
}

const no_resources = {
  getExtensions: () => ({ extensions: [], errors: [], runtime: pi.createExtensionRuntime() }),
  getSkills: () => ({ skills: [], diagnostics: [] }),
  getPrompts: () => ({ prompts: [], diagnostics: [] }),
  getThemes: () => ({ themes: [], diagnostics: [] }),
  getAgentsFiles: () => ({ agentsFiles: [] }),
  getSystemPrompt: () => "x", getSystemPromptSource: () => undefined,
  getAppendSystemPrompt: () => [], getAppendSystemPromptSources: () => [],
  extendResources: () => {}, reload: async () => {},
};

/** A session of pi-coding-agent, kept in memory. Only the prompt is timed, not what makes it. */
async function session_run(turns, calls) {
  const faux = ai.fauxProvider(one_piece);
  const modelRuntime = await pi.ModelRuntime.create({
    authPath: path.join(root, "auth.json"), modelsPath: null,
    modelsStorePath: path.join(root, "store.json"), refreshOnCreate: false,
  });
  modelRuntime.registerNativeProvider(faux.provider);
  const { session } = await pi.createAgentSession({
    cwd: root, agentDir: root, model: faux.getModel(), thinkingLevel: "off", modelRuntime,
    resourceLoader: no_resources, tools: ["noop"], customTools: [noop],
    sessionManager: pi.SessionManager.inMemory(root),
    settingsManager: pi.SettingsManager.inMemory({
      compaction: { enabled: false }, retry: { enabled: false },
    }),
  });
  faux.setResponses(script(turns, calls));
  const messages = [];
  session.subscribe((event) => { if (event.type === "message_end") messages.push(event.message); });
  const time = await timed(() => session.prompt("go"));
  session.dispose();
  return { ...time, proof: conversation(messages) };
}

// ---- files: the same text and edits as bench/file_workloads.h

const LINES = 200000;
const line_of = (number) => `value_${number} = `.padEnd(49, "x");
const large = Array.from({ length: LINES }, (_, i) => line_of(i) + "\n").join("");
const file = path.join(root, "large.txt");
fs.writeFileSync(file, large);
const edit = pi.createEditTool(root);
const read = pi.createReadTool(root);

async function edit_run(count) {
  const edits = [];
  for (let i = 0; i < count; i++) {
    const number = Math.floor(((2 * i + 1) * LINES) / (2 * count));
    edits.push({ oldText: line_of(number), newText: `changed ${number}` });
  }
  const time = await timed(() => edit.execute("c1", { path: file, edits }));
  const proof = digest(fs.readFileSync(file));
  fs.writeFileSync(file, large);
  return { ...time, proof };
}

async function read_run(line) {
  const time = await timed(() => read.execute("c1", { path: file, offset: line }));
  return { ...time, proof: digest(time.result.content[0].text) };
}

const workloads = {
  "turns in a session": () => session_run(100, 1),
  "turns in the bare loop": () => loop_run(100, 1),
  "batch of 128 in a session": () => session_run(1, 128),
  "batch of 128 in the bare loop": () => loop_run(1, 128),
  "edit 100": () => edit_run(100),
  "edit 10": () => edit_run(10),
  "edit 1": () => edit_run(1),
  "read near the end": () => read_run(LINES - 499),
};

/** Repeats until the time is up, at least once; every repetition must come to the same. */
async function repeat(run) {
  let ms = 0, cpu = 0, count = 0, proof;
  while (count === 0 || ms < SECONDS * 1000) {
    const result = await run();
    if (proof !== undefined && proof !== result.proof) throw new Error("two runs differ");
    proof = result.proof;
    ms += result.ms;
    cpu += result.cpu;
    count++;
  }
  return { ms: ms / count, cpu: cpu / count, proof };
}

for await (const name of readline.createInterface({ input: process.stdin })) {
  const run = workloads[name];
  const answer = run ? await repeat(run) : { error: `no workload '${name}'` };
  process.stdout.write(JSON.stringify(answer) + "\n");
}
fs.rmSync(root, { recursive: true, force: true });
process.exit(0);
