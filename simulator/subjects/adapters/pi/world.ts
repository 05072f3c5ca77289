// SPDX-License-Identifier: Apache-2.0
// What the extensions of one pi process share: the scenario that the adapter wrote, the way out for
// what they see, and the latches. Each record is one status of pi's own UI (key "plumb"), so it
// stands in pi's output in order with pi's own records: one source, whose order is certain. Nothing
// here writes to stdout by itself.
import fs from "node:fs";

export type Json = any;

/** One scripted extension, or the host's own tools: RPC has no place for these but an extension. */
export interface Slot {
  path: string;
  definition?: Json;
}

export interface Scenario {
  number: number;
  home: string;
  cwd: string;
  slots: Slot[];
  /** The tools that are active at the start, those of extensions apart. */
  active: string[];
  shell: { prefix?: string; path?: string };
}

export interface Extra {
  call?: string;
  cause?: string;
  ref?: string;
}

/** A handler that a scripted extension has registered. */
export interface Registration {
  slot: number;
  event: string;
  number: number;
  ref: string;
}

interface Ui {
  setStatus(key: string, text: string | undefined): void;
}

/** What one load of the extensions knows; another begins with each session and reload. */
export class World {
  scenario: Scenario;
  chain: Registration[] = [];
  /** What was registered, in the form of pi's own list. */
  candidates: Json[] = [];
  registrations = 0;
  isStarted = false;
  private ui: Ui | undefined;
  private waiting: string[] = [];

  constructor(scenario: Scenario) {
    this.scenario = scenario;
  }

  /** Actions work only once the session is bound; until then records wait. */
  attach(ui: Ui): void {
    this.ui = ui;
    for (const text of this.waiting.splice(0)) ui.setStatus("plumb", text);
  }

  /** Of a kind of the trace, or of the adapter's own kinds, which begin with "_". */
  tell(kind: string, data: Json, extra: Extra = {}): void {
    const text = JSON.stringify({ s: this.scenario.number, kind, data, ...extra });
    if (this.ui) this.ui.setStatus("plumb", text);
    else this.waiting.push(text);
  }
}

interface Shared {
  world?: World;
  /** Of one scenario, whose number is `of`. */
  of: number;
  latches: Map<string, Latch>;
  active: string[];
  builtins: Json[];
  references: number;
}

class Latch {
  isSet = false;
  private opened: () => void = () => {};
  readonly opens = new Promise<void>((resolve) => {
    this.opened = resolve;
  });
  set(): void {
    this.isSet = true;
    this.opened();
  }
}

const place = globalThis as unknown as { plumb?: Shared };

/** Each extension file has its own copy of this module; the state is the process's. */
export const shared: Shared = (place.plumb ??= {
  of: -1,
  latches: new Map(),
  active: [],
  builtins: [],
  references: 0,
});

/** Begins another load: the first extension of the chain calls it. */
export function beginLoad(): World {
  const scenario = JSON.parse(fs.readFileSync(process.env.PLUMB_SCENARIO ?? "", "utf8"));
  if (scenario.number !== shared.of) {
    shared.of = scenario.number;
    shared.latches = new Map();
    shared.active = [];
  }
  // What `~` stands for is asked of the environment, at each use.
  process.env.HOME = scenario.home;
  shared.world = new World(scenario);
  return shared.world;
}

export function currentWorld(): World {
  return shared.world ?? beginLoad();
}

export function latch(name: string): Latch {
  let found = shared.latches.get(name);
  if (!found) shared.latches.set(name, (found = new Latch()));
  return found;
}

export function reference(): string {
  return `r${++shared.references}`;
}

/** As records carry values: a copy, without what JSON has no word for. */
export function copy(value: unknown): Json {
  return value === undefined ? null : JSON.parse(JSON.stringify(value));
}

const same = (left: string[], right: string[]) =>
  left.length === right.length && left.every((name, i) => name === right[i]);

interface Tools {
  getAllTools(): Json[];
  getActiveTools(): string[];
}

/** What a definition says and pi's list of tools leaves out. */
const UNLISTED = ["label", "promptSnippet", "executionMode", "outputSchema", "defaultActive",
  "prepares"];

export function sourceOf(slot: Slot): Json {
  const source = slot.path.startsWith("<") ? "inline" : "local";
  return { path: slot.path, source, scope: "temporary", origin: "top-level" };
}

/** What pi says of a tool. Ours count as what they watch or stand for. */
function toolInfo(world: World, info: Json): Json {
  const path: string = info.sourceInfo?.path ?? "";
  const slot = /\/plumb-slot(\d+)\.ts$/.exec(path);
  if (slot) {
    const sourceInfo = sourceOf(world.scenario.slots[Number(slot[1])]);
    const given = world.candidates.findLast((one) =>
      one.name === info.name && one.sourceInfo.path === sourceInfo.path) ?? {};
    const unlisted = UNLISTED.filter((key) => key in given).map((key) => [key, given[key]]);
    return { ...copy(info), ...Object.fromEntries(unlisted), sourceInfo, level: "extension" };
  }
  const isBuiltin = path.endsWith("/plumb-tail.ts") || info.sourceInfo?.source === "builtin";
  const builtin = isBuiltin && shared.builtins.find((one) => one.name === info.name);
  return builtin ? copy(builtin) : { ...copy(info), level: "extension" };
}

/** Tells of the registry, and of the active set where it has changed. */
export function tellTools(world: World, tools: Tools, by: string, requested: string[] = []): void {
  if (!world.isStarted) return;
  tellRegistry(world, tools);
  tellActive(world, tools, by, requested);
}

export function tellRegistry(world: World, tools: Tools): void {
  const all = tools.getAllTools().map((info) => toolInfo(world, info));
  const candidates = [...copy(shared.builtins), ...copy(world.candidates)];
  world.tell("registry_refresh", { tools: all, candidates });
}

export function tellActive(world: World, tools: Tools, by: string, requested: string[]): void {
  const after = tools.getActiveTools();
  const isAsked = by !== "registration" && by !== "start";
  if (!isAsked && by !== "start" && same(after, shared.active)) return;
  world.tell("active_set", { before: shared.active, after, requested, by });
  shared.active = after;
}
