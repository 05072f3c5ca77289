// SPDX-License-Identifier: Apache-2.0
// OpenAI Chat Completions as the openai SDK reads it.
import { all_of, equal, error_of, retries, truthy } from "./checks.mjs";

const hello = [{ role: "user", content: "hi" }];
const base = { model: "fake-1", messages: hello };
const with_usage = { ...base, stream_options: { include_usage: true } };
const usage = { input: 11, output: 22, cache_read: 33, cache_write: 44, reasoning: 5 };
const calls = [
  { id: "c1", tool: "read", args: { path: "α/β.txt" } },
  { id: "c2", tool: "bash", args: { command: "echo 'x'\n", deep: { list: [1, null, true] } } },
  { id: "c3", tool: "noop", args: {} },
];
const rich = { thinking: "let me think", text: "héllo wörld 🌍", calls, usage, chunk: 3 };

const checks = [];
const check = (title, replies, run) =>
  checks.push({ title, track: `c${checks.length}`, replies: [replies].flat(), run });

const chunks_of = (client, more = {}) =>
  all_of(client.chat.completions.create({ ...base, ...more, stream: true }));
const final_of = (client, params = with_usage) =>
  client.chat.completions.stream(params).finalChatCompletion();

const check_rich = (completion) => {
  const [choice] = completion.choices;
  equal(choice.message.content, rich.text, "text");
  equal(choice.message.tool_calls.map((one) => JSON.parse(one.function.arguments)),
    calls.map((one) => one.args), "arguments");
  equal(choice.message.tool_calls.map((one) => one.function.name), ["read", "bash", "noop"],
    "names");
  equal(choice.finish_reason, "tool_calls", "finish reason");
  const { prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details } =
    completion.usage;
  equal([prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details.cached_tokens],
    [88, 22, 110, 33], "usage");
  equal(completion.usage.completion_tokens_details.reasoning_tokens, 5, "reasoning");
};

for (const write of ["event", "all", 1, 7]) {
  check(`streams a rich turn, write ${write}`, { ...rich, wire: { write } }, async (client) =>
    check_rich(await final_of(client)));
}
check("gives the same turn without a stream", rich, async (client) =>
  check_rich(await client.chat.completions.create(base)));
check("stream and object agree", [rich, rich], async (client) => {
  const streamed = await final_of(client);
  const whole = await client.chat.completions.create(base);
  const shape = ({ choices: [choice], usage: tokens, model, created }) => ({
    content: choice.message.content,
    calls: choice.message.tool_calls.map(({ type, function: { name, arguments: text } }) => (
      { type, name, text })),
    reason: choice.finish_reason, tokens, model, created,
  });
  equal(shape(streamed), shape(whole), "completion");
});
check("begins with the role and ends with the reason", { text: "abc", chunk: 1 },
  async (client) => {
    const chunks = await chunks_of(client);
    equal(chunks[0].choices[0].delta, { role: "assistant", content: "" }, "first");
    equal(chunks.at(-1).choices[0].finish_reason, "stop", "last");
    equal(chunks.at(-1).choices[0].delta, {}, "last delta");
    for (const chunk of chunks) {
      equal([chunk.id, chunk.object, chunk.created, chunk.model, chunk.choices[0].index],
        [chunks[0].id, "chat.completion.chunk", chunks[0].created, "fake-1", 0], "chunk");
    }
    truthy(chunks[0].id.startsWith("chatcmpl-"), "id");
  });
check("sends usage where it was asked for", [{ text: "a", usage }, { text: "a", usage }],
  async (client) => {
    const asked = await chunks_of(client, { stream_options: { include_usage: true } });
    equal(asked.at(-1).choices, [], "choices");
    equal(asked.at(-1).usage.prompt_tokens, 88, "tokens");
    truthy(asked.slice(0, -1).every((chunk) => chunk.usage === null), "usage before");
    const other = await chunks_of(client);
    truthy(other.every((chunk) => !("usage" in chunk)), "usage unasked");
  });
check("starts each call with its head", { calls, chunk: 3 }, async (client) => {
  const deltas = (await chunks_of(client)).flatMap((chunk) =>
    chunk.choices[0].delta.tool_calls ?? []);
  const heads = deltas.filter((delta) => delta.id);
  equal(heads.map((delta) => [delta.index, delta.type, delta.function.arguments]),
    [[0, "function", ""], [1, "function", ""], [2, "function", ""]], "heads");
  truthy(heads.every((delta) => /^call_/.test(delta.id)), "ids");
  const rest = deltas.filter((delta) => !delta.id);
  truthy(rest.every((delta) => !delta.type && !delta.function.name), "rest");
});
check("interleaves arguments of calls", { calls, chunk: 4, wire: { interleave: true } },
  async (client) => {
    const completion = await final_of(client);
    equal(completion.choices[0].message.tool_calls.map((one) => JSON.parse(one.function.arguments)),
      calls.map((one) => one.args), "arguments");
  });
check("chunks text without breaking characters", { text: "a🌍é", chunk: 1 }, async (client) => {
  const texts = (await chunks_of(client)).map((chunk) => chunk.choices[0].delta.content);
  equal(texts.filter(Boolean), ["a", "🌍", "é"], "deltas");
});
check("sends reasoning beside the content", { thinking: "hm", text: "a" }, async (client) => {
  const chunks = await chunks_of(client);
  equal(chunks.map((chunk) => chunk.choices[0].delta.reasoning_content).filter(Boolean), ["hm"],
    "reasoning");
  equal(chunks.map((chunk) => chunk.choices[0].delta.content).filter(Boolean), ["a"], "content");
});
check("the finish reason may be left out", { text: "a", wire: { omit: ["finish"] } },
  async (client) => {
    await error_of(() => final_of(client));
  });
check("the last line may be left out", { text: "a", wire: { omit: ["done"] } }, async (client) => {
  equal((await final_of(client)).choices[0].message.content, "a", "text");
});

const stops = {
  stop: "stop", length: "length", stop_sequence: "stop", pause: "stop", filter: "content_filter",
  context: "length",
};
for (const [stop, reason] of Object.entries(stops)) {
  check(`stop ${stop} is ${reason}`, { text: "a", stop }, async (client) => {
    const chunks = await chunks_of(client);
    equal(chunks.at(-1).choices[0].finish_reason, reason, "finish reason");
  });
}
check("a refusal is not content",
  [{ fail: { kind: "refusal", message: "no" } }, { fail: { kind: "refusal", message: "no" } }],
  async (client) => {
    for (const completion of [await final_of(client),
      await client.chat.completions.create(base)]) {
      const [choice] = completion.choices;
      equal([choice.message.refusal, choice.finish_reason], ["no", "stop"], "refusal");
      truthy(!choice.message.content, "content");
    }
  });
check("an empty answer is an empty text", [{ text: "" }, { text: "" }], async (client) => {
  for (const completion of [await final_of(client), await client.chat.completions.create(base)]) {
    truthy(!completion.choices[0].message.content, "content");
    equal(completion.choices[0].finish_reason, "stop", "finish reason");
  }
});

const statuses = {
  400: ["BadRequestError", "invalid_request_error", null],
  401: ["AuthenticationError", "invalid_request_error", "invalid_api_key"],
  402: ["APIError", "insufficient_quota", "insufficient_quota"],
  403: ["PermissionDeniedError", "permission_error", null],
  404: ["NotFoundError", "invalid_request_error", "model_not_found"],
  413: ["APIError", "invalid_request_error", null],
  429: ["RateLimitError", "rate_limit_error", "rate_limit_exceeded"],
  500: ["InternalServerError", "server_error", null],
  504: ["InternalServerError", "server_error", null],
  529: ["InternalServerError", "server_error", null],
};
for (const [text, [name, type, code]] of Object.entries(statuses)) {
  const status = Number(text);
  const reply = { fail: { kind: "server", message: "m", status } };
  check(`status ${status} is an error of its class`, reply, async (client) => {
    const error = await error_of(() =>
      client.chat.completions.create({ ...base, stream: true }));
    equal([error.status, error.type, error.code ?? null], [status, type, code], "error");
    truthy(error.message.includes("m"), "message");
    truthy(error.requestID?.startsWith("req_"), "request id");
    const known = client.constructor[name];
    truthy(known === undefined || error instanceof known, `class ${error.constructor.name}`);
  });
}
check("quota is told from a rate", { fail: { kind: "rate_limit", code: "insufficient_quota" } },
  async (client) => {
    const error = await error_of(() => client.chat.completions.create(base));
    equal([error.status, error.code], [429, "insufficient_quota"], "error");
  });
check("too long a context has its code", { fail: { kind: "context_length" } }, async (client) => {
  const error = await error_of(() => client.chat.completions.create(base));
  equal([error.status, error.code], [400, "context_length_exceeded"], "error");
});

for (const [title, fail, count] of retries) {
  check(`tries again or not after ${title}`, [{ fail }, { text: "ok" }],
    async (_client, { retrying, log }) => {
      await all_of(retrying.chat.completions.create({ ...base, stream: true })).catch(() => {});
      equal((await log()).length, count, "requests");
    });
}
check("an error in the stream ends it",
  { text: "abcdef", chunk: 1, fail: { kind: "server", after: 3 } }, async (client) => {
    const error = await error_of(() => chunks_of(client));
    truthy(/internal server error/.test(error.message), "message");
  });
for (const close of ["reset", "fin"]) {
  check(`a stream cut by ${close} is no completion`,
    { text: "abcdef", fault: { kind: "cut", at: 300, close } }, async (client) => {
      await error_of(() => final_of(client));
    });
}
check("arguments cut by the output limit", { calls: [calls[0]], fault: { kind: "length", at: 9 } },
  async (client) => {
    const completion = await client.chat.completions.create(base);
    const [choice] = completion.choices;
    equal([choice.finish_reason, choice.message.tool_calls[0].function.arguments],
      ["length", '{"path":"'], "choice");
  });
check("garbled arguments arrive as they are",
  { calls: [calls[0]], fault: { kind: "garbled_arguments", at: 1 } }, async (client) => {
    const deltas = (await chunks_of(client)).flatMap((chunk) =>
      chunk.choices[0].delta.tool_calls ?? []);
    equal(deltas.map((delta) => delta.function.arguments).join(""), '{""path":"α/β.txt"}',
      "arguments");
  });
check("two calls with one id",
  { calls: calls.slice(0, 2), fault: { kind: "duplicate_ids" } }, async (client) => {
    const completion = await client.chat.completions.create(base);
    const [one, two] = completion.choices[0].message.tool_calls;
    equal(one.id, two.id, "ids");
  });
check("an error page is an error",
  [{ fail: { kind: "server", status: 502, body: "<html>bad gateway</html>" } },
    { fail: { kind: "rate_limit", body: "" } }], async (client) => {
    equal((await error_of(() => client.chat.completions.create(base))).status, 502, "status");
    equal((await error_of(() => client.chat.completions.create(base))).status, 429, "status");
  });
check("the client may leave", { text: "abcdef", chunk: 1, fault: { kind: "stall", at: 500 } },
  async (client, { log }) => {
    const stream = await client.chat.completions.create({ ...base, stream: true });
    for await (const _chunk of stream) break;
    stream.controller.abort();
    for (let i = 0; i < 100 && (await log())[0].ending === "open"; i += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const [request] = await log();
    equal(request.ending, "client_left", "ending");
    truthy(request.events_sent > 0, "events");
  });
check("a stall of some time is only late", { text: "abc", fault: { kind: "stall", at: 300, ms: 60 } },
  async (client) => {
    equal((await final_of(client)).choices[0].message.content, "abc", "text");
  });
check("lists models", { text: "a" }, async (client) => {
  const page = await client.models.list();
  equal([page.data[0].id, page.data[0].object], ["fake-1", "model"], "model");
  equal((await client.models.retrieve("fake-1")).owned_by, "plumbline", "owner");
  equal((await error_of(() => client.models.retrieve("other"))).status, 404, "status");
});
check("a script that ran out is not asked again", { text: "a" },
  async (_client, { retrying, log }) => {
    await retrying.chat.completions.create(base);
    const error = await error_of(() => retrying.chat.completions.create(base));
    equal(error.status, 500, "status");
    truthy(/exhausted/.test(error.message), "message");
    equal((await log()).length, 2, "requests");
  });
check("a reply tells its request's id", { text: "a" }, async (client) => {
  const completion = await client.chat.completions.create(base);
  truthy(completion._request_id?.startsWith("req_"), "request id");
});
check("a whole exchange of calls and results is taken", [rich, { text: "done" }],
  async (client) => {
    const { choices: [{ message }] } = await client.chat.completions.create(base);
    const results = message.tool_calls.map(({ id }) => (
      { role: "tool", tool_call_id: id, content: "ok" }));
    const second = await client.chat.completions.create(
      { ...base, messages: [...hello, message, ...results] });
    equal(second.choices[0].message.content, "done", "text");
  });

const call = (id, more = {}) => (
  { id, type: "function", function: { name: "f", arguments: "{}", ...more } });
const answer = (...tool_calls) => ({ role: "assistant", content: null, tool_calls });
const result = (id) => ({ role: "tool", tool_call_id: id, content: "x" });
const wrong = {
  "a missing result": [...hello, answer(call("a")), ...hello],
  "an orphan result": [...hello, result("a")],
  "two results of one call": [...hello, answer(call("a")), result("a"), result("a")],
  "a late result": [...hello, answer(call("a")), ...hello, result("a")],
  "an empty list of calls": [...hello, answer()],
  "one id for two calls": [...hello, answer(call("a"), call("a")), result("a")],
  "arguments that are no text": [...hello, answer(call("a", { arguments: {} })), result("a")],
  "an answer of nothing": [...hello, { role: "assistant", content: null }, ...hello],
};
for (const [title, messages] of Object.entries(wrong)) {
  check(`refuses ${title}`, { text: "a" }, async (client) => {
    const error = await error_of(() => client.chat.completions.create({ ...base, messages }));
    equal([error.status, error.type], [400, "invalid_request_error"], "error");
    truthy(/^messages\[\d/.test(error.param), "param");
  });
}
check("refuses two tools of one name", { text: "a" }, async (client) => {
  const tool = { type: "function", function: { name: "f", parameters: { type: "object" } } };
  const error = await error_of(() =>
    client.chat.completions.create({ ...base, tools: [tool, tool] }));
  equal(error.status, 400, "status");
});

export const chat_checks = checks;
