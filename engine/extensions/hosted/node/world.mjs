// SPDX-License-Identifier: Apache-2.0
// Time, timers and chance as extensions see them are the engine's: a timer fires when the engine
// says so, the clock stands still between two messages, and chance follows the run's seed.
import { AsyncResource } from "node:async_hooks";
import timers from "node:timers";
import timersPromises from "node:timers/promises";
import { syncBuiltinESMExports } from "node:module";
import { promisify } from "node:util";

import { send } from "./channel.mjs";
import { tellError } from "./errors.mjs";

export const real = { clearImmediate, setImmediate, setTimeout };

const RealDate = Date;
const pending = new Map();
let nextTimer = 1;
const immediates = new Set();
let nowMs = 0;
let startMs;

/** From the engine's message on it is so late. */
export function setNow(ms) {
  nowMs = ms;
  startMs ??= ms;
}

export function timerCount() {
  return pending.size;
}

export function hasImmediates() {
  return immediates.size > 0;
}

function whole(ms) {
  const number = Math.trunc(Number(ms));
  return number >= 1 && number <= 2 ** 31 - 1 ? number : 1;
}

function guarded(run) {
  try {
    run();
  } catch (error) {
    tellError("timer", error);
  }
}

class EngineTimer {
  constructor(run, ms, repeats) {
    this.id = nextTimer++;
    // What it throws is told as of whoever started it.
    this.run = AsyncResource.bind(() => guarded(run));
    this.ms = whole(ms);
    this.repeats = repeats;
    this.start();
  }
  start() {
    pending.set(this.id, this);
    send({ method: "timer.start", params: { timer: this.id, ms: this.ms } });
  }
  close() {
    if (pending.delete(this.id)) send({ method: "timer.clear", params: { timer: this.id } });
    return this;
  }
  refresh() {
    this.close();
    this.start();
    return this;
  }
  ref() {
    return this;
  }
  unref() {
    return this;
  }
  hasRef() {
    return true;
  }
  [Symbol.toPrimitive]() {
    return this.id;
  }
}

/** The engine says that a timer is due. */
export function fire(id) {
  const timer = pending.get(id);
  if (timer === undefined) return;
  pending.delete(id);
  if (timer.repeats) timer.start();
  timer.run();
}

function engineTimeout(callback, ms, ...args) {
  return new EngineTimer(() => callback(...args), ms, false);
}

function engineInterval(callback, ms, ...args) {
  return new EngineTimer(() => callback(...args), ms, true);
}

function clearTimer(timer) {
  const found = timer instanceof EngineTimer ? timer : pending.get(Number(timer));
  found?.close();
}

function countedImmediate(callback, ...args) {
  const immediate = real.setImmediate(() => {
    immediates.delete(immediate);
    callback(...args);
  });
  immediates.add(immediate);
  return immediate;
}

function clearCounted(immediate) {
  if (immediates.delete(immediate)) real.clearImmediate(immediate);
}

function timeoutPromise(ms, value, options = {}) {
  const { signal } = options;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = engineTimeout(() => resolve(value), ms);
    signal?.addEventListener("abort", () => {
      timer.close();
      reject(signal.reason);
    });
  });
}

class EngineDate extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(nowMs);
    else super(...args);
  }
  static now() {
    return nowMs;
  }
}

/** A small generator (mulberry32): one seed, one sequence. */
function seededRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** From now on extensions have the engine's time, timers and chance. */
export function take(seed) {
  engineTimeout[promisify.custom] = timeoutPromise;
  countedImmediate[promisify.custom] = (value) =>
    new Promise((resolve) => countedImmediate(resolve, value));
  const changed = {
    setTimeout: engineTimeout,
    setInterval: engineInterval,
    clearTimeout: clearTimer,
    clearInterval: clearTimer,
    setImmediate: countedImmediate,
    clearImmediate: clearCounted,
  };
  Object.assign(globalThis, changed);
  Object.assign(timers, changed);
  timersPromises.setTimeout = timeoutPromise;
  syncBuiltinESMExports();
  globalThis.Date = EngineDate;
  Math.random = seededRandom(seed);
  Object.defineProperty(performance, "now", { value: () => nowMs - startMs });
}
