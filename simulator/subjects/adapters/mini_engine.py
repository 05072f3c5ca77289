#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A deliberately naive engine and its adapter (PROTOCOL.md), on the standard library alone.

It is what one writes in an afternoon, and calibrates the checks: it never breaks the protocol, and
it breaks rules where simple code does:

- edit: str.replace, one edit after the other on the text as it has become by then, each place where
  the text occurs; a text that is not there changes nothing and counts as done. Files are opened in
  text mode, so CRLF turns into LF.
- read: the whole file, whatever offset and limit say, and without an end.
- write: makes no folders.
- arguments are handed to the tools as they came: no schema, no coercion.
- a failure is a text like any other: is_error stays false, unless the tool does not exist.
- calls of a batch run one after the other, calls of an answer that was cut run, too.
- abort is a flag that is looked at between calls: what has not run gets no result, and the next
  request sends the calls without their results.
- steering waits until the run is over.
- an answer that fails ends the run without a message of the assistant's.
"""
import json
import os
import subprocess
import sys
import threading
import time
import urllib.request

EMITS = ["agent_start", "turn_start", "message_start", "message_end", "tool_execution_start",
         "tool_execution_end", "execute_begin", "execute_end", "turn_end", "agent_end",
         "agent_settled"]
STEPS = ["user", "steer", "follow_up", "abort", "new_session"]
SUPPORTS = ["tools.active", "settings.model", "settings.system"]

PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TEXT = {"type": "string"}
TOOLS = {
    "read": ("Reads a file.", PATH),
    "write": ("Writes a file.", {
        "type": "object", "properties": {"path": TEXT, "content": TEXT},
        "required": ["path", "content"]}),
    "edit": ("Replaces texts in a file.", {
        "type": "object", "required": ["path", "edits"],
        "properties": {"path": TEXT, "edits": {"type": "array", "items": {
            "type": "object", "properties": {"oldText": TEXT, "newText": TEXT},
            "required": ["oldText", "newText"]}}}}),
    "bash": ("Runs a command.", {
        "type": "object", "properties": {"command": TEXT}, "required": ["command"]}),
}
STOPS = {"end_turn": "stop", "stop_sequence": "stop", "tool_use": "toolUse", "max_tokens": "length"}

output = threading.Lock()


def send(message):
    with output:
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()


def emit(kind, call=None, **data):
    message = {"type": "event", "kind": kind, "data": data}
    if call:
        message["call"] = call
    send(message)


def said(message, call=None):
    for kind in ("message_start", "message_end"):
        emit(kind, call, role=message["role"], message=message)


def text_of(text):
    return [{"type": "text", "text": text}]


class Session:
    """One conversation. The engine's thread runs it; the reader's thread sets flags and queues."""

    def __init__(self, start):
        self.root = start["workspace"]
        self.home = start["home"]
        self.url = start["base_url"].rstrip("/") + "/v1/messages"
        self.model = start["settings"].get("model", start["model"])
        self.system = start["settings"].get("system", "You are a helpful assistant.")
        self.active = start["tools"].get("active", ["read", "edit", "write"])
        self.messages = []  # As they go to the model.
        self.queue = []
        self.is_aborted = False

    # ---- tools

    def place(self, path):
        if path.startswith("~/"):
            return os.path.join(self.home, path[2:])
        return os.path.join(self.root, path)

    def read(self, args):
        with open(self.place(args["path"]), encoding="utf-8") as file:
            return file.read()

    def write(self, args):
        with open(self.place(args["path"]), "w", encoding="utf-8") as file:
            file.write(args["content"])
        return "written"

    def edit(self, args):
        text = self.read(args)
        for change in args["edits"]:
            text = text.replace(change["oldText"], change["newText"])
        self.write({"path": args["path"], "content": text})
        return "edited"

    def bash(self, args):
        done = subprocess.run(args["command"], shell=True, cwd=self.root, text=True, timeout=30,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        return done.stdout

    def perform(self, call, name, args):
        """The text of the result, whether it ran, whether it is an error."""
        if name not in self.active or name not in TOOLS:
            return f"no tool {name}", False, True
        emit("execute_begin", call, name=name, owner=name, args=args, signal_aborted=False)
        try:
            text = getattr(self, name)(args)
            outcome = {"outcome": "ok", "result": {"content": text_of(text)}}
        except Exception as error:  # whatever it was, the model may make something of it
            text = f"failed: {error!r}"
            outcome = {"outcome": "threw", "error": text}
        emit("execute_end", call, name=name, **outcome)
        return text, True, False

    # ---- the loop

    def ask(self):
        body = {"model": self.model, "max_tokens": 4096, "system": self.system,
                "messages": self.messages}
        tools = [{"name": name, "description": TOOLS[name][0], "input_schema": TOOLS[name][1]}
                 for name in self.active if name in TOOLS]
        if tools:
            body["tools"] = tools
        request = urllib.request.Request(
            self.url, json.dumps(body).encode(),
            {"content-type": "application/json", "x-api-key": "any",
             "anthropic-version": "2023-06-01"})
        with urllib.request.urlopen(request, timeout=50) as answer:
            return json.load(answer)

    def call_tools(self, calls):
        """The blocks of their results, in order; fewer when the run is aborted."""
        blocks = []
        for block in calls:
            # It is no race that decides whether an abort comes in time.
            time.sleep(0.1)
            if self.is_aborted:
                break
            call, name, args = block["id"], block["name"], block["input"]
            emit("tool_execution_start", call, name=name, args=args)
            text, has_run, is_error = self.perform(call, name, args)
            emit("tool_execution_end", call, name=name, result={"content": text_of(text)},
                 is_error=is_error, ran=has_run)
            said({"role": "toolResult", "toolCallId": call, "toolName": name,
                  "content": text_of(text), "isError": is_error}, call)
            blocks.append({"type": "tool_result", "tool_use_id": call, "content": text,
                           "is_error": is_error})
        return blocks

    def turn(self, number):
        """Whether another turn follows."""
        emit("turn_start", turn=number)
        answer = self.ask()
        self.messages.append({"role": "assistant", "content": answer["content"]})
        content = []
        for block in answer["content"]:
            if block["type"] == "tool_use":
                content.append({"type": "toolCall", "id": block["id"], "name": block["name"],
                                "arguments": block["input"]})
            elif block["type"] == "text":
                content.append({"type": "text", "text": block["text"]})
        said({"role": "assistant", "content": content,
              "stopReason": STOPS.get(answer["stop_reason"], "stop")})
        blocks = self.call_tools([one for one in answer["content"] if one["type"] == "tool_use"])
        if blocks:
            self.messages.append({"role": "user", "content": blocks})
        emit("turn_end", turn=number, results=[block["tool_use_id"] for block in blocks])
        return bool(blocks)

    def run(self, text):
        """Returns what went wrong, if anything did."""
        self.is_aborted = False
        self.queue.insert(0, text)
        failure = None
        while self.queue and not failure:
            emit("agent_start")
            asked = self.queue.pop(0)
            self.messages.append({"role": "user", "content": asked})
            said({"role": "user", "content": text_of(asked)})
            number = 0
            try:
                while not self.is_aborted and self.turn(number):
                    number += 1
            except (OSError, ValueError, KeyError) as error:
                failure = f"the model gave no answer: {error}"
            emit("agent_end", will_retry=False)
        emit("agent_settled", aborted=self.is_aborted)
        return failure


class Adapter:
    def __init__(self):
        self.session = None
        self.start = None

    def play(self, message):
        failure = self.session.run(message["text"])
        if failure:
            send({"type": "log", "text": failure})
        send({"type": "done", "id": message["id"]})

    def refuse(self, message, text):
        send({"type": "error", "id": message["id"], "code": "unsupported", "message": text})

    def step(self, message):
        """Answers at once; of `user` the engine's own thread does."""
        step = message["step"]
        if step == "user":
            threading.Thread(target=self.play, args=(message,), daemon=True).start()
            return
        if step in ("steer", "follow_up"):
            self.session.queue.append(message["text"])
        elif step == "abort":
            self.session.is_aborted = True
        elif step == "new_session":
            self.session = Session(self.start)
        else:
            self.refuse(message, f"no {step}")
            return
        send({"type": "done", "id": message["id"]})

    def take(self, message):
        kind = message["type"]
        if kind == "hello":
            send({"type": "hello", "protocol": "plumb-adapter/1", "name": "mini",
                  "version": "1.0", "engine": "session", "edition": "seed", "emits": EMITS,
                  "steps": STEPS, "apis": ["anthropic-messages"], "supports": SUPPORTS})
        elif kind == "start":
            self.start = message
            self.session = Session(message)
            send({"type": "done", "id": message["id"]})
        elif kind == "step":
            self.step(message)
        elif kind == "end":
            send({"type": "done", "id": message["id"]})


def main():
    adapter = Adapter()
    for line in sys.stdin:
        adapter.take(json.loads(line))


if __name__ == "__main__":
    main()
