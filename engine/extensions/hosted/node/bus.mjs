// SPDX-License-Identifier: Apache-2.0
// What extensions tell each other (pi.events). It stays in this process; the engine is told of
// each event, for the trace.
import { send } from "./channel.mjs";
import { tellError } from "./errors.mjs";

export class Bus {
  #handlers = new Map();

  on(channel, handler) {
    const handlers = this.#handlers.get(channel) ?? new Set();
    const entry = { handler };
    handlers.add(entry);
    this.#handlers.set(channel, handlers);
    return () => void handlers.delete(entry);
  }
  emit(channel, data) {
    send({ method: "bus", params: { channel, data } });
    for (const entry of [...(this.#handlers.get(channel) ?? [])]) this.#call(entry, channel, data);
  }
  #call(entry, channel, data) {
    const failed = (error) => tellError(`bus ${channel}`, error);
    try {
      Promise.resolve(entry.handler(data)).catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}
