// SPDX-License-Identifier: Apache-2.0
// The official SDKs against `plumb serve`: node sdk_checks.mjs PATH_OF_PLUMB. Standard library and
// the SDKs only.
import { createRequire } from "node:module";
import process from "node:process";

import { chat_checks } from "./chat_checks.mjs";
import { run_checks, serve } from "./checks.mjs";
import { messages_checks } from "./messages_checks.mjs";

const require = createRequire(import.meta.url);
const checks_a_dialect_min = 70;

const sdks_of = async (names, url_of) =>
  Promise.all(names.map(async (name) => {
    const { default: Client } = await import(name);
    const { version } = require(`./node_modules/${name}/package.json`);
    const open = (base, retries = 0) =>
      new Client({ baseURL: url_of(base), apiKey: "k", maxRetries: retries, timeout: 20_000 });
    return { name, version, open };
  }));

const program = process.argv[2];
if (!program) {
  console.error("usage: node sdk_checks.mjs PATH_OF_PLUMB");
  process.exit(4);
}
// A check that hangs is a failure of all.
const watchdog = setTimeout(() => {
  console.error("the checks do not end");
  process.exit(3);
}, 300_000);

const dialects = [
  ["Anthropic Messages", messages_checks,
    await sdks_of(["anthropic-new", "anthropic-old"], (base) => base)],
  ["OpenAI Chat Completions", chat_checks,
    await sdks_of(["openai-new", "openai-old"], (base) => `${base}/v1`)],
];
const server = await serve(program, [...messages_checks, ...chat_checks]);
let passed = 0;
let failed = 0;
for (const [title, checks, clients] of dialects) {
  const count = await run_checks(checks, clients, server.url);
  const versions = clients.map((client) => client.version).join(" and ");
  console.log(`${title}, SDK ${versions}: ${count.passed} of ${count.passed + count.failed}`);
  passed += count.passed;
  failed += count.failed;
  if (count.passed + count.failed < checks_a_dialect_min) {
    failed += 1;
    console.log(`FAIL ${title}: fewer than ${checks_a_dialect_min} checks`);
  }
}
const { code, complaints } = await server.stop();
// Checks ask for what must be refused: the server has to say so, and to end as asked.
if (code !== 1 || !complaints.includes("missing_result")) {
  failed += 1;
  console.log(`FAIL the server ended with ${code}: ${complaints.slice(-400)}`);
}
clearTimeout(watchdog);
console.log(`[  PASSED  ] ${passed} tests.`);
console.log(`${passed} passed, ${failed} failed, 0 skipped`);
process.exit(failed === 0 ? 0 : 1);
