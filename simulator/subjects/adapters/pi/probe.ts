// SPDX-License-Identifier: Apache-2.0
// The probe: what pi tells extensions and not its RPC clients, and what RPC has no command for.
// `head` is loaded first, so that it hears of each event before any handler; `tail` last, so that a
// built-in tool that an extension replaces stays replaced. Neither changes what is sent to a model.
import { createBashToolDefinition, createEditToolDefinition, createReadToolDefinition,
  createWriteToolDefinition } from "@earendil-works/pi-coding-agent";
import { beginLoad, copy, currentWorld, type Json, shared, tellActive, tellRegistry }
  from "./world.ts";

const MAKERS: Record<string, (cwd: string, options: Json) => Json> = {
  read: createReadToolDefinition,
  bash: createBashToolDefinition,
  edit: createEditToolDefinition,
  write: createWriteToolDefinition,
};

/** What there is before anything of a scenario is loaded. */
function rememberBuiltins(pi: Json): void {
  shared.builtins = pi.getAllTools()
    .filter((tool: Json) => tool.sourceInfo.source === "builtin")
    .map((tool: Json) => {
      const { label, promptSnippet } = MAKERS[tool.name]?.("/", undefined) ?? {};
      return copy({ ...tool, label, promptSnippet, level: "builtin" });
    });
}

const MODES: Record<string, string> = { steer: "steer", followUp: "follow_up" };

export function head(pi: Json): void {
  const world = beginLoad();
  pi.on("session_start", (event: Json, context: Json) => {
    if (shared.builtins.length === 0) rememberBuiltins(pi);
    world.attach(context.ui);
    world.isStarted = true;
    tellRegistry(world, pi);
    tellActive(world, pi, "start", []);
    world.tell("session_start", { reason: event.reason });
  });
  pi.on("session_shutdown", (event: Json) =>
    world.tell("session_shutdown", { reason: event.reason }));
  pi.on("input", (event: Json) => {
    if (event.source === "extension") return;
    world.tell("input", { text: event.text, mode: MODES[event.streamingBehavior] ?? "prompt" });
  });
  pi.on("before_agent_start", (event: Json) =>
    world.tell("before_agent_start", { prompt: event.prompt ?? "" }));
  pi.on("agent_before_settle", () => world.tell("agent_before_settle", {}));
  // RPC clients hear of it after the handlers, which may take their time.
  pi.on("tool_execution_update", (event: Json) => world.tell("tool_execution_update", {
    name: event.toolName, args: copy(event.args), partial: copy(event.partialResult),
  }, { call: event.toolCallId }));

  pi.registerCommand("plumb-reload", {
    description: "loads the extensions again",
    handler: async (_: string, context: Json) => context.reload(),
  });
  pi.registerCommand("plumb-active", {
    description: "sets the active tools",
    handler: async (args: string) => {
      const names = JSON.parse(args);
      pi.setActiveTools(names);
      tellActive(world, pi, "host", names);
    },
  });
  pi.registerCommand("plumb-navigate", {
    description: "goes to an entry of the session",
    handler: async (args: string, context: Json) => {
      await context.navigateTree(args.trim(), { summarize: false });
    },
  });
}

/** The built-in tool itself, with a word at the door: pi says nowhere when execute is entered. */
function watched(name: string): Json {
  const world = currentWorld();
  const { active, cwd, shell } = world.scenario;
  const options = name === "bash" ? { commandPrefix: shell.prefix, shellPath: shell.path }
    : name === "read" ? { autoResizeImages: true } : undefined;
  const tool = MAKERS[name](cwd, options);
  const execute = async (...given: Json[]): Promise<Json> => {
    const [call, args, signal] = given;
    const extra = { call };
    world.tell("execute_begin", { name, owner: `builtin:${name}`, args: copy(args),
      signal_aborted: signal?.aborted ?? false }, extra);
    let result: Json;
    try {
      result = await tool.execute(...given);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      world.tell("execute_end", { name, outcome: "threw", error: message }, extra);
      throw error;
    }
    world.tell("execute_end", { name, outcome: result.isError ? "returned_error" : "ok",
      result: copy(result) }, extra);
    return result;
  };
  return { ...tool, execute, defaultActive: active.includes(name) };
}

export function tail(pi: Json): void {
  const { scenario } = currentWorld();
  const replaced = new Set(scenario.slots.flatMap((slot) => slot.definition?.tools ?? [])
    .map((tool: Json) => tool.name));
  if (scenario.number === 0) return;
  // What was said until here is on its way before the request is, and steps that answer to it, too.
  pi.on("before_provider_request", async (_: Json, context: Json) => {
    await context.ui.confirm("plumb-sync", "");
  });
  for (const name of Object.keys(MAKERS)) {
    if (!replaced.has(name)) pi.registerTool(watched(name));
  }
}
