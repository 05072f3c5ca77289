// SPDX-License-Identifier: Apache-2.0
// Tells the engine when nothing in this process can happen by itself any more, and what it still
// waits for: timers and calls of the engine, or native work (files, children, sockets) that the
// engine cannot see.
import { send } from "./channel.mjs";
import { hasImmediates, real, timerCount } from "./world.mjs";

const POLL_MS = 1;
/** Handles that wait for somebody else and would wait for ever. */
const PASSIVE = new Set([
  "Immediate",
  "Timeout",
  "TCPServerWrap",
  "PipeServerWrap",
  "FSEventWrap",
  "StatWatcher",
  "SignalWrap",
  "TTYWrap",
]);

let baseline = new Map();
let callCount = () => 0;
let lastSeq = 0;
let isPolling = false;

function counts() {
  const found = new Map();
  for (const type of process.getActiveResourcesInfo()) {
    found.set(type, (found.get(type) ?? 0) + 1);
  }
  return found;
}

/** What this process itself holds open is none of the extensions'. */
export function begin(calls) {
  void process.stdout;
  void process.stderr;
  baseline = counts();
  // Requests that are under way here, of the loading of this very module, end by themselves.
  for (const type of baseline.keys()) if (type.includes("Req")) baseline.delete(type);
  callCount = calls;
}

/** Types of what is open beside that, sorted; timers of the engine are not among them. */
export function openResources() {
  const types = [];
  for (const [type, count] of counts()) {
    if (type === "Immediate" || type === "Timeout") continue;
    for (let left = count - (baseline.get(type) ?? 0); left > 0; left -= 1) types.push(type);
  }
  return types.sort();
}

function nativeCount() {
  return openResources().filter((type) => !PASSIVE.has(type)).length;
}

function report(native) {
  const params = { after: lastSeq, timers: timerCount(), native, calls: callCount() };
  send({ method: "idle", params });
}

/** Native work ends in its own time: looks again until it has. */
function poll() {
  real.setTimeout(() => {
    if (hasImmediates()) return poll();
    const native = nativeCount();
    if (native > 0) return poll();
    isPolling = false;
    report(0);
  }, POLL_MS);
}

function check() {
  if (hasImmediates()) return void real.setImmediate(check);
  const native = nativeCount();
  report(native);
  if (native === 0 || isPolling) return;
  isPolling = true;
  poll();
}

/** Says `idle` once what the message with this number set off has run out. */
export function settleAfter(seq) {
  lastSeq = seq;
  // Promises are settled before an immediate runs.
  real.setImmediate(check);
}
