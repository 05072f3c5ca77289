// SPDX-License-Identifier: Apache-2.0
// Judges the released pi by our scenarios on both dialects, and extensions with planted bugs:
//   node pi_checks.mjs PATH_OF_PLUMB
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.resolve(HERE, "../../../..");
const PLUMB = path.resolve(process.argv[2] ?? "plumb");
const OUT = fs.mkdtempSync(path.join(os.tmpdir(), "plumb-pi-checks-"));

/** The bug in each of fixtures/extensions/pi_bad: a scenario that shows it, the rule it breaks. */
const BUGS = {
  "clips-results": ["read/READ-05-hints-lead-through-the-file", "RESULT-01"],
  "drops-results": ["batch/BATCH-05-parallel-results-keep-the-order", "RESULT-01"],
  "eats-steering": ["event/EVENT-31-steering-waits-for-the-batch", "EVENT-31"],
  "formats-behind": ["write/WRITE-01-files-and-folders-are-made", "WRITE-03"],
  "hides-errors": ["edit/EDIT-09-an-error-leads-to-a-better-try", "RESULT-04"],
  "moves-paths": ["read/READ-05-hints-lead-through-the-file", "TOOL-07"],
  "reverses-results": ["batch/BATCH-05-parallel-results-keep-the-order", "BATCH-06"],
  "shuffles-tools": ["batch/BATCH-05-parallel-results-keep-the-order", "CACHE-10"],
  "stamps-prompt": ["cache/CACHE-21-an-added-tool-breaks-once", "CACHE-21"],
  "trims-schemas": ["batch/BATCH-05-parallel-results-keep-the-order", "PROMPT-01"],
};
const ROWS_MAX = 15;

let failed = 0;
let passed = 0;
function check(name, isGood, more = "") {
  if (isGood) ++passed;
  else ++failed;
  if (!isGood) console.log(`FAIL ${name}${more ? `\n${more}` : ""}`);
}

function judge(name, scenarios, options = [], extensions = []) {
  const out = path.join(OUT, name);
  const adapter = [process.execPath, path.join(HERE, "adapter.mjs"), ...extensions];
  const run = spawnSync(PLUMB, ["run", ...scenarios.map((one) => path.join(ROOT, "scenarios", one)),
    "--subject", adapter.join(" "), "--subject-timeout", "15", "--out", out, ...options],
  { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 28 });
  const record = path.join(out, "record.json");
  const said = `${run.stdout}\n${run.stderr}`.split("\n").filter((line) => !/reproduce/.test(line));
  return { code: run.status, said: said.slice(-60).join("\n"),
    record: fs.existsSync(record) ? JSON.parse(fs.readFileSync(record, "utf8")) : undefined };
}

/** Counts of what one run played and judged. */
function counts({ record }) {
  const { scenarios = 0, scenarios_skipped: skipped = 0, rules_passed: good = 0,
    rules_failed: bad = 0 } = record?.summary ?? {};
  return { scenarios: scenarios - skipped, rules: good + bad };
}

const expected = ["--expectations", path.join(HERE, "expected.yaml")];

const rows = fs.readFileSync(path.join(HERE, "expected.yaml"), "utf8").match(/^ {2}- /gm).length;
check("at most 15 differences are expected", rows <= ROWS_MAX, `${rows} rows`);

const began = Date.now();
const messages = judge("messages", [""], expected);
const onMessages = counts(messages);
check("pi on Messages", messages.code === 0, messages.said);
check("at least 100 scenarios on Messages", onMessages.scenarios >= 100);
check("verdicts for at least 80 rules", onMessages.rules >= 80);
const chat = judge("chat", [""], ["--subject-api", "chat", ...expected]);
const onChat = counts(chat);
check("pi on Chat Completions", chat.code === 0, chat.said);
check("at least 40 scenarios on Chat Completions", onChat.scenarios >= 40);
const seconds = Math.round((Date.now() - began) / 1000);

const folder = path.join(ROOT, "fixtures/extensions/pi_bad");
const files = fs.readdirSync(folder).filter((name) => name.endsWith(".ts")).sort();
check("each planted bug has its rule",
  files.join() === Object.keys(BUGS).map((name) => `${name}.ts`).join(), files.join());
for (const [name, [scenario, rule]] of Object.entries(BUGS)) {
  const run = judge(name, [`${scenario}.yaml`], [], [path.join(folder, `${name}.ts`)]);
  const broken = new Set((run.record?.scenarios ?? []).flatMap((one) => one.rules)
    .filter((one) => one.verdict === "fail").map((one) => one.rule));
  check(`${name} breaks ${rule}`, run.code === 1 && broken.has(rule),
    `exit ${run.code}, broken: ${[...broken].join(" ")}\n${run.said.slice(-2_000)}`);
}

console.log(`Messages: ${onMessages.scenarios} scenarios, ${onMessages.rules} rules; ` +
  `Chat Completions: ${onChat.scenarios} scenarios, ${onChat.rules} rules; ${seconds} s; ` +
  `${files.length} planted bugs`);
fs.rmSync(OUT, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed, 0 skipped`);
process.exit(failed === 0 ? 0 : 1);
