// SPDX-License-Identifier: Apache-2.0
// What a tool may ask of a session when there is none.
#pragma once

#include <string>
#include <utility>

#include "engine/tools/definition.h"

namespace plumb::engine {

/// Answers with a working folder and the name of a model, and with nothing else.
class FolderContext final : public ToolContext {
 public:
  explicit FolderContext(std::string folder, std::string model = "")
      : folder_(std::move(folder)), model_(std::move(model)) {}
  std::string cwd() const override { return folder_; }
  std::string model() const override { return model_; }
  bool has_ui() const override { return false; }
  bool is_idle() const override { return false; }
  std::string system_prompt() const override { return ""; }
  SharedJson session_entries() const override { return SharedJson(Json::array()); }
  void abort() override {}
  void compact() override {}

 private:
  std::string folder_;
  std::string model_;
};

}  // namespace plumb::engine
