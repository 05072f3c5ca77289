// SPDX-License-Identifier: Apache-2.0
// pi's RPC records as events of the trace, alike simulator/subjects/pi_rpc.cc, which reads recorded
// ones. Requests, answers and dialogs are the harness's own; updates of tools are the probe's.

/** Some dialects store "call_id|item_id"; results go by the first. */
const callId = (stored) => (stored ?? "").split("|")[0];

/** A message with its call ids as requests have them. */
function neutralMessage(message) {
  const neutral = { ...message };
  if (neutral.toolCallId !== undefined) neutral.toolCallId = callId(neutral.toolCallId);
  if (Array.isArray(neutral.content)) {
    neutral.content = neutral.content.map((block) =>
      typeof block.id === "string" ? { ...block, id: callId(block.id) } : block);
  }
  return neutral;
}

const parentOf = (record) =>
  record.parentToolCallId ? { parent: callId(record.parentToolCallId) } : {};

function ofMessage(kind, record) {
  const message = neutralMessage(record.message);
  const event = { kind, data: { role: message.role, message } };
  return message.toolCallId ? { ...event, call: message.toolCallId } : event;
}

const ofCall = (kind, record, data) =>
  ({ kind, call: callId(record.toolCallId), data: { name: record.toolName, ...data } });

const READERS = {
  agent_start: () => ({ kind: "agent_start", data: {} }),
  turn_start: (_, state) => ({ kind: "turn_start", data: { turn: state.turn } }),
  message_start: (record) => ofMessage("message_start", record),
  message_update: (record) =>
    ({ kind: "message_update", data: { delta: record.assistantMessageEvent } }),
  message_end: (record) => ofMessage("message_end", record),
  tool_execution_start: (record) => ofCall("tool_execution_start", record,
    { args: record.args ?? null, ...parentOf(record) }),
  tool_execution_end: (record) => ofCall("tool_execution_end", record, {
    result: record.result ?? null, is_error: record.isError === true,
    ran: record.durationMs !== undefined, ...parentOf(record),
  }),
  turn_end: (record, state) => ({
    kind: "turn_end",
    data: {
      turn: state.turn++,
      results: (record.toolResults ?? []).map((result) => callId(result.toolCallId)),
    },
  }),
  agent_end: (record, state) => {
    state.turn = 0;
    return { kind: "agent_end", data: { will_retry: record.willRetry === true } };
  },
  agent_settled: (record) =>
    ({ kind: "agent_settled", data: { aborted: record.aborted === true } }),
  extension_error: (record, _, nameOf) => ({
    kind: "extension_error",
    data: {
      extension: nameOf(record.extensionPath ?? ""), event: record.event ?? "",
      error: record.error ?? "",
    },
  }),
};

/** `state`: {turn}, kept by the caller over one session. None for records that no rule reads. */
export function neutralEvents(record, state, nameOf) {
  const reader = Object.hasOwn(READERS, record.type) ? READERS[record.type] : undefined;
  return reader ? [reader(record, state, nameOf)] : [];
}
