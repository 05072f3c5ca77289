// SPDX-License-Identifier: Apache-2.0
// The kinds of events that the harness itself records in live runs.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace plumb::simulator {

inline constexpr std::array<std::string_view, 9> kHarnessKinds{"provider_request",
                                                               "provider_response",
                                                               "llm_error",
                                                               "ui_ask",
                                                               "ui_answer",
                                                               "step",
                                                               "final_files",
                                                               "crash",
                                                               "resume"};

/// What it can show of a subject that says nothing itself.
inline constexpr std::array<std::string_view, 7> kBlackBoxKinds{
    "provider_request", "provider_response", "llm_error", "step", "final_files", "crash", "resume"};

inline bool is_harness_kind(std::string_view kind) {
  return std::ranges::find(kHarnessKinds, kind) != kHarnessKinds.end();
}

}  // namespace plumb::simulator
