// SPDX-License-Identifier: Apache-2.0
// The interface that a factory is given: what it registers is collected while it loads and told to
// the engine at once afterwards; what it does to the session works after loading only (EXT-06).
import { ask, send } from "./channel.mjs";
import { call } from "./calls.mjs";
import { missingName } from "./missing.mjs";

const DELIVERIES = { steer: "steer", followUp: "follow_up", nextTurn: "next_turn" };

/** One loaded extension. `id` is the engine's number for it. */
export class Extension {
  constructor(id, path, bus) {
    this.id = id;
    this.path = path;
    this.bus = bus;
    this.isLoading = true;
    this.isDisposed = false;
    this.handlers = [];
    this.tools = new Map();
    this.commands = new Map();
    this.shortcuts = new Map();
    this.flags = new Map();
    this.registrations = [];
    this.listeners = [];
  }
  register(kind, entry) {
    this.checkAlive();
    if (this.isLoading) this.registrations.push({ kind, ...entry });
    else send({ method: "register", params: { extension: this.id, kind, ...entry } });
  }
  unregister(kind, entry) {
    if (this.isDisposed) return;
    if (!this.isLoading) {
      return send({ method: "unregister", params: { extension: this.id, kind, ...entry } });
    }
    const isIt = (one) => one.kind === kind && Object.keys(entry).every((k) => one[k] === entry[k]);
    this.registrations = this.registrations.filter((one) => !isIt(one));
  }
  checkAlive() {
    if (this.isDisposed) throw new Error(`the extension '${this.path}' is no longer loaded`);
  }
  checkLive() {
    this.checkAlive();
    if (this.isLoading) {
      throw new Error("the extension runtime is not initialised: actions work after loading");
    }
  }
  dispose() {
    this.isDisposed = true;
    for (const off of this.listeners) off();
  }
}

const TOOL_KEYS = [
  "name",
  "label",
  "description",
  "parameters",
  "promptSnippet",
  "promptGuidelines",
  "executionMode",
  "exposure",
  "defaultActive",
  "outputSchema",
  "annotations",
  "namespace",
];

function toolEntry(tool) {
  const entry = { hasPrepareArguments: typeof tool.prepareArguments === "function" };
  for (const key of TOOL_KEYS) if (tool[key] !== undefined) entry[key] = tool[key];
  return entry;
}

function addHandler(extension, event, handler) {
  if (typeof handler !== "function") throw new Error(`the handler of '${event}' is no function`);
  const index = extension.handlers.length;
  extension.handlers.push({ event, handler });
  extension.register("handler", { event, index });
  return () => {
    if (extension.handlers[index] === undefined) return;
    extension.handlers[index] = undefined;
    extension.unregister("handler", { event, index });
  };
}

function registrations(extension) {
  const recorded = (kind) => (name) => extension.register(kind, { name: String(name) });
  return {
    on: (event, handler) => addHandler(extension, String(event), handler),
    registerTool: (tool) => {
      if (typeof tool?.execute !== "function") throw new Error("a tool needs an execute function");
      extension.register("tool", toolEntry(tool));
      extension.tools.set(tool.name, tool);
    },
    registerCommand: (name, options) => {
      extension.register("command", { name, description: options.description });
      extension.commands.set(name, options);
    },
    registerShortcut: (key, options) => {
      extension.register("shortcut", { name: String(key), description: options.description });
      extension.shortcuts.set(String(key), options);
    },
    registerFlag: (name, options) => {
      extension.register("flag", { name, type: options.type, default: options.default });
      extension.flags.set(name, options);
    },
    registerProvider: recorded("provider"),
    unregisterProvider: (name) => extension.unregister("provider", { name }),
    registerMcpServer: recorded("mcp_server"),
    unregisterMcpServer: (name) => extension.unregister("mcp_server", { name }),
    registerVirtualModel: (model) => recorded("virtual_model")(model?.id ?? model),
    registerMessageRenderer: recorded("renderer"),
    registerEntryRenderer: recorded("renderer"),
    registerToolRenderer: () => recorded("renderer")("tool"),
    registerMarkdownTransformer: () => recorded("renderer")("markdown"),
  };
}

function sendOptions(options = {}) {
  return {
    deliverAs: DELIVERIES[options.deliverAs] ?? "steer",
    triggerTurn: options.triggerTurn,
  };
}

function actions(extension) {
  const get = (what, more = {}) => {
    extension.checkLive();
    return ask("get", { what, ...more }).value;
  };
  const act = (method, params) => {
    extension.checkLive();
    return ask(method, { extension: extension.id, ...params });
  };
  return {
    getActiveTools: () => get("activeTools"),
    getAllTools: () => get("allTools"),
    getCommands: () => get("commands"),
    getSettings: () => get("settings"),
    getSessionName: () => get("sessionName"),
    getThinkingLevel: () => get("thinkingLevel"),
    setActiveTools: (names) => void act("set", { what: "activeTools", value: names }),
    setThinkingLevel: (level) => void act("set", { what: "thinkingLevel", value: level }),
    setSessionName: (name) => void act("set", { what: "sessionName", value: name }),
    setLabel: (entry, label) => void act("set", { what: "label", entry, value: label }),
    sendMessage: (message, options) =>
      void act("sendMessage", { message, options: sendOptions(options) }),
    sendUserMessage: (content, options) =>
      void act("sendUserMessage", { content, options: sendOptions(options) }),
    appendEntry: (customType, data) => void act("appendEntry", { customType, data }),
    exec: (command, args, options = {}) => {
      extension.checkLive();
      const { cwd, timeout, signal } = options;
      const params = { extension: extension.id, command, args, cwd, timeout };
      return call("exec", params, { signal });
    },
    setModel: async (model) => {
      extension.checkLive();
      return call("setModel", { extension: extension.id, model: model?.id ?? model });
    },
  };
}

function flagValue(extension, name) {
  extension.checkAlive();
  const flag = extension.flags.get(name);
  if (flag === undefined) return undefined;
  return ask("get", { what: "flag", name }).value ?? flag.default;
}

function busOf(extension) {
  return {
    on: (channel, handler) => {
      extension.checkAlive();
      const off = extension.bus.on(channel, handler);
      extension.listeners.push(off);
      return off;
    },
    emit: (channel, data) => {
      extension.checkAlive();
      extension.bus.emit(channel, data);
    },
  };
}

/** `pi`, as a factory is given it. */
export function makeApi(extension) {
  const known = {
    ...registrations(extension),
    ...actions(extension),
    getFlag: (name) => flagValue(extension, name),
    events: busOf(extension),
  };
  return new Proxy(known, {
    get(target, name) {
      if (name in target || typeof name === "symbol" || name === "then") return target[name];
      return missingName("pi", name);
    },
  });
}
