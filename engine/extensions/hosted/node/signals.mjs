// SPDX-License-Identifier: Apache-2.0
// Abort signals of the engine, by their id, while a request that names them is open.
const controllers = new Map();

export function open(id) {
  if (id === undefined) return undefined;
  const found = controllers.get(id) ?? { controller: new AbortController(), users: 0 };
  found.users += 1;
  controllers.set(id, found);
  return found.controller.signal;
}

export function close(id) {
  const found = controllers.get(id);
  if (found === undefined) return;
  found.users -= 1;
  if (found.users === 0) controllers.delete(id);
}

export function abort(id, reason) {
  controllers.get(id)?.controller.abort(new Error(reason || "aborted"));
}
