// SPDX-License-Identifier: Apache-2.0
// The process that hosts TypeScript and JavaScript extensions for the engine (PROTOCOL.md).
import * as calls from "./calls.mjs";
import { current, listen, send } from "./channel.mjs";
import { describeError, tellError } from "./errors.mjs";
import { methods } from "./extensions.mjs";
import * as quiet from "./quiet.mjs";
import * as signals from "./signals.mjs";
import { fire, setNow } from "./world.mjs";

async function answer({ id, method, params }) {
  try {
    const perform = methods[method];
    if (perform === undefined) throw new Error(`there is no method '${method}'`);
    const result = await perform(params, id);
    send({ id, result });
  } catch (error) {
    send({ id, error: describeError(error) });
  }
  if (method === "shutdown") process.exit(0);
}

const notifications = {
  abort: ({ signal, reason }) => signals.abort(signal, reason),
  timer: ({ timer }) => fire(timer),
  "call.update": (params) => calls.update(params),
};

function purposeOf({ id, params }) {
  return { request: id, extension: params.extension };
}

function hear(message) {
  setNow(message.now);
  try {
    if (message.method === undefined) calls.settle(message);
    else if (message.id === undefined) notifications[message.method](message.params);
    else current.run(purposeOf(message), () => void answer(message));
  } catch (error) {
    // What a listener of a signal throws is nobody's answer.
    tellError(message.method ?? "answer", error);
  }
  quiet.settleAfter(message.seq);
}

process.on("uncaughtException", (error) => tellError("uncaught", error));
process.on("unhandledRejection", (error) => tellError("unhandled rejection", error));
listen(hear);
quiet.begin(calls.openCallCount);
