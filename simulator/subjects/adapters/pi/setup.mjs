// SPDX-License-Identifier: Apache-2.0
// What a scenario asks of its host, in pi's terms: command line, settings, models, extensions.
import path from "node:path";

/** Extensions of one session; the first slot holds the tools of the host itself. */
export const SLOTS = 8;
const BUILTINS = ["read", "bash", "edit", "write"];

/** What `supports` of the adapter's greeting cannot say. */
export class Unsupported extends Error {}

export function checkSupport(start) {
  const { shell = {}, models = {}, execution = "parallel", ui = true } = start.settings;
  if (execution !== "parallel") throw new Unsupported("pi's RPC sets no order of execution");
  if (!ui) throw new Unsupported("pi's RPC mode always has a user");
  for (const key of Object.keys(shell)) {
    if (key !== "prefix") throw new Unsupported(`pi's host cannot set shell.${key}`);
  }
  for (const [name, model] of Object.entries(models)) {
    if (model.pictures) throw new Unsupported(`the picture limits of model ${name} are pi's own`);
  }
  if (start.extensions.length >= SLOTS) {
    throw new Unsupported(`more than ${SLOTS - 1} extensions`);
  }
  if (start.resume) throw new Unsupported("a session that was cut is not opened again");
}

export function commandLine(start) {
  const { settings, tools } = start;
  const provider = start.api === "openai-chat" ? "fake-chat" : "fake-anthropic";
  const line = ["--provider", provider, "--model", settings.model ?? start.model];
  if (tools.allow?.length === 0) line.push("--no-tools");
  else if (tools.allow) line.push("--tools", tools.allow.join(","));
  // Without scripted processes there is no bash tool (scenarios/README.md).
  line.push("--exclude-tools", [...(tools.exclude ?? []), "bash"].join(","));
  if (settings.system) line.push("--system-prompt", settings.system);
  if (settings.append_system) line.push("--append-system-prompt", settings.append_system);
  return line;
}

export function modelsFile(start) {
  const names = new Set(["fake-1", "fake-2", start.model, start.settings.model ?? start.model,
    ...Object.keys(start.settings.models ?? {})]);
  const models = [...names].map((id) => {
    const takesPictures = start.settings.models?.[id]?.takes_pictures ?? true;
    return { id, contextWindow: 200_000, maxTokens: 16_384, reasoning: false,
      input: takesPictures ? ["text", "image"] : ["text"],
      cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25 } };
  });
  const provider = (api) => ({ baseUrl: start.base_url, api, apiKey: "any-key", models });
  return { providers: { "fake-anthropic": provider("anthropic-messages"),
    "fake-chat": provider("openai-completions") } };
}

/** The probe's watch makes built-in tools an extension's, which "-name" would not switch off. */
function activeTools(start) {
  const active = new Set(start.tools.active ?? BUILTINS);
  for (const word of start.tools.allow ?? []) {
    if (word.startsWith("-")) active.delete(word.slice(1));
    if (word.startsWith("+")) active.add(word.slice(1));
  }
  return [...active];
}

export function settingsFile(start) {
  const { settings } = start;
  const retries = settings.retries ?? 0;
  return {
    enableInstallTelemetry: false, enableAnalytics: false, quietStartup: true,
    cacheWarming: "off", defaultProjectTrust: "never", compaction: { enabled: false },
    retry: {
      enabled: retries > 0, maxRetries: retries, baseDelayMs: settings.retry_delay_ms ?? 50,
    },
    steeringMode: settings.steering ?? "one-at-a-time",
    followUpMode: settings.follow_up ?? "one-at-a-time",
    defaultTools: activeTools(start),
    ...(settings.shell?.prefix ? { shellCommandPrefix: settings.shell.prefix } : {}),
  };
}

function slotOf(definition) {
  const named = definition.path ?? `<inline:${definition.name ?? "extension"}>`;
  return { path: named, definition };
}

export function scenarioFile(start, number, extensions) {
  const hasTools = (start.tools.sdk ?? []).length > 0;
  const host = { path: "<inline:host>",
    ...(hasTools ? { definition: { tools: start.tools.sdk } } : {}) };
  const cwd = path.join(start.workspace, start.settings.cwd ?? ".");
  return { number, home: start.home, cwd: path.resolve(cwd), active: activeTools(start),
    slots: [host, ...extensions.map(slotOf)], shell: { prefix: start.settings.shell?.prefix } };
}
