// SPDX-License-Identifier: Apache-2.0
// Commands and flags of scripted extensions, in real pi.
import type { Json } from "./world.ts";

interface Owner {
  pi: Json;
  flags: string[];
  note(topic: string, data: Json): void;
}

type Run = (context: Json, data: Json, body: Json) => Promise<void>;

/** What a definition names beside its tools and handlers. */
export function registerNamed(extension: Owner, definition: Json, run: Run): void {
  for (const command of definition.commands ?? []) {
    extension.note("registration", { what: "command", name: command.name });
    extension.pi.registerCommand(command.name, {
      description: command.description ?? "",
      handler: async (given: string, context: Json) => {
        extension.note("command", { name: command.name, arguments: given });
        await run(context, { arguments: given }, command.do ?? []);
      },
    });
  }
  for (const [name, value] of Object.entries(definition.flags ?? {}) as [string, Json][]) {
    extension.note("registration", { what: "flag", name });
    extension.flags.push(name);
    extension.pi.registerFlag(name, { type: typeof value, default: value });
  }
}

export function flagsOf(extension: Owner): Json {
  return Object.fromEntries(extension.flags.map((name) => [name, extension.pi.getFlag(name)]));
}
