// SPDX-License-Identifier: Apache-2.0
// Random session trees beside a model that keeps every entry's whole way as a list: what the tree
// says of a place is the fold over that list, in memory and after the file was read again.
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/kernel/memory_files.h"
#include "engine/kernel/scripted_processes.h"
#include "engine/kernel/sim_loop.h"
#include "engine/session/tree/projection.h"
#include "engine/session/tree/session_store.h"
#include "engine/values/json_members.h"

namespace plumb::engine {
namespace {

/// What an entry does to the state of its branch.
struct Step {
  enum class Kind : std::uint8_t { say, answer, state, note, model, think, move, leave };
  Kind kind = Kind::say;
  int value = 0;
  int target = 0;  ///< Of a move: an index among the entries, or before all of them.
};

/// The meaning of a way from the root.
struct Fold {
  std::vector<std::string> ids;
  std::vector<std::string> texts;  ///< Of the context.
  Json state;
  std::string model;
  std::string thinking;
};

struct Modelled {
  std::map<std::string, Fold> by_id;
  std::vector<std::string> order;
  std::optional<std::string> leaf;

  Fold here() const { return leaf ? by_id.at(*leaf) : Fold(); }
  void add(const std::string& id, Fold fold) {
    fold.ids.push_back(id);
    by_id[id] = std::move(fold);
    order.push_back(id);
    leaf = id;
  }
  std::optional<std::string> place(int target) const {
    const auto count = static_cast<int>(order.size());
    const int index = target % (count + 1);
    return index == count ? std::nullopt : std::optional(order[static_cast<std::size_t>(index)]);
  }
};

std::vector<Step> some_steps() {
  return *rc::gen::container<std::vector<Step>>(rc::gen::map(
      rc::gen::tuple(rc::gen::inRange(0, 8), rc::gen::inRange(0, 9), rc::gen::inRange(0, 1000)),
      [](const std::tuple<int, int, int>& drawn) {
        return Step{static_cast<Step::Kind>(std::get<0>(drawn)), std::get<1>(drawn),
                    std::get<2>(drawn)};
      }));
}

EntryDraft message_draft_of(const char* role, int value) {
  Json message = Json::object();
  message["role"] = role;
  message["content"] = std::to_string(value);
  message["provider"] = "p";
  message["model"] = "m" + std::to_string(value);
  return message_draft(role, SharedJson(std::move(message)));
}

std::string shown_text(const Json& message) {
  const std::string text = text_at(message, "content");
  return text.empty() ? text_at(message, "summary") : text;
}

/// A store over memory and the model, moved side by side.
class Pair {
 public:
  Pair() {
    NewSession wanted("/w");
    wanted.folder = "/s";
    store_ = *loop_.run(SessionStore::create(ports_, std::move(wanted)));
    append(message_draft_of("user", 0), says("0"));
  }

  void run(const Step& step) {
    const std::string text = std::to_string(step.value);
    Fold fold = model_.here();
    switch (step.kind) {
      case Step::Kind::say:
        return append(message_draft_of("user", step.value), says(text));
      case Step::Kind::answer:
        fold = says(text);
        fold.model = "m" + text;
        return append(message_draft_of("assistant", step.value), std::move(fold));
      case Step::Kind::state:
        fold.state = Json(step.value);
        return append(custom_draft("state", Json(step.value)), std::move(fold));
      case Step::Kind::note:
        return append(custom_draft("other", Json(step.value)), std::move(fold));
      case Step::Kind::model:
        fold.model = "m" + text;
        return append(model_draft("p", "m" + text), std::move(fold));
      case Step::Kind::think:
        fold.thinking = text;
        return append(thinking_draft(text), std::move(fold));
      case Step::Kind::move:
        return move(step.target);
      case Step::Kind::leave:
        return leave(step);
    }
  }

  void check() const {
    compare(store_->tree(), true);
    const auto again = loop_.run(SessionStore::open(ports_, store_->path(), "/w"));
    RC_ASSERT(again.has_value());
    compare((*again)->tree(), false);
    RC_ASSERT((*again)->tree().leaf() == model_.order.back());  // SESS-18
  }

 private:
  Fold says(const std::string& text) const {
    Fold fold = model_.here();
    fold.texts.push_back(text);
    return fold;
  }

  void append(EntryDraft draft, Fold fold) {
    const auto id = loop_.run(store_->append(std::move(draft)));
    RC_ASSERT(id.has_value());
    model_.add(*id, std::move(fold));
  }

  void move(int target) {
    const auto place = model_.place(target);
    RC_ASSERT(store_->move(place).has_value());
    model_.leaf = place;
  }

  void leave(const Step& step) {
    const auto from = model_.leaf;
    move(step.target);
    const std::string text = "left " + std::to_string(step.value);
    append(summary_draft(from, text, false), says(text));
  }

  void compare(const SessionTree& tree, bool has_position) const {
    RC_ASSERT(tree.entries().size() == model_.order.size());
    for (const auto& [id, fold] : model_.by_id) compare_place(tree.branch_of(id), fold);
    if (has_position) compare_place(tree.branch(), model_.here());
  }

  static void compare_place(const Branch& branch, const Fold& fold) {
    std::vector<std::string> ids;
    for (const TreeEntry* entry : branch) ids.push_back(entry->id);
    RC_ASSERT(ids == fold.ids);
    std::vector<std::string> texts;
    for (const auto& one : project(branch)) texts.push_back(shown_text(one.message.get()));
    RC_ASSERT(texts == fold.texts);
    RC_ASSERT(last_custom_data(branch, "state") == fold.state);
    RC_ASSERT(settings_of(branch).model == fold.model);
    RC_ASSERT(settings_of(branch).thinking_level == fold.thinking);
  }

  mutable SimLoop loop_;
  MemoryFiles files_{loop_};
  ScriptedProcesses processes_{loop_, files_};
  Rng rng_{1};
  Env env_{loop_, files_, processes_, rng_};
  Rng ids_{2};
  StorePorts ports_{env_, ids_};
  SessionStorePtr store_;
  Modelled model_;
};

// SESS-01, SESS-11, SESS-18, SESS-36
RC_GTEST_PROP(SessionTreeProperties, EveryPlaceIsTheFoldOverItsWay, ()) {
  Pair pair;
  for (const Step& step : some_steps()) pair.run(step);
  pair.check();
}

}  // namespace
}  // namespace plumb::engine
