// SPDX-License-Identifier: Apache-2.0
// Turns a file of TypeScript or JavaScript into a factory. Pi's own packages are this host's small
// versions of them; typebox is the real one.
import { createJiti } from "jiti";
import * as typebox from "typebox";
import * as typeboxCompile from "typebox/compile";
import * as typeboxValue from "typebox/value";

import { withMissing } from "./missing.mjs";
import { piAi } from "./provided/pi_ai.mjs";
import { piCodingAgent } from "./provided/pi_coding_agent.mjs";
import { piTui } from "./provided/pi_tui.mjs";

/** pi's packages were published under both. */
const SCOPES = ["@earendil-works", "@mariozechner"];

function piPackages(agentDir) {
  return {
    "pi-coding-agent": piCodingAgent(agentDir),
    "pi-agent-core": {},
    "pi-tui": piTui,
    "pi-ai": piAi,
    "pi-ai/compat": piAi,
  };
}

function virtualModules(packages) {
  const modules = {};
  for (const [name, names] of Object.entries(packages)) {
    const module = withMissing(name, names);
    for (const scope of SCOPES) modules[`${scope}/${name}`] = module;
  }
  for (const prefix of ["typebox", "@sinclair/typebox"]) {
    modules[prefix] = typebox;
    modules[`${prefix}/compile`] = typeboxCompile;
    modules[`${prefix}/value`] = typeboxValue;
  }
  return modules;
}

export class Loader {
  #packages;
  #jiti;
  #factories = new Map();

  constructor(agentDir) {
    this.#packages = piPackages(agentDir);
    this.#jiti = createJiti(import.meta.url, {
      moduleCache: false,
      fsCache: false,
      tryNative: false,
      virtualModules: virtualModules(this.#packages),
    });
  }
  /** The names that each of pi's packages has here. */
  provided() {
    const names = Object.entries(this.#packages).map(([name, has]) => [name, Object.keys(has)]);
    return Object.fromEntries(names);
  }
  /** One instance of a file in each generation (EXT-01). */
  async factoryOf(path, generation) {
    const key = `${generation} ${path}`;
    if (!this.#factories.has(key)) {
      this.#factories.set(key, await this.#jiti.import(path, { default: true }));
    }
    const factory = this.#factories.get(key);
    if (typeof factory !== "function") {
      throw new Error("it has no factory: its default export is no function");
    }
    return factory;
  }
}
