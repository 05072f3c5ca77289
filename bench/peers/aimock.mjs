// SPDX-License-Identifier: Apache-2.0
// Starts aimock with the text of serve_compare.mjs; prints its URL.
import { LLMock } from "@copilotkit/aimock";

import { text, chunk } from "./serve_text.mjs";

const mock = new LLMock({
  port: 0, latency: 0, chunkSize: chunk, logLevel: "silent", journalMaxEntries: 1000,
});
mock.onMessage("hello", { content: text });
await mock.start();
console.log(`listening on ${mock.url}`);
