// SPDX-License-Identifier: Apache-2.0
// What a handler, a tool or a command is given to see of the session and to do to it: `ctx`.
import { ask, send } from "./channel.mjs";
import { call } from "./calls.mjs";
import { missingName } from "./missing.mjs";
import { theme } from "./provided/theme.mjs";

/** Throws once the extension has been replaced or its factory has failed (EXT-27). */
function checkAlive(extension) {
  if (extension.isDisposed) {
    throw new Error(`the extension '${extension.path}' is no longer loaded`);
  }
}

/** An object whose other names throw, and are listed. */
function partly(extension, what, known) {
  return new Proxy(known, {
    get(target, name) {
      checkAlive(extension);
      if (Reflect.has(target, name) || typeof name === "symbol" || name === "then") {
        return Reflect.get(target, name);
      }
      return missingName(what, name);
    },
  });
}

function timeOf(ms) {
  return new Date(ms).toISOString();
}

/** The engine's entries in the shape that extensions know. */
function shownEntries() {
  const { entries } = ask("get", { what: "entries" });
  let parentId = null;
  return entries.map((entry) => {
    const shown = { type: "message", id: entry.id, parentId, timestamp: timeOf(Date.now()) };
    parentId = entry.id;
    if (entry.type === "message") return { ...shown, message: entry.message };
    return { ...shown, type: "custom", customType: entry.type, data: entry.data };
  });
}

function sessionManager(extension, cwd) {
  return partly(extension, "sessionManager", {
    getCwd: () => cwd,
    getSessionId: () => "session",
    getSessionFile: () => undefined,
    getSessionName: () => ask("get", { what: "sessionName" }).value,
    getEntries: shownEntries,
    getBranch: shownEntries,
    getEntry: (id) => shownEntries().find((entry) => entry.id === id),
    getLeafEntry: () => shownEntries().at(-1),
    getLeafId: () => shownEntries().at(-1)?.id ?? null,
    getLabel: () => undefined,
  });
}

function dialogOptions(options) {
  return { timeout: options?.timeout };
}

/** Shown or not, the engine records it; nobody waits for it. */
function showing(extension, method) {
  return (...args) => {
    checkAlive(extension);
    const shown = args.map((value) => (typeof value === "function" ? "<function>" : value));
    send({ method: `ui.${method}`, params: { extension: extension.id, arguments: shown } });
  };
}

const SHOWN = [
  "notify",
  "setStatus",
  "setWorkingMessage",
  "setWorkingVisible",
  "setWorkingIndicator",
  "setHiddenThinkingLabel",
  "setWidget",
  "setFooter",
  "setHeader",
  "setTitle",
  "pasteToEditor",
  "setEditorText",
  "addAutocompleteProvider",
];

function dialogs(extension) {
  const asked = (method, params, options) => {
    checkAlive(extension);
    const full = { extension: extension.id, ...params, ...dialogOptions(options) };
    return call(`ui.${method}`, full, { signal: options?.signal });
  };
  return {
    select: (title, options, how) => asked("select", { title, options }, how),
    confirm: (title, message, how) => asked("confirm", { title, message }, how),
    input: (title, placeholder, how) => asked("input", { title, message: placeholder }, how),
    editor: (title, prefill) => asked("editor", { title, message: prefill }),
  };
}

function userInterface(extension) {
  const known = {
    ...dialogs(extension),
    theme,
    // No terminal: as in every mode without one, nothing is shown and nothing comes back.
    custom: async () => undefined,
    getEditorText: () => "",
    onTerminalInput: () => () => {},
    getAllThemes: () => [],
    getTheme: () => undefined,
    getToolsExpanded: () => false,
    setToolsExpanded: () => {},
  };
  for (const method of SHOWN) known[method] = showing(extension, method);
  return partly(extension, "ui", known);
}

/** The `ctx` of one call. `facts`: {cwd, mode, hasUI, model}; `signal`: an AbortSignal or nothing. */
export function makeContext(extension, facts, signal) {
  return partly(extension, "ctx", {
    cwd: facts.cwd,
    mode: facts.mode,
    hasUI: facts.hasUI,
    model: { id: facts.model, name: facts.model, provider: "plumbline" },
    scopedModels: [],
    thinkingLevel: undefined,
    signal,
    ui: userInterface(extension),
    sessionManager: sessionManager(extension, facts.cwd),
    modelRegistry: partly(extension, "modelRegistry", {}),
    isIdle: () => ask("get", { what: "isIdle" }).value,
    isProjectTrusted: () => ask("get", { what: "isProjectTrusted" }).value,
    hasPendingMessages: () => ask("get", { what: "hasPendingMessages" }).value,
    getSystemPrompt: () => ask("get", { what: "systemPrompt" }).value,
    getContextUsage: () => undefined,
    abort: () => void ask("abort", { extension: extension.id }),
    shutdown: () => void ask("shutdown", { extension: extension.id }),
    compact: () => void ask("compact", { extension: extension.id }),
  });
}

/** `ctx` of a tool, which may call others. `callId`: its own call. */
export function makeToolContext(extension, facts, signal, request) {
  const context = makeContext(extension, facts, signal);
  const executeTool = (name, args, options = {}) => {
    checkAlive(extension);
    const params = { request, name, args, hasSignal: options.signal !== undefined };
    return call("executeTool", params, { signal: options.signal, onUpdate: options.onUpdate });
  };
  return new Proxy(context, {
    get: (target, name) => (name === "executeTool" ? executeTool : Reflect.get(target, name)),
  });
}
