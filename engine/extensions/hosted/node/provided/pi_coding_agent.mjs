// SPDX-License-Identifier: Apache-2.0
// What extensions import as values from pi's main package.
import { realpathSync } from "node:fs";
import { resolve } from "node:path";

import { ask } from "../channel.mjs";
import { call } from "../calls.mjs";
import { Component } from "./pi_tui.mjs";
import { theme } from "./theme.mjs";
import * as truncate from "./truncate.mjs";

/** The release whose interface this is. */
const VERSION = "1.6.0";

const queues = new Map();

function keyOf(path) {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch {
    return absolute;
  }
}

/** Work on one file, one after the other. */
async function withFileMutationQueue(path, work) {
  const key = keyOf(path);
  const before = queues.get(key) ?? Promise.resolve();
  const mine = before.then(work);
  const done = mine.catch(() => {});
  queues.set(key, done);
  try {
    return await mine;
  } finally {
    if (queues.get(key) === done) queues.delete(key);
  }
}

/** A built-in tool of the engine; its execute runs there. */
function builtin(name) {
  const definition = ask("get", { what: "builtin", name }).value;
  return {
    ...definition,
    execute: (callId, params, signal, onUpdate) =>
      call("builtin.execute", { name, callId, params }, { signal, onUpdate }),
  };
}

const builtins = {};
for (const name of ["Read", "Bash", "Edit", "Write"]) {
  builtins[`create${name}Tool`] = () => builtin(name.toLowerCase());
  builtins[`create${name}ToolDefinition`] = () => builtin(name.toLowerCase());
}

const guards = { isToolCallEventType: (name, event) => event.toolName === name };
for (const name of ["Bash", "Read", "Edit", "Write", "Grep", "Find", "Ls"]) {
  guards[`is${name}ToolResult`] = (event) => event.toolName === name.toLowerCase();
}

/** `agentDir`: the host's own folder for the user's settings. */
export function piCodingAgent(agentDir) {
  return {
    ...builtins,
    ...guards,
    ...truncate,
    VERSION,
    CONFIG_DIR_NAME: ".pi",
    getAgentDir: () => agentDir,
    defineTool: (tool) => tool,
    withFileMutationQueue,
    getMarkdownTheme: () => theme,
    getSettingsListTheme: () => theme,
    CustomEditor: class CustomEditor extends Component {},
    BorderedLoader: class BorderedLoader extends Component {},
    DynamicBorder: class DynamicBorder extends Component {},
  };
}
