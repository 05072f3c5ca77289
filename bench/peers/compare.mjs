// SPDX-License-Identifier: Apache-2.0
// Ours and theirs, workload by workload, in turns (ours, theirs, ours, theirs, ...) on one machine:
//   compare.mjs FOLDER_OF_OUR_BENCHMARKS
// The outputs of both are shown to be equal; medians and the ratio theirs / ours are
// printed. Ours are the programs of bench/ as they stand, theirs is pi.mjs. ROUNDS (7), SECONDS
// (0.3) and ONLY (a part of a workload's name) come from the environment.
import { execFileSync, spawn } from "node:child_process";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2];
if (!folder) {
  console.error("usage: compare.mjs FOLDER_OF_OUR_BENCHMARKS");
  process.exit(4);
}
const ROUNDS = Number(process.env.ROUNDS ?? "7");
const SECONDS = process.env.SECONDS ?? "0.3";
const ONLY = process.env.ONLY ?? "";

// `target`: how many times faster ours is to be. `floor`: what the file system alone needs.
const TURNS = "turn/judged/turns:100", BATCH = "batch/calls:128/sequential:0/hooks:0";
const LINE = "read/tool_10MB/line:199501";
const edit = (count) => `edit/tool_10MB/edits:${count}`;
const edit_floor = ["edit_bench", "edit/floor_read_write_10MB"];
const rows = [
  { theirs: "turns in a session", ours: ["turn_bench", TURNS], target: 10, parts: 100 },
  { theirs: "turns in the bare loop", ours: ["turn_bench", TURNS], target: 10, parts: 100 },
  { theirs: "batch of 128 in a session", ours: ["tool_batch_bench", BATCH], target: 10, parts: 1 },
  { theirs: "batch of 128 in the bare loop", ours: ["tool_batch_bench", BATCH], parts: 1 },
  { theirs: "edit 100", ours: ["edit_bench", edit(100)], target: 50, parts: 1, floor: edit_floor },
  { theirs: "edit 10", ours: ["edit_bench", edit(10)], target: 8, parts: 1, floor: edit_floor },
  { theirs: "edit 1", ours: ["edit_bench", edit(1)], target: 4, parts: 1, floor: edit_floor },
  { theirs: "read near the end", ours: ["read_bench", LINE], target: 10, parts: 1,
    floor: ["read_bench", "read/floor_10MB"] },
].filter((row) => row.theirs.includes(ONLY));

const unit_ms = { ns: 1e-6, us: 1e-3, ms: 1, s: 1000 };

/** One run of one of our benchmarks: mean wall and processor time, and its label, the digest. */
function run_ours([program, name]) {
  const words = [
    `--benchmark_filter=^${name}$`, `--benchmark_min_time=${SECONDS}`, "--benchmark_format=json",
  ];
  const text = execFileSync(path.join(folder, program), words, {
    cwd: path.join(here, "../.."), encoding: "utf8", stdio: ["ignore", "pipe", "ignore"],
  });
  const [run] = JSON.parse(text).benchmarks;
  if (!run || run.error_occurred) {
    throw new Error(`${program} ${name}: ${run?.error_message ?? "no such benchmark"}`);
  }
  const unit = unit_ms[run.time_unit];
  return { ms: run.real_time * unit, cpu: run.cpu_time * unit, proof: run.label };
}

const peer = spawn(process.execPath, [path.join(here, "pi.mjs")], {
  stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, SECONDS },
});
const answers = readline.createInterface({ input: peer.stdout })[Symbol.asyncIterator]();

async function run_theirs(name) {
  peer.stdin.write(name + "\n");
  const { value, done } = await answers.next();
  if (done) throw new Error("the peer ended");
  const answer = JSON.parse(value);
  if (answer.error) throw new Error(answer.error);
  return answer;
}

const median = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b), middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};
const shown = (number) => (number >= 100 ? number.toFixed(0) : number.toPrecision(3));

const cores = `${os.cpus().length} x ${os.cpus()[0].model.trim()}`;
const load = os.loadavg()[0].toFixed(2);
console.log(`${cores}, load ${load}, node ${process.version}, ${ROUNDS} rounds`);
console.log("milliseconds, medians; ratio: theirs / ours, median of the rounds [least .. most];");
console.log("cpu: the same ratio of processor times, which another process's load hardly moves\n");
const head = ["workload", "ours", "theirs", "floor", "ratio", "", "cpu", "target", "output"];
const widths = [31, 8, 8, 8, 6, 16, 6, 7, 7];
const pad = (cell, i) => (i ? cell.padStart(widths[i]) : cell.padEnd(widths[i]));
const print = (cells) => console.log(cells.map(pad).join(" "));
print(head);
let differs = 0, missed = 0;
for (const row of rows) {
  await run_theirs(row.theirs); // compiles what will be hot
  const first = run_ours(row.ours), warm = await run_theirs(row.theirs);
  if (first.proof !== warm.proof) differs++;
  const ours = [], theirs = [], floor = [];
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(run_ours(row.ours));
    theirs.push(await run_theirs(row.theirs));
    if (row.floor) floor.push(run_ours(row.floor).ms);
  }
  const ratios = theirs.map((run, i) => run.ms / ours[i].ms), ratio = median(ratios);
  const cpu = median(theirs.map((run, i) => run.cpu / ours[i].cpu));
  const each = (runs) => shown(median(runs.map((run) => run.ms)) / row.parts);
  if (row.target && ratio < row.target) missed++;
  print([
    row.theirs, each(ours), each(theirs), row.floor ? shown(median(floor)) : "",
    shown(ratio), `[${shown(Math.min(...ratios))} .. ${shown(Math.max(...ratios))}]`, shown(cpu),
    row.target ? `${row.target}${ratio < row.target ? " no" : " ok"}` : "",
    first.proof === warm.proof ? "equal" : "DIFFERS",
  ]);
}
peer.stdin.end();
console.log(`\n${differs} outputs differ, ${missed} targets missed`);
process.exit(differs > 0 ? 1 : 0);
