// SPDX-License-Identifier: Apache-2.0
// What checks are made of: a script of replies, a server that plays it, and a count.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import os from "node:os";
import path from "node:path";

export const equal = (actual, expected, what) => {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(`${what}: ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`);
};

export const truthy = (value, what) => {
  if (!value) throw new Error(`${what}: ${JSON.stringify(value)}`);
};

/** The error that `work` ends with. */
export const error_of = async (work) => {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
};

export const all_of = async (stream) => {
  const items = [];
  for await (const item of await stream) items.push(item);
  return items;
};

/** Call ids are unique in a scenario. */
const with_ids = (reply, prefix) => {
  if (!reply.calls) return reply;
  return { ...reply, calls: reply.calls.map((call) => ({ ...call, id: `${prefix}${call.id}` })) };
};

/** A scenario (JSON is YAML) whose tracks are the checks. */
const scenario_of = (checks) => ({
  scenario: "replies for the official SDKs",
  rules: ["WIRE-07"],
  steps: [
    { user: "go" },
    ...checks.flatMap(({ track, replies }) =>
      replies.map((reply, i) => ({ model: { track, ...with_ids(reply, `${track}_${i}_`) } }))),
  ],
});

/** Starts `plumb serve` and resolves with its URL once it listens. */
export const serve = async (program, checks, flags = []) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "plumb-wire-"));
  const file = path.join(folder, "script.yaml");
  writeFileSync(file, JSON.stringify(scenario_of(checks), null, 1));
  const server = spawn(program, ["serve", file, ...flags], { stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  let complaints = "";
  server.stderr.on("data", (bytes) => (complaints += bytes));
  const ended = new Promise((resolve) => server.on("close", resolve));
  const url = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("the server does not listen")), 30_000);
    server.stdout.on("data", (bytes) => {
      out += bytes;
      const found = /listening on (\S+)\n/.exec(out);
      if (!found) return;
      clearTimeout(timer);
      resolve(found[1]);
    });
    ended.then(() => reject(new Error(`the server ended: ${complaints}`)));
  });
  const stop = async () => {
    server.kill("SIGTERM");
    const timer = setTimeout(() => server.kill("SIGKILL"), 10_000);
    const code = await ended;
    clearTimeout(timer);
    rmSync(folder, { recursive: true, force: true });
    return { code, out, complaints };
  };
  return { url, stop };
};

/** The log of what a conversation asked. */
export const journal_of = async (url, conversation) => {
  const journal = await (await fetch(`${url}/_plumb/journal`)).json();
  return journal.requests.filter((request) => request.conversation === conversation);
};

/** Runs each check for each client; prints failures and the totals. Returns the count of both. */
export const run_checks = async (checks, clients, url) => {
  let passed = 0;
  let failed = 0;
  for (const client of clients) {
    for (const check of checks) {
      const conversation = `${check.track}-${client.name}`;
      const base = `${url}/c/${conversation}/t/${check.track}`;
      try {
        const log = () => journal_of(url, conversation);
        await check.run(client.open(base), { log, retrying: client.open(base, 2), base });
        passed += 1;
      } catch (error) {
        failed += 1;
        console.log(`FAIL ${client.name}: ${check.title}: ${error?.stack ?? error}`);
        console.log(`[  FAILED  ] ${client.name} ${check.title} (0 ms)`);
      }
    }
  }
  return { passed, failed };
};

/** What the SDKs try again: title, failure, how many requests come in all. */
export const retries = [
  ["429 with retry-after-ms", { kind: "rate_limit", retry_after_ms: 20 }, 2],
  ["an overload", { kind: "overloaded", retry_after_ms: 5 }, 2],
  ["a broken server", { kind: "server", retry_after_ms: 5 }, 2],
  ["no answer at all", { kind: "network" }, 2],
  ["a bad request", { kind: "invalid_request" }, 1],
  ["429 that is not to be tried again", { kind: "rate_limit", should_retry: false }, 1],
  ["400 that is", { kind: "invalid_request", should_retry: true, retry_after_ms: 5 }, 2],
];
