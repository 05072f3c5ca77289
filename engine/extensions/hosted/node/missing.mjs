// SPDX-License-Identifier: Apache-2.0
// Names that extensions ask for and that this host does not have. Each is a function that throws
// when it is called, and is listed with the extension that asked.
const asked = new Set();

/** The function in place of `module.name`. Callable, constructible, extendable. */
export function missingName(module, name) {
  asked.add(`${module}.${String(name)}`);
  return function notProvided() {
    throw new Error(`not provided by this host: ${String(name)}`);
  };
}

/** What has been asked for since the last time, sorted. */
export function takeMissing() {
  const names = [...asked].sort();
  asked.clear();
  return names;
}

/** Names that loaders ask for to find out what a module is. */
const ASKED_BY_LOADERS = new Set(["default", "then", "__esModule"]);

/** A module in which every name that is not there is a missing one. */
export function withMissing(module, names) {
  const isMissing = (target, name) =>
    typeof name === "string" && !ASKED_BY_LOADERS.has(name) && !Reflect.has(target, name);
  return new Proxy(names, {
    has: (target, name) => Reflect.has(target, name) || isMissing(target, name),
    get: (target, name) =>
      isMissing(target, name) ? missingName(module, name) : Reflect.get(target, name),
  });
}
