// SPDX-License-Identifier: Apache-2.0
// Anthropic Messages as @anthropic-ai/sdk reads it.
import { all_of, equal, error_of, retries, truthy } from "./checks.mjs";

const hello = [{ role: "user", content: "hi" }];
const base = { model: "fake-1", max_tokens: 100, messages: hello };
const usage = { input: 11, output: 22, cache_read: 33, cache_write: 44, reasoning: 5 };
const calls = [
  { id: "c1", tool: "read", args: { path: "α/β.txt" } },
  { id: "c2", tool: "bash", args: { command: "echo 'x'\n", deep: { list: [1, null, true] } } },
  { id: "c3", tool: "noop", args: {} },
];
const rich = { thinking: "let me think", text: "héllo wörld 🌍", calls, usage, chunk: 5 };

const checks = [];
const check = (title, replies, run) =>
  checks.push({ title, track: `m${checks.length}`, replies: [replies].flat(), run });

const check_rich = (message) => {
  equal(message.content.map((block) => block.type),
    ["thinking", "text", "tool_use", "tool_use", "tool_use"], "blocks");
  equal(message.content[0].thinking, rich.thinking, "thinking");
  truthy(message.content[0].signature, "signature");
  equal(message.content[1].text, rich.text, "text");
  equal(message.content.slice(2).map((block) => block.input), calls.map((one) => one.args),
    "inputs");
  equal(message.stop_reason, "tool_use", "stop reason");
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } =
    message.usage;
  equal([input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens],
    [11, 22, 33, 44], "usage");
};

for (const write of ["event", "all", 1, 7]) {
  check(`streams a rich turn, write ${write}`, { ...rich, wire: { write } }, async (client) =>
    check_rich(await client.messages.stream(base).finalMessage()));
}
check("gives the same turn without a stream", rich, async (client) =>
  check_rich(await client.messages.create(base)));
check("stream and object agree", [rich, rich], async (client) => {
  const { usage: streamed_usage, ...streamed } = await client.messages.stream(base).finalMessage();
  const { usage: whole_usage, ...whole } = await client.messages.create(base);
  for (const message of [streamed, whole]) {
    delete message.id;
    for (const block of message.content) {
      delete block.signature;
      delete block.id;
    }
  }
  equal(JSON.parse(JSON.stringify(streamed.content)), whole.content, "content");
  equal(streamed.stop_reason, whole.stop_reason, "stop reason");
  equal(streamed_usage.output_tokens, whole_usage.output_tokens, "output");
});
check("orders events", rich, async (client) => {
  const events = await all_of(client.messages.create({ ...base, stream: true }));
  equal(events[0].type, "message_start", "first");
  equal(events.slice(-2).map((event) => event.type), ["message_delta", "message_stop"], "last");
  let open = -1;
  let next = 0;
  for (const event of events) {
    if (event.type === "content_block_start") {
      equal([open, event.index], [-1, next], "start");
      open = event.index;
      next += 1;
    }
    if (event.type === "content_block_delta") equal(event.index, open, "delta");
    if (event.type === "content_block_stop") {
      equal(event.index, open, "stop");
      open = -1;
    }
  }
  equal([open, next], [-1, 5], "blocks");
});
check("starts a message", { text: "a" }, async (client) => {
  const [start] = await all_of(client.messages.create({ ...base, stream: true }));
  const { id, type, role, model, content, stop_reason, stop_sequence, usage: tokens } =
    start.message;
  truthy(id.startsWith("msg_"), "id");
  equal([type, role, model, content, stop_reason, stop_sequence],
    ["message", "assistant", "fake-1", [], null, null], "message");
  truthy(Number.isInteger(tokens.input_tokens) && Number.isInteger(tokens.output_tokens), "usage");
});
check("chunks text without breaking characters", { text: "a🌍é", chunk: 1 }, async (client) => {
  const texts = [];
  const stream = client.messages.stream(base).on("text", (text) => texts.push(text));
  await stream.finalMessage();
  equal(texts, ["a", "🌍", "é"], "deltas");
});
check("signs thinking once", { thinking: "abc", text: "x", chunk: 1, wire: { signature: "sig" } },
  async (client) => {
    const events = await all_of(client.messages.create({ ...base, stream: true }));
    const deltas = events.filter((event) => event.delta?.type === "signature_delta");
    equal(deltas.map((event) => event.delta.signature), ["sig"], "signature");
  });
check("hides redacted thinking", { text: "x", wire: { redacted: "secret" } }, async (client) => {
  const message = await client.messages.stream(base).finalMessage();
  equal(message.content.map((block) => block.type), ["redacted_thinking", "text"], "blocks");
  equal(message.content[0].data, "secret", "data");
});
check("a call without arguments has an empty input", { calls: [calls[2]] }, async (client) => {
  const message = await client.messages.stream(base).finalMessage();
  equal(message.content[0].input, {}, "input");
});
check("call ids have the provider's form", rich, async (client) => {
  const message = await client.messages.create(base);
  for (const block of message.content.slice(2)) {
    truthy(/^toolu_[a-zA-Z0-9_-]+$/.test(block.id), "id");
  }
});

const stops = {
  stop: "end_turn", length: "max_tokens", stop_sequence: "stop_sequence", pause: "pause_turn",
  filter: "refusal", context: "model_context_window_exceeded",
};
for (const [stop, reason] of Object.entries(stops)) {
  check(`stops with ${reason}`, { text: "a", stop }, async (client) => {
    const message = await client.messages.stream(base).finalMessage();
    equal(message.stop_reason, reason, "stop reason");
    if (stop === "stop_sequence") truthy(message.stop_sequence, "stop sequence");
  });
}
check("refuses with an explanation", { fail: { kind: "refusal", message: "no" } },
  async (client) => {
    const message = await client.messages.create(base);
    equal([message.stop_reason, message.stop_details.explanation], ["refusal", "no"], "refusal");
  });
check("an empty answer has no block", { text: "" }, async (client) => {
  const message = await client.messages.stream(base).finalMessage();
  equal([message.content, message.stop_reason], [[], "end_turn"], "message");
});
check("counts thinking as part of the output", { text: "a", usage }, async (client) => {
  const message = await client.messages.create(base);
  equal(message.usage.output_tokens_details, { thinking_tokens: 5 }, "details");
  equal(message.usage.cache_creation.ephemeral_5m_input_tokens, 44, "cache");
});

const statuses = {
  400: ["BadRequestError", "invalid_request_error"],
  401: ["AuthenticationError", "authentication_error"],
  402: ["APIError", "billing_error"],
  403: ["PermissionDeniedError", "permission_error"],
  404: ["NotFoundError", "not_found_error"],
  413: ["APIError", "request_too_large"],
  429: ["RateLimitError", "rate_limit_error"],
  500: ["InternalServerError", "api_error"],
  504: ["InternalServerError", "timeout_error"],
  529: ["InternalServerError", "overloaded_error"],
};
for (const [text, [, type]] of Object.entries(statuses)) {
  const status = Number(text);
  const reply = { fail: { kind: "server", message: "m", status } };
  check(`status ${status} is an error of its class`, reply, async (client) => {
    const error = await error_of(() => client.messages.create({ ...base, stream: true }));
    equal([error.status, error.error.error.type, error.error.error.message], [status, type, "m"],
      "error");
    truthy(error.requestID?.startsWith("req_"), "request id");
    equal(error.error.request_id, error.requestID, "request id in the body");
    const known = client.constructor[statuses[status][0]];
    truthy(known === undefined || error instanceof known, `class ${error.constructor.name}`);
  });
}

for (const [title, fail, count] of retries) {
  check(`tries again or not after ${title}`, [{ fail }, { text: "ok" }],
    async (_client, { retrying, log }) => {
      await all_of(retrying.messages.create({ ...base, stream: true })).catch(() => {});
      equal((await log()).length, count, "requests");
    });
}
check("an error in the stream ends it",
  { text: "abcdef", chunk: 1, fail: { kind: "overloaded", after: 3 } }, async (client) => {
    const error = await error_of(() => client.messages.stream(base).finalMessage());
    truthy(/overloaded/.test(error.message), "message");
  });
for (const close of ["reset", "fin"]) {
  check(`a stream cut by ${close} is no message`,
    { text: "abcdef", fault: { kind: "cut", at: 700, close } }, async (client) => {
      await error_of(() => client.messages.stream(base).finalMessage());
    });
}
check("a message cut by the output limit", { calls: [calls[0]], fault: { kind: "length", at: 9 } },
  async (client) => {
    const events = await all_of(client.messages.create({ ...base, stream: true }));
    const text = events.map((event) => event.delta?.partial_json ?? "").join("");
    equal(text, '{"path":"', "arguments");
    equal(events.at(-2).delta.stop_reason, "max_tokens", "stop reason");
  });
check("garbled arguments arrive as they are",
  { calls: [calls[0]], fault: { kind: "garbled_arguments", at: 1 } }, async (client) => {
    const events = await all_of(client.messages.create({ ...base, stream: true }));
    const text = events.map((event) => event.delta?.partial_json ?? "").join("");
    equal(text, '{""path":"α/β.txt"}', "arguments");
  });
check("two calls with one id",
  { calls: calls.slice(0, 2), fault: { kind: "duplicate_ids" } }, async (client) => {
    const message = await client.messages.create(base);
    equal(message.content[0].id, message.content[1].id, "ids");
  });
check("an error page is an error",
  [{ fail: { kind: "server", status: 502, body: "<html>bad gateway</html>" } },
    { fail: { kind: "rate_limit", body: "" } }], async (client) => {
    equal((await error_of(() => client.messages.create(base))).status, 502, "status");
    equal((await error_of(() => client.messages.create(base))).status, 429, "status");
  });
check("the client may leave", { text: "abcdef", chunk: 1, fault: { kind: "stall", at: 900 } },
  async (client, { log }) => {
    const stream = await client.messages.create({ ...base, stream: true });
    for await (const _event of stream) break;
    stream.controller.abort();
    for (let i = 0; i < 100 && (await log())[0].ending === "open"; i += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const [request] = await log();
    equal(request.ending, "client_left", "ending");
    truthy(request.events_sent > 0, "events");
  });
check("a stall of some time is only late", { text: "abc", fault: { kind: "stall", at: 400, ms: 60 } },
  async (client) => {
    const message = await client.messages.stream(base).finalMessage();
    equal(message.content[0].text, "abc", "text");
  });
check("counts tokens", { text: "a" }, async (client) => {
  const few = await client.messages.countTokens({ model: "fake-1", messages: hello });
  const more = await client.messages.countTokens(
    { model: "fake-1", messages: hello, system: "a long system prompt" });
  truthy(few.input_tokens > 0 && more.input_tokens > few.input_tokens, "tokens");
});
check("lists models", { text: "a" }, async (client) => {
  const page = await client.models.list();
  equal([page.data[0].id, page.data[0].type], ["fake-1", "model"], "model");
  equal((await client.models.retrieve("fake-1")).display_name, "fake-1", "name");
  equal((await error_of(() => client.models.retrieve("other"))).status, 404, "status");
});
check("the beta client is served", rich, async (client) =>
  check_rich(await client.beta.messages.create({ ...base, betas: ["x"] })));
check("a script that ran out is not asked again", { text: "a" },
  async (_client, { retrying, log }) => {
    await retrying.messages.create(base);
    const error = await error_of(() => retrying.messages.create(base));
    equal(error.status, 500, "status");
    truthy(/exhausted/.test(error.message), "message");
    equal((await log()).length, 2, "requests");
  });
check("a reply tells its request's id", { text: "a" }, async (client) => {
  const { request_id } = await client.messages.create(base).withResponse();
  truthy(request_id?.startsWith("req_"), "request id");
});
check("a whole exchange of calls and results is taken", [rich, { text: "done" }],
  async (client) => {
    const first = await client.messages.stream(base).finalMessage();
    const results = first.content.filter((block) => block.type === "tool_use").map((block) => (
      { type: "tool_result", tool_use_id: block.id, content: "ok" }));
    const message = await client.messages.create({ ...base, messages: [
      ...hello, { role: "assistant", content: first.content }, { role: "user", content: results },
    ] });
    equal(message.content[0].text, "done", "text");
  });

const use = (id) => ({ type: "tool_use", id, name: "f", input: {} });
const result = (id) => ({ type: "tool_result", tool_use_id: id, content: "x" });
const wrong = {
  "a missing result": [...hello, { role: "assistant", content: [use("a")] },
    { role: "user", content: "go" }],
  "an orphan result": [{ role: "user", content: [result("a")] }],
  "two results of one call": [...hello, { role: "assistant", content: [use("a")] },
    { role: "user", content: [result("a"), result("a")] }],
  "results after other content": [...hello, { role: "assistant", content: [use("a")] },
    { role: "user", content: [{ type: "text", text: "x" }, result("a")] }],
  "an id with a dot": [...hello, { role: "assistant", content: [use("a.b")] },
    { role: "user", content: [result("a.b")] }],
  "a blank text": [{ role: "user", content: [{ type: "text", text: " " }] }],
  "the assistant first": [{ role: "assistant", content: "a" }, ...hello],
};
for (const [title, messages] of Object.entries(wrong)) {
  check(`refuses ${title}`, { text: "a" }, async (client) => {
    const error = await error_of(() => client.messages.create({ ...base, messages }));
    equal([error.status, error.error.error.type], [400, "invalid_request_error"], "error");
    truthy(/messages\.\d/.test(error.message), "position");
  });
}
check("refuses a tool without a schema of an object", { text: "a" }, async (client) => {
  const tools = [{ name: "f", input_schema: { type: "array" } }];
  equal((await error_of(() => client.messages.create({ ...base, tools }))).status, 400, "status");
});

export const messages_checks = checks;
