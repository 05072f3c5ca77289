// SPDX-License-Identifier: Apache-2.0
// What differs lawfully between the interpreters of scripted extensions, by scenario: the places
// that differ, exactly, and why. None of it is the interpreters': it is what the two engines do.
const OF_THE_HOST = "pi's RPC has no tools of the host: an extension stands for it, the first one";
const MORE_TOOLS = "scripts list the tools that there are, and pi has more built-in ones";

export const LAWFUL = {
  "abort/ABORT-13-abort-while-input-is-handled": {
    differs: ["requests"],
    why: "expected.yaml: while a handler of input waits pi has no run yet that it could abort",
  },
  "event/EVENT-12-turn-end-names-what-is-stored": {
    differs: ["notes/<inline:own> c1", "notes/<inline:own> c2"],
    why: "the script looks at the second entry of the session, and pi's sessions begin otherwise",
  },
  "event/EVENT-25-a-message-is-replaced-within-its-role": {
    differs: ["handlers/message_end"],
    why: "messages in events have further members in pi",
  },
  "ext/EXT-06-no-actions-in-a-factory": {
    differs: ["notes/<inline:early>"],
    why: "the script notes what the engine says of an action that is too early",
  },
  "hook/HOOK-12-one-gate-for-every-kind-of-tool": { differs: ["requests"], why: OF_THE_HOST },
  "hook/HOOK-17-null-takes-a-field-away": {
    differs: ["calls/c1"],
    why: "expected.yaml: pi takes a null in a patch for left out",
  },
  "prompt/PROMPT-14-a-prompt-for-one-run": {
    differs: ["notes/<inline:adding>"],
    why: "the script notes the system prompt, whose words are each engine's own",
  },
  "queue/QUEUE-14-a-turn-within-a-turn": {
    differs: ["calls/c1", "calls/c1/1", "calls/c1/2", "requests"],
    why: "expected.yaml: in pi a call within the turn of its own file waits for itself",
  },
  "reg/REG-05-override-is-no-clash": {
    differs: ["calls/c1"],
    why: "pi refuses the whole extension for one tool that it cannot take, ours the tool alone",
  },
  "reg/REG-17-registration-acts-at-once": {
    differs: ["notes/<inline:growing> c1"], why: MORE_TOOLS,
  },
  "reg/REG-18-a-late-tool-stands-behind-those-of-the-host": {
    differs: ["requests"], why: OF_THE_HOST,
  },
  "result/RESULT-01-handlers-may-rewrite-what-is-sent": {
    differs: ["calls/c1", "handlers/context", "handlers/message_end"],
    why: "pi tells of its system prompt as a message: the third message_end is another one, and " +
      "messages in events have further members",
  },
  "tool/TOOL-02-defining-alone-does-nothing": {
    differs: ["notes/<inline:drafting>"], why: MORE_TOOLS,
  },
  "tool/TOOL-07-arguments-after-preparation-and-handlers": {
    differs: ["requests"], why: OF_THE_HOST,
  },
  "tool/TOOL-08-context-of-the-moment": {
    differs: ["notes/the host c1", "notes/the host c2"],
    why: "the script notes the entries of the session, which are each engine's own",
  },
  "tool/TOOL-17-a-batch-keeps-its-version": {
    differs: ["notes/<inline:versions> c1", "notes/<inline:versions> c2"],
    why: MORE_TOOLS,
  },
};
