// SPDX-License-Identifier: Apache-2.0
// Registry and active set as a state machine beside a model that works everything out anew from the
// list of registrations. Operations are valid by construction: any order of them may happen.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/kernel/sim_loop.h"
#include "engine/tools/active_set.h"
#include "engine/tools/policies.h"
#include "engine/tools/registry.h"

namespace plumb::engine {
namespace {

using Names = std::vector<std::string>;

bool holds(const Names& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

void add_new(Names& names, const std::string& name) {
  if (!holds(names, name)) names.push_back(name);
}

/// A definition that somebody registers. `owner`: the extension's place in the load order.
struct Offer {
  Level level = Level::extension;
  int owner = 0;
  std::string name;
  int version = 0;
  bool is_hidden = false;
  bool is_dormant = false;
};

/// `reload`: the extensions' registrations go, `offers` take their place.
struct Operation {
  enum class Kind : std::uint8_t { offer, set_active, reload };
  Kind kind = Kind::offer;
  std::vector<Offer> offers;
  Names names;
};

struct Plan {
  std::optional<Names> allowed;
  Names excluded;
  std::vector<Offer> first;  ///< Before the session is bound.
  std::vector<Operation> operations;
};

// ------------------------------------------------------------------ generators

std::string some_name() {
  return *rc::gen::elementOf(Names{"read", "edit", "a", "b", "ea", "eb"});
}

Offer some_offer(int version) {
  Offer offer;
  offer.level = *rc::gen::weightedElement<Level>({{5, Level::extension}, {1, Level::sdk}});
  offer.owner = offer.level == Level::sdk ? 0 : *rc::gen::inRange(0, 3);
  offer.name = some_name();
  offer.version = version;
  offer.is_hidden = *rc::gen::inRange(0, 6) == 0;
  offer.is_dormant = *rc::gen::inRange(0, 4) == 0;
  return offer;
}

std::vector<Offer> some_offers(int& version, bool has_sdk) {
  std::vector<Offer> offers(static_cast<std::size_t>(*rc::gen::inRange(0, 6)));
  for (auto& offer : offers) {
    offer = some_offer(version++);
    if (!has_sdk) offer.level = Level::extension;
  }
  return offers;
}

Names some_names(const Names& pool) {
  return *rc::gen::container<Names>(rc::gen::elementOf(pool));
}

Operation some_operation(int& version) {
  using Kind = Operation::Kind;
  Operation operation;
  operation.kind =
      *rc::gen::weightedElement<Kind>({{4, Kind::offer}, {3, Kind::set_active}, {1, Kind::reload}});
  if (operation.kind == Kind::offer) operation.offers = {some_offer(version++)};
  if (operation.kind == Kind::reload) operation.offers = some_offers(version, false);
  if (operation.kind == Kind::set_active) {
    operation.names = some_names({"read", "edit", "a", "b", "ea", "eb", "ghost"});
  }
  return operation;
}

Plan some_plan() {
  Plan plan;
  if (*rc::gen::inRange(0, 3) == 0) plan.allowed = some_names({"read", "e*", "a", "*b", "*"});
  if (*rc::gen::inRange(0, 3) == 0) plan.excluded = some_names({"read", "e*", "b"});
  int version = 1;
  plan.first = some_offers(version, true);
  const int count = *rc::gen::inRange(0, 12);
  for (int i = 0; i < count; ++i) plan.operations.push_back(some_operation(version));
  return plan;
}

// ------------------------------------------------------------------ the model

std::string path_of(const Offer& offer) {
  if (offer.level == Level::builtin) return "builtin:" + offer.name;
  if (offer.level == Level::sdk) return "<sdk:" + offer.name + ">";
  return "<inline:" + std::to_string(offer.owner) + ">";
}

/// Patterns of this test hold at most one star, at one end.
bool fits(const std::string& pattern, const std::string& name) {
  if (pattern.starts_with('*')) return name.ends_with(pattern.substr(1));
  if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == name;
}

bool fits_any(const Names& patterns, const std::string& name) {
  return std::ranges::any_of(patterns, [&](const auto& pattern) { return fits(pattern, name); });
}

class Model {
 public:
  explicit Model(const Plan& plan) : allowed_(plan.allowed), excluded_(plan.excluded) {}

  /// The same owner's earlier offer of the name keeps its place (REG-06).
  void offer(const Offer& offer) {
    for (auto& known : offers_) {
      if (known.name != offer.name || path_of(known) != path_of(offer)) continue;
      known = offer;
      return;
    }
    offers_.push_back(offer);
  }

  void forget_extensions() {
    std::erase_if(offers_, [](const Offer& offer) { return offer.level == Level::extension; });
    clashes_.clear();
  }

  /// SDK over extension over built-in; of extensions the one that came first (REG-01, REG-02).
  std::optional<Offer> winner(const std::string& name) const {
    std::optional<Offer> best;
    for (const auto& offer : offers_) {
      if (offer.name == name && (!best || offer.level > best->level)) best = offer;
    }
    return best;
  }

  bool is_kept(const std::string& name) const {
    return (!allowed_ || fits_any(*allowed_, name)) && !fits_any(excluded_, name);
  }

  Names registered() const {
    Names names = slots_;
    std::erase_if(names, [&](const auto& name) { return !is_kept(name) || !winner(name); });
    return names;
  }

  bool is_for_models(const std::string& name) const {
    return is_kept(name) && winner(name) && !winner(name)->is_hidden;
  }
  bool wants_to_be_active(const std::string& name) const {
    return is_for_models(name) && !winner(name)->is_dormant;
  }

  void start() {
    refresh();
    for (const auto* name : {"read", "bash", "edit", "write"}) {
      if (is_for_models(name)) active_.emplace_back(name);
    }
    for (const auto& name : registered()) {
      const bool joins = allowed_
                             ? is_for_models(name)
                             : wants_to_be_active(name) && winner(name)->level != Level::builtin;
      if (joins) add_new(active_, name);
    }
    remember();
    is_started_ = true;
  }

  void refresh() {
    take_slots();
    count_clashes();
    if (!is_started_) return;
    std::erase_if(active_, [&](const auto& name) { return !is_for_models(name); });
    for (const auto& name : registered()) {
      const bool joins =
          allowed_ ? is_for_models(name) : wants_to_be_active(name) && !holds(known_, name);
      if (joins) add_new(active_, name);
    }
    remember();
  }

  void set_active(const Names& requested) {
    Names names;
    for (const auto& name : active_) {
      if (holds(requested, name) && is_for_models(name)) add_new(names, name);
    }
    for (const auto& name : requested) {
      if (is_for_models(name)) add_new(names, name);
    }
    active_ = std::move(names);
  }

  const Names& active() const { return active_; }
  std::int64_t clash_count() const { return clash_count_; }

 private:
  /// Built-ins, then extensions in load order, then SDK; a slot is kept for good (REG-18).
  void take_slots() {
    auto ordered = offers_;
    std::ranges::stable_sort(ordered, {}, [](const Offer& offer) {
      return std::pair(offer.level, offer.level == Level::extension ? offer.owner : 0);
    });
    for (const auto& offer : ordered) {
      if (is_kept(offer.name)) add_new(slots_, offer.name);
    }
  }

  /// Each extension that does not own its name is told once (REG-03).
  void count_clashes() {
    for (const auto& offer : offers_) {
      if (offer.level != Level::extension || path_of(offer) == extension_owner(offer.name))
        continue;
      if (clashes_.emplace(offer.name, path_of(offer)).second) ++clash_count_;
    }
  }

  std::string extension_owner(const std::string& name) const {
    for (const auto& offer : offers_) {
      if (offer.level == Level::extension && offer.name == name) return path_of(offer);
    }
    return "";
  }

  void remember() {
    known_ = registered();
    std::erase_if(known_, [&](const auto& name) { return !wants_to_be_active(name); });
  }

  std::optional<Names> allowed_;
  Names excluded_;
  std::vector<Offer> offers_;  ///< In the order of first registration.
  Names slots_;
  Names known_;
  Names active_;
  std::set<std::pair<std::string, std::string>> clashes_;
  std::int64_t clash_count_ = 0;
  bool is_started_ = false;
};

// ------------------------------------------------------------------ the engine

Task<ToolResult> say_nothing(ToolCall /*call*/) {
  co_return ToolResult();
}

ToolDefinition definition_of(const Offer& offer) {
  ToolDefinition tool;
  tool.name = offer.name;
  tool.description = "version " + std::to_string(offer.version);
  tool.parameters = SharedJson(Json{{"type", "object"}});
  tool.execute = say_nothing;
  if (offer.is_hidden) tool.exposure = Exposure::hidden;
  tool.default_active = !offer.is_dormant;
  return tool;
}

ToolFilters filters_of(const Plan& plan) {
  ToolFilters filters;
  filters.allowed = plan.allowed;
  filters.excluded = plan.excluded;
  return filters;
}

class Engine {
 public:
  explicit Engine(const Plan& plan) : registry_(recorder_, policies_, filters_of(plan)) {}

  void offer(const Offer& offer) {
    const bool was_bound = registry_.is_bound();
    Result<void> added;
    if (offer.level == Level::builtin) added = registry_.add_builtin(definition_of(offer));
    if (offer.level == Level::sdk) added = registry_.add_sdk(definition_of(offer));
    if (offer.level == Level::extension) {
      added = registry_.register_tool(inline_source(std::to_string(offer.owner)), offer.owner,
                                      definition_of(offer));
    }
    RC_ASSERT(added.has_value());
    RC_ASSERT(registry_.is_bound() == was_bound);
  }

  void start() {
    registry_.bind();
    active_.start(ActiveOptions());
    registry_.on_refresh([this] { active_.refreshed(); });
  }

  void reload(const std::vector<Offer>& offers) {
    registry_.clear_extensions();
    for (const auto& one : offers) offer(one);
    registry_.bind();
  }

  void set_active(const Names& names) { active_.set(names, "test"); }

  void compare(const Model& model) const {
    Names names;
    for (const auto& tool : registry_.tools()) {
      const auto& name = tool->definition.name;
      const auto winner = model.winner(name);
      RC_ASSERT(winner.has_value());
      RC_ASSERT(tool->source.path == path_of(*winner));
      RC_ASSERT(tool->definition.description == "version " + std::to_string(winner->version));
      names.push_back(name);
    }
    RC_ASSERT(names == model.registered());
    RC_ASSERT(active_.names() == model.active());
    RC_ASSERT(conflict_count() == model.clash_count());
    compare_snapshot(model);
  }

 private:
  /// What a turn may call is what is active, by exact name (ACTIVE-09, REG-19).
  void compare_snapshot(const Model& model) const {
    const TurnTools turn = active_.snapshot();
    Names names;
    for (const auto& tool : turn.active) names.push_back(tool->definition.name);
    RC_ASSERT(names == model.active());
    for (const auto& name : model.registered()) {
      RC_ASSERT((find_active(turn, name) != nullptr) == holds(names, name));
      RC_ASSERT(find_active(turn, name + " ") == nullptr);
    }
  }

  std::int64_t conflict_count() const {
    return std::ranges::count_if(trace_.events, [](const Event& event) {
      const auto* diagnostic = event.as<Diagnostic>();
      return diagnostic != nullptr && diagnostic->code == "tool_conflict";
    });
  }

  SimLoop loop_;
  Trace trace_;
  Recorder recorder_{trace_, [this] { return loop_.now_ms(); }};
  Policies policies_;
  ToolRegistry registry_;
  ActiveSet active_{registry_, recorder_, policies_};
};

void apply(const Operation& operation, Engine& engine, Model& model) {
  switch (operation.kind) {
    case Operation::Kind::offer:
      engine.offer(operation.offers.front());
      model.offer(operation.offers.front());
      model.refresh();
      break;
    case Operation::Kind::set_active:
      engine.set_active(operation.names);
      model.set_active(operation.names);
      break;
    case Operation::Kind::reload:
      engine.reload(operation.offers);
      model.forget_extensions();
      for (const auto& offer : operation.offers) model.offer(offer);
      model.refresh();
      break;
  }
}

// REG-01..03, REG-06..14, REG-16..20, ACTIVE-01..06, ACTIVE-12, TOOL-15, TOOL-23, TOOL-24
RC_GTEST_PROP(RegistryProperties, RegistryAndActiveSetActLikeTheModel, ()) {
  const Plan plan = some_plan();
  Engine engine(plan);
  Model model(plan);
  std::vector<Offer> offers{{Level::builtin, 0, "read", 0, false, false},
                            {Level::builtin, 0, "edit", 0, false, false},
                            {Level::builtin, 0, "ls", 0, false, true}};
  std::ranges::copy(plan.first, std::back_inserter(offers));
  for (const auto& offer : offers) {
    engine.offer(offer);
    model.offer(offer);
  }
  engine.start();
  model.start();
  engine.compare(model);

  for (const auto& operation : plan.operations) {
    apply(operation, engine, model);
    engine.compare(model);
  }
}

}  // namespace
}  // namespace plumb::engine
