// SPDX-License-Identifier: Apache-2.0
// Calls of the engine that take their time: a promise here, an answer from there.
import { send } from "./channel.mjs";

const open = new Map();
let nextCall = 1;

export function openCallCount() {
  return open.size;
}

/** `options.signal` takes the call back; `options.onUpdate` hears what comes before its end. */
export function call(method, params, options = {}) {
  const { signal, onUpdate } = options;
  const id = nextCall++;
  return new Promise((resolve, reject) => {
    open.set(id, { resolve, reject, onUpdate });
    signal?.addEventListener("abort", () => cancel(id), { once: true });
    send({ id, method, params });
    if (signal?.aborted) cancel(id);
  });
}

/** The engine ends what it can, and answers all the same. */
function cancel(id) {
  if (open.has(id)) send({ method: "cancel", params: { call: id } });
}

/** An answer of the engine. */
export function settle({ id, result, error }) {
  const waiting = open.get(id);
  if (waiting === undefined) return;
  open.delete(id);
  if (error === undefined) waiting.resolve(result ?? undefined);
  else waiting.reject(new Error(error.message));
}

export function update({ call: id, partial }) {
  open.get(id)?.onUpdate?.(partial);
}
