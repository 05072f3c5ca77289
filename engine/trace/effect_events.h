// SPDX-License-Identifier: Apache-2.0
// Effects, recorded by the ports and never by the engine, and what the runner and the fake LLM add.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/trace/prefix_hash.h"
#include "engine/trace/request_block.h"
#include "engine/values/shared_json.h"

namespace plumb {

/// A request as it leaves the engine, stored against the last one of its `lineage`: the first
/// `common` blocks of request `base` (a seq, -1 for none) stay, its other `removed` ones go,
/// `append` follows. `hash` chains over all blocks' bytes. `params`: model, max_tokens, ... `n`
/// counts from 1 over the run.
struct ProviderRequest {
  static constexpr std::string_view kKind = "provider_request";
  std::int64_t n = 0;
  std::string lineage = "main";
  std::int64_t base = -1;
  std::int64_t common = 0;
  std::int64_t removed = 0;
  std::vector<RequestBlock> append;
  PrefixHash hash;
  SharedJson params;
  bool operator==(const ProviderRequest&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("n", self.n);
    visit("lineage", self.lineage);
    visit("base", self.base);
    visit("common", self.common);
    visit("removed", self.removed);
    visit("append", self.append);
    visit("hash", self.hash);
    visit("params", self.params);
  }
};

/// The answer to request `n`. `stop_reason`: stop, toolUse, length, error, aborted. `message`: the
/// assistant message.
struct ProviderResponse {
  static constexpr std::string_view kKind = "provider_response";
  std::int64_t n = 0;
  std::string stop_reason;
  SharedJson message;
  std::string error;
  bool operator==(const ProviderResponse&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("n", self.n);
    visit("stop_reason", self.stop_reason);
    visit("message", self.message);
    visit("error", self.error);
  }
};

/// `op`: access, read, write, ...; `phase`: begin, end; `result` at the end: ok or an error code;
/// `bytes` read or written; `hash`: SHA-256 of the bytes.
struct FileOperation {
  static constexpr std::string_view kKind = "file_op";
  std::string op;
  std::string path;
  std::string real_path;
  std::string phase;
  std::string result;
  std::int64_t bytes = -1;
  std::string hash;
  bool operator==(const FileOperation&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("op", self.op);
    visit("path", self.path);
    visit("real_path", self.real_path);
    visit("phase", self.phase);
    visit("result", self.result);
    visit("bytes", self.bytes);
    visit("hash", self.hash);
  }
};

/// A command runs. `environment`: variables set on top of the host's own, name -> value; `removed`:
/// those taken out of it.
struct ProcessStart {
  static constexpr std::string_view kKind = "process_start";
  std::string command;
  std::string cwd;
  SharedJson environment;
  std::vector<std::string> removed;
  bool operator==(const ProcessStart&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("command", self.command);
    visit("cwd", self.cwd);
    visit("environment", self.environment);
    visit("removed", self.removed);
  }
};

/// `end`: exited, signaled, timed_out, aborted, output_limit. `code`: when it exited; `signal`: its
/// name. `output`: all that came, both streams, up to 256 KiB, else its end; `output_bytes`: of
/// all; `chunks`: in how many pieces it came. `exited_ms`: when the command itself ended by itself,
/// from its start, or -1. `group_alive`: members of its process group that run on.
struct ProcessExit {
  static constexpr std::string_view kKind = "process_exit";
  std::int64_t code = 0;
  std::string signal;
  std::string output;
  std::string end;
  std::int64_t output_bytes = 0;
  std::int64_t chunks = 0;
  std::int64_t exited_ms = -1;
  std::int64_t group_alive = 0;
  bool operator==(const ProcessExit&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("code", self.code);
    visit("signal", self.signal);
    visit("output", self.output);
    visit("end", self.end);
    visit("output_bytes", self.output_bytes);
    visit("chunks", self.chunks);
    visit("exited_ms", self.exited_ms);
    visit("group_alive", self.group_alive);
  }
};

/// `method`: confirm, select, input, editor.
struct UiAsk {
  static constexpr std::string_view kKind = "ui_ask";
  std::string method;
  std::string title;
  std::string message;
  bool operator==(const UiAsk&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("method", self.method);
    visit("title", self.title);
    visit("message", self.message);
  }
};

/// `by`: user, timeout, abort, no_ui.
struct UiAnswer {
  static constexpr std::string_view kKind = "ui_answer";
  SharedJson answer;
  std::string by;
  bool operator==(const UiAnswer&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("answer", self.answer);
    visit("by", self.by);
  }
};

/// A step of the scenario was applied: user, steer, follow_up, abort, ... `line`: of the scenario
/// file.
struct Step {
  static constexpr std::string_view kKind = "step";
  std::string step;
  SharedJson data;
  std::int64_t line = 0;
  bool operator==(const Step&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("step", self.step);
    visit("data", self.data);
    visit("line", self.line);
  }
};

/// The workspace when the run settled: path -> {text} | {bytes, sha256} | {link} | {dir: true}.
/// `before`: when it began.
struct FinalFiles {
  static constexpr std::string_view kKind = "final_files";
  SharedJson before;
  SharedJson files;
  bool operator==(const FinalFiles&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("before", self.before);
    visit("files", self.files);
  }
};

/// The fake LLM refused a request: `code` orphan_result, missing_result, exhausted, unforeseen,
/// ...; `where`: file:line:col.
struct LlmError {
  static constexpr std::string_view kKind = "llm_error";
  std::string code;
  std::string message;
  std::string where;
  bool operator==(const LlmError&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("code", self.code);
    visit("message", self.message);
    visit("where", self.where);
  }
};

struct Crash {
  static constexpr std::string_view kKind = "crash";
  bool operator==(const Crash&) const = default;
  static void fields(auto&, auto&&) {}
};

struct Resume {
  static constexpr std::string_view kKind = "resume";
  bool operator==(const Resume&) const = default;
  static void fields(auto&, auto&&) {}
};

}  // namespace plumb
