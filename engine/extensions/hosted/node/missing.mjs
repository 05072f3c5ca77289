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

/** A module in which every name that is not there is a missing one. */
export function withMissing(module, names) {
  return new Proxy(names, {
    get(target, name) {
      if (Reflect.has(target, name) || typeof name === "symbol") return Reflect.get(target, name);
      if (name === "default" || name === "then" || name === "__esModule") return undefined;
      return missingName(module, name);
    },
  });
}
