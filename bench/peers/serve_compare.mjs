// SPDX-License-Identifier: Apache-2.0
// Requests a second and processor time a request of `plumb serve` and aimock, in rounds that
// alternate: node serve_compare.mjs PATH_OF_PLUMB. Environment: ROUNDS (5), SECONDS each (1).
// Then: 1,000 streams at once, all answered, and memory over 100,000 requests.
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { text, chunk } from "./serve_text.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const rounds = Number(process.env.ROUNDS ?? 5);
const seconds = Number(process.env.SECONDS ?? 1);
const connections = 16;
const ticks_a_second = 100;
const one_write_min = 2.5;
const events_min = 1.5;
const object_min = one_write_min;
const processor_min = 2;
const program = process.argv[2];
const folder = mkdtempSync(path.join(os.tmpdir(), "plumb-serve-"));
const run = promisify(execFile);
const servers = [];
let failed = 0;
let passed = 0;

const expect = (holds, what) => {
  console.log(`${holds ? "ok  " : "FAIL"} ${what}`);
  if (holds) passed += 1;
  else failed += 1;
};

const start = (command, args, cwd) => {
  const server = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "inherit"] });
  servers.push(server);
  let out = "";
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${command} does not listen`)), 30_000);
    server.stdout.on("data", (bytes) => {
      out += bytes;
      const found = /listening on (\S+)/.exec(out);
      if (!found) return;
      clearTimeout(timer);
      resolve({ url: found[1], pid: server.pid });
    });
  });
};

const script = path.join(folder, "script.yaml");
writeFileSync(script, JSON.stringify({
  scenario: "one text again and again", rules: ["WIRE-07"],
  steps: [{ user: "hello" }, { model: { text, chunk } }],
}));
const ours = (write) => start(program, ["serve", script, "--loop", "--write", write]);

const apis = {
  messages: { route: "/v1/messages", more: { max_tokens: 1000 } },
  chat: { route: "/v1/chat/completions", more: {} },
};
const body_of = (api, stream) => JSON.stringify({
  model: "fake-1", stream, messages: [{ role: "user", content: "hello" }], ...apis[api].more,
});

/** A Lua script for wrk that posts this body. */
const post_file = (api, stream) => {
  const file = path.join(folder, `${api}-${stream}.lua`);
  writeFileSync(file, [
    'wrk.method = "POST"',
    `wrk.body = ${JSON.stringify(body_of(api, stream))}`,
    'wrk.headers["Content-Type"] = "application/json"',
    'wrk.headers["x-api-key"] = "k"',
    'wrk.headers["authorization"] = "Bearer k"',
    'wrk.headers["anthropic-version"] = "2023-06-01"', ""].join("\n"));
  return file;
};

const ticks_of = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return Number(fields[11]) + Number(fields[12]);
};
const resident_mb = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;

const load = async (server, api, stream, { count = connections, time = seconds } = {}) => {
  const before = ticks_of(server.pid);
  const { stdout } = await run("wrk", ["-t1", `-c${count}`, `-d${time}s`, "--timeout", "20s",
    "-s", post_file(api, stream), server.url + apis[api].route]);
  const requests = Number(/(\d+) requests in/.exec(stdout)[1]);
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)[1]);
  const bad = Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0);
  const cpu_us = ((ticks_of(server.pid) - before) / ticks_a_second) * 1e6 / requests;
  return { rate, cpu_us, requests, bad, errors: /Socket errors: (.*)/.exec(stdout)?.[1] ?? "" };
};

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** The text that a client puts together. */
const text_of = async (server, api, stream) => {
  const response = await fetch(server.url + apis[api].route, {
    method: "POST", body: body_of(api, stream),
    headers: { "content-type": "application/json", "x-api-key": "k", authorization: "Bearer k",
      "anthropic-version": "2023-06-01" },
  });
  const bytes = await response.text();
  const parts = stream
    ? bytes.split("\n").filter((line) => /^data: \{/.test(line)).map((line) =>
      JSON.parse(line.slice(6)))
    : [JSON.parse(bytes)];
  return parts.map((part) => part.delta?.text ?? part.choices?.[0]?.delta?.content ??
    part.choices?.[0]?.message?.content ?? part.content?.[0]?.text ?? "").join("");
};

const compare = async (title, one, other, api, stream, least) => {
  const pairs = [];
  // What a compiler at run time makes of it counts, not how long it takes for that.
  for (const server of [one, other]) await load(server, api, stream);
  for (let round = 0; round < rounds; round += 1) {
    const first = await load(one, api, stream);
    const second = await load(other, api, stream);
    pairs.push({ rate: first.rate / second.rate, cpu: second.cpu_us / first.cpu_us, first, second });
  }
  const mid = (pick) => median(pairs.map(pick));
  console.log(`${title}: ${Math.round(mid((p) => p.first.rate))} and ` +
    `${Math.round(mid((p) => p.second.rate))} requests a second; ` +
    `${mid((p) => p.first.cpu_us).toFixed(0)} and ${mid((p) => p.second.cpu_us).toFixed(0)} us ` +
    "of a processor each");
  const spread = pairs.map((p) => p.rate).toSorted((a, b) => a - b);
  expect(mid((p) => p.rate) >= least, `${title}: ${mid((p) => p.rate).toFixed(2)} times the ` +
    `requests (${spread[0].toFixed(2)} to ${spread.at(-1).toFixed(2)}), expected ${least}`);
  expect(mid((p) => p.cpu) >= processor_min, `${title}: 1/${mid((p) => p.cpu).toFixed(2)} of the ` +
    `processor time, expected 1/${processor_min}`);
  expect(pairs.every((p) => p.first.bad + p.second.bad === 0), `${title}: all answered with 200`);
};

try {
  const all = await ours("all");
  const event = await ours("event");
  const aimock = await start(process.execPath, ["aimock.mjs"], here);
  for (const api of Object.keys(apis)) {
    for (const stream of [true, false]) {
      const texts = [];
      for (const server of [all, event, aimock]) texts.push(await text_of(server, api, stream));
      expect(texts.every((one) => one === text), `${api} ${stream ? "stream" : "object"}: equal`);
    }
    await compare(`${api}, one write`, all, aimock, api, true, one_write_min);
    await compare(`${api}, event by event`, event, aimock, api, true, events_min);
    await compare(`${api}, object`, all, aimock, api, false, object_min);
  }
  const crowd = await load(event, "messages", true, { count: 1000, time: 5 });
  expect(crowd.errors === "" && crowd.bad === 0 && crowd.requests >= 1000,
    `1,000 streams at once: ${crowd.requests} replies, errors: ${crowd.errors || "none"}`);
  const before = resident_mb(all.pid);
  let requests = 0;
  while (requests < 100_000) requests += (await load(all, "messages", true, { time: 2 })).requests;
  const after = resident_mb(all.pid);
  expect(after <= before * 1.1 + 2, `memory over ${requests} requests: ${before.toFixed(1)} MB, ` +
    `then ${after.toFixed(1)} MB`);
} finally {
  for (const server of servers) server.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed, 0 skipped`);
process.exit(failed === 0 ? 0 : 1);
