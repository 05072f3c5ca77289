// SPDX-License-Identifier: Apache-2.0
// Mutants that stand between the tools and the port of files.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "engine/kernel/files.h"
#include "property-tests/mutants/mutant.h"

namespace plumb::simulator {

/// Changes nothing; a mutant overrides what it breaks.
class OuterFiles : public engine::Files {
 public:
  explicit OuterFiles(engine::Files& inner) : inner_(inner) {}

  engine::Task<Result<engine::FileReply>> perform(engine::FileRequest request) override {
    return inner_.perform(std::move(request));
  }

 protected:
  engine::Files& inner_;
};

/// Puts `Files`, which is made of the inner port, around the files of the mutant's runs.
template <class Files>
void put_around_files(Mutant& mutant) {
  mutant.alterations.files = [](engine::Files& inner, engine::Loop&) {
    return std::make_unique<Files>(inner);
  };
}

template <class Files>
Mutant files_mutant(std::string name, std::string rule, std::string change) {
  Mutant mutant = port_mutant(std::move(name), std::move(rule), std::move(change));
  put_around_files<Files>(mutant);
  return mutant;
}

}  // namespace plumb::simulator
