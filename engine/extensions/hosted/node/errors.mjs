// SPDX-License-Identifier: Apache-2.0
// What was thrown, as the engine is told of it.
import { send } from "./channel.mjs";

/** {message, stack?, isError}: `isError` is false for a thrown value that is no Error (HOOK-09). */
export function describeError(thrown) {
  if (thrown instanceof Error) {
    return { message: thrown.message || thrown.name, stack: thrown.stack, isError: true };
  }
  return { message: String(thrown), isError: false };
}

/** Of work that no request awaits. */
export function tellError(event, thrown) {
  send({ method: "error", params: { event, ...describeError(thrown) } });
}
