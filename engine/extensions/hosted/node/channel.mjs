// SPDX-License-Identifier: Apache-2.0
// Lines of JSON between this process and the engine, on descriptors of their own: extensions print
// on the standard streams. 3 and 4 carry messages; 5 and 6 carry questions that block until the
// engine has answered.
import { AsyncLocalStorage } from "node:async_hooks";
import { readSync, writeSync } from "node:fs";
import { Socket } from "node:net";

const FROM_ENGINE = 3;
const TO_ENGINE = 4;
const QUESTIONS = 5;
const ANSWERS = 6;

/** What the running code works for: {request, extension}, the engine's numbers, if known. */
export const current = new AsyncLocalStorage();

const block = Buffer.alloc(65_536);
let unread = "";

/** The engine is gone, and with it every reason to live. */
function leave() {
  process.reallyExit(0);
}

function writeLine(fd, value) {
  let bytes = Buffer.from(`${JSON.stringify(value)}\n`);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(fd, bytes));
    } catch (error) {
      if (error.code === "EPIPE") leave();
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

function readBlock() {
  try {
    const count = readSync(ANSWERS, block, 0, block.length, null);
    if (count === 0) leave();
    return block.toString("utf8", 0, count);
  } catch (error) {
    if (error.code !== "EAGAIN") throw error;
    return "";
  }
}

function readAnswer() {
  while (!unread.includes("\n")) unread += readBlock();
  const end = unread.indexOf("\n");
  const line = unread.slice(0, end);
  unread = unread.slice(end + 1);
  return JSON.parse(line);
}

/** Writes a message, with what it is for. Throws what JSON cannot say. */
export function send(message) {
  const isAnswer = message.method === undefined;
  writeLine(TO_ENGINE, isAnswer ? message : { ...message, ...current.getStore() });
}

/** Asks the engine and waits; nothing else of this process runs meanwhile. */
export function ask(method, params = {}) {
  writeLine(QUESTIONS, { method, params, ...current.getStore() });
  const answer = readAnswer();
  if (answer.error !== undefined) throw new Error(answer.error.message);
  return answer.result;
}

/** Calls `hear` with each message of the engine, one after the other. */
export function listen(hear) {
  const socket = new Socket({ fd: FROM_ENGINE, readable: true, writable: false });
  let text = "";
  socket.setEncoding("utf8");
  socket.on("data", (piece) => {
    text += piece;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      const line = text.slice(0, end);
      text = text.slice(end + 1);
      hear(JSON.parse(line));
    }
  });
  socket.on("end", leave);
  socket.on("error", leave);
}
