// SPDX-License-Identifier: Apache-2.0
// What the engine asks of this process: load, call handlers, tools and commands, dispose.
import { readFileSync } from "node:fs";

import { Extension, makeApi } from "./api.mjs";
import { Bus } from "./bus.mjs";
import { send } from "./channel.mjs";
import { makeContext, makeToolContext } from "./context.mjs";
import { Loader } from "./loader.mjs";
import { takeMissing } from "./missing.mjs";
import { openResources } from "./quiet.mjs";
import * as signals from "./signals.mjs";
import { take } from "./world.mjs";

const PROTOCOL = 1;

const extensions = new Map();
let bus = new Bus();
let loader;

function found(id) {
  const extension = extensions.get(id);
  if (extension === undefined) throw new Error(`there is no extension ${id}`);
  extension.checkAlive();
  return extension;
}

function named(map, name, what) {
  const entry = map.get(name);
  if (entry === undefined) throw new Error(`there is no ${what} '${name}'`);
  return entry;
}

/** Runs `work` with the signal of a request, which ends with it. */
async function withSignal(id, work) {
  const signal = signals.open(id);
  try {
    return await work(signal);
  } finally {
    signals.close(id);
  }
}

function versionOf(name) {
  const file = new URL(`node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")).version;
}

function initialize({ agentDir, seed }) {
  loader = new Loader(agentDir);
  take(seed);
  return {
    protocol: PROTOCOL,
    versions: {
      node: process.versions.node,
      jiti: versionOf("jiti"),
      typebox: versionOf("typebox"),
    },
    provided: loader.provided(),
  };
}

async function load({ extension: id, path, generation }) {
  takeMissing();
  const before = openResources();
  const extension = new Extension(id, path, bus);
  try {
    const factory = await loader.factoryOf(path, generation);
    await factory(makeApi(extension));
  } catch (error) {
    extension.dispose();
    throw error;
  }
  extension.isLoading = false;
  extensions.set(id, extension);
  const resources = openResources();
  for (const type of before) resources.splice(resources.indexOf(type), 1);
  return { registrations: extension.registrations, missing: takeMissing(), resources };
}

/** `shared`: the member of the event that handlers change in place and that goes back. */
async function handler({ extension: id, index, event, shared, facts, signal: signalId }) {
  const extension = found(id);
  const registered = extension.handlers[index];
  if (registered === undefined) return {};
  return withSignal(signalId, async (signal) => {
    const given = event;
    const before = shared === undefined ? undefined : given[shared];
    const returned = await registered.handler(given, makeContext(extension, facts, signal));
    return { returned, after: before, missing: takeMissing() };
  });
}

function prepare({ extension: id, tool, args }) {
  return { args: named(found(id).tools, tool, "tool").prepareArguments(args) };
}

async function execute({ extension: id, tool: name, callId, params, facts, signal }, request) {
  const extension = found(id);
  const tool = named(extension.tools, name, "tool");
  const onUpdate = (partial) => send({ method: "tool.update", params: { request, partial } });
  return withSignal(signal, async (aborted) => {
    const context = makeToolContext(extension, facts, aborted, request);
    const result = await tool.execute(callId, params, aborted, onUpdate, context);
    return { result, params, missing: takeMissing() };
  });
}

async function command({ extension: id, name, args, facts }) {
  const extension = found(id);
  await named(extension.commands, name, "command").handler(args, makeContext(extension, facts));
  return { missing: takeMissing() };
}

async function shortcut({ extension: id, name, facts }) {
  const extension = found(id);
  await named(extension.shortcuts, name, "shortcut").handler(makeContext(extension, facts));
  return { missing: takeMissing() };
}

/** Everything loaded so far is of an earlier generation and throws from now on (EXT-27). */
function dispose() {
  for (const extension of extensions.values()) extension.dispose();
  extensions.clear();
  bus = new Bus();
  return {};
}

/** By the method of a request; each is given its params and its id. */
export const methods = {
  initialize,
  load,
  handler,
  "tool.prepare": prepare,
  "tool.execute": execute,
  command,
  shortcut,
  resources: () => ({ types: openResources() }),
  dispose,
  shutdown: () => ({}),
};
