// SPDX-License-Identifier: Apache-2.0
#include "simulator/cli/subject_pool.h"

#include <string>
#include <string_view>
#include <utility>

namespace plumb::simulator {

class SubjectPool::Lent final : public Subject {
 public:
  Lent(SubjectPool& pool, std::unique_ptr<Subject> subject)
      : pool_(pool), subject_(std::move(subject)) {}
  ~Lent() override { pool_.put(std::move(subject_)); }

  std::string_view name() const override { return subject_->name(); }
  std::string_view engine() const override { return subject_->engine(); }
  std::string_view edition() const override { return subject_->edition(); }
  bool is_built_in() const override { return subject_->is_built_in(); }
  std::vector<std::string> emits() const override { return subject_->emits(); }
  RunResult run(const Scenario& scenario, const RunOptions& options) override {
    return subject_->run(scenario, options);
  }

 private:
  SubjectPool& pool_;
  std::unique_ptr<Subject> subject_;
};

std::unique_ptr<Subject> SubjectPool::lend() {
  std::unique_ptr<Subject> subject;
  {
    const std::lock_guard lock(idle_mutex_);
    if (!idle_.empty()) {
      subject = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (subject == nullptr) subject = make_();
  return std::make_unique<Lent>(*this, std::move(subject));
}

void SubjectPool::put(std::unique_ptr<Subject> subject) {
  const std::lock_guard lock(idle_mutex_);
  idle_.push_back(std::move(subject));
}

}  // namespace plumb::simulator
