// SPDX-License-Identifier: Apache-2.0
// A theme without colours: every text stays as it is.
const plain = (...args) => String(args.at(-1) ?? "");

export const theme = new Proxy(
  { name: "plain" },
  { get: (target, name) => (name in target || typeof name === "symbol" ? target[name] : plain) },
);
