// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "engine/kernel/user_process.h"
#include "simulator/oracle/run_row.h"
#include "simulator/oracle/tool_kit.h"

namespace plumb::simulator {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

// Operations whose subject is still to come, by the beginning of their name.
constexpr std::array<Pair, 9> kPending{{
    {"trust.", "trust decisions are not built yet"},
    {"load", "the loader of resources is not built yet"},
    {"reload", "the loader of resources is not built yet"},
    {"settings.", "settings are not built yet"},
    {"skills.", "skills are not built yet"},
    {"prompt.", "prompt sections are not built yet"},
    {"template.", "prompt templates are not built yet"},
    {"templates.", "prompt templates are not built yet"},
    {"context.", "context files are not built yet"},
}};

std::string pending_operation(std::string_view op) {
  const auto* const found = std::ranges::find_if(
      kPending, [op](const Pair& pending) { return op.starts_with(pending.first); });
  return found == kPending.end() ? "" : std::string(found->second);
}

std::string reason_of_need(const OracleRow& row, const std::string& need) {
  if (need == "images" || need == "image-codec") return "";
  if (need == "search-programs") return "the search programs are not built in";
  const auto uid = row.setup.value("uid", std::int64_t{-1});
  return engine::may_run_as(uid) ? "" : "cannot run calls as another user";
}

std::string reason_of_step(const OracleStep& step) {
  if (auto reason = pending_operation(step.op); !reason.empty()) return reason;
  const bool has_tool = (step.op == "call" || step.op == "start") && step.args.contains("tool");
  if (has_tool) {
    auto reason = why_no_tool(step.args["tool"].get<std::string>());
    if (reason.empty()) reason = why_no_options(step.args);
    return reason;
  }
  const bool is_extension = step.op == "fs" && step.args.contains("extension");
  return is_extension ? "extension files are not built yet" : "";
}

std::string reason_of_setup(const OracleRow& row) {
  for (const auto& file : row.setup.value("files", Json::array())) {
    if (file.contains("extension")) return "extension files are not built yet";
  }
  return "";
}

}  // namespace

std::string reason_to_skip(const OracleRow& row, const std::string& edition) {
  if (!row.edition.empty() && row.edition != edition) return "binds in edition " + row.edition;
  for (const auto& quirk : row.quirks) {
    if (quirk.field.empty()) return "a quirk: " + quirk.rule + " asks for something else";
  }
  for (const auto& step : row.steps) {
    if (auto reason = reason_of_step(step); !reason.empty()) return reason;
  }
  for (const auto& need : row.needs) {
    if (auto reason = reason_of_need(row, need); !reason.empty()) return reason;
  }
  return reason_of_setup(row);
}

}  // namespace plumb::simulator
