// SPDX-License-Identifier: Apache-2.0
#include "simulator/explore/variants.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace plumb::simulator {
namespace {

/// All orders of n things but the first (which is the scenario as written), at most
/// kPermutationsMax.
std::vector<std::vector<std::size_t>> other_orders(std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::vector<std::size_t>> orders;
  while (std::ranges::next_permutation(order).found &&
         static_cast<std::int64_t>(orders.size()) + 1 < kPermutationsMax) {
    orders.push_back(order);
  }
  return orders;
}

template <class List>
List in_order(const List& list, const std::vector<std::size_t>& order) {
  List result;
  for (const std::size_t i : order) result.push_back(list[i]);
  return result;
}

std::string order_name(std::string_view what, const std::vector<std::size_t>& order) {
  std::string name = "permute: " + std::string(what);
  for (const std::size_t i : order) name += " " + std::to_string(i);
  return name;
}

/// Whether a call carries a list of edits that has an order.
bool has_edits(const CallScript& call) {
  return call.args.is_object() && call.args.contains("edits") && call.args.at("edits").is_array() &&
         call.args.at("edits").size() > 1;
}

std::size_t permutable_count(const Scenario& scenario, const std::string& what) {
  if (what == "files") return scenario.files.size();
  if (what == "extensions") return scenario.extensions.size();
  for (const auto& step : scenario.steps) {
    const auto* model = std::get_if<ModelStep>(&step.action);
    if (model == nullptr) continue;
    if (what == "calls" && model->calls.size() > 1) return model->calls.size();
    const auto call = std::ranges::find_if(model->calls, has_edits);
    if (what == "edits" && call != model->calls.end()) return call->args.at("edits").size();
  }
  return 0;
}

/// Reorders the first reply (or call) that has something to reorder.
void permute_replies(Scenario& scenario, const std::string& what,
                     const std::vector<std::size_t>& order) {
  for (auto& step : scenario.steps) {
    auto* model = std::get_if<ModelStep>(&step.action);
    if (model == nullptr) continue;
    if (what == "calls" && model->calls.size() > 1) {
      model->calls = in_order(model->calls, order);
      return;
    }
    const auto call = std::ranges::find_if(model->calls, has_edits);
    if (what == "edits" && call != model->calls.end()) {
      Json edits = Json::array();
      for (const std::size_t i : order) edits.push_back(call->args.at("edits").at(i));
      call->args["edits"] = std::move(edits);
      return;
    }
  }
}

Scenario permuted(const Scenario& scenario, const std::string& what,
                  const std::vector<std::size_t>& order) {
  Scenario variant = scenario;
  if (what == "files") {
    variant.files = in_order(variant.files, order);
  } else if (what == "extensions") {
    variant.extensions = in_order(variant.extensions, order);
  } else {
    permute_replies(variant, what, order);
  }
  return variant;
}

void add_permutations(const Scenario& scenario, std::uint64_t seed, std::vector<Variant>& list) {
  const std::string& what = scenario.variants->permute;
  if (what.empty()) return;
  for (const auto& order : other_orders(permutable_count(scenario, what))) {
    list.push_back(
        {order_name(what, order), "permute: " + what, permuted(scenario, what, order), seed});
  }
}

}  // namespace

std::vector<Variant> variants_of(const Scenario& scenario, std::uint64_t seed) {
  std::vector<Variant> list{{"", "", scenario, seed}};
  if (!scenario.variants) return list;
  add_permutations(scenario, seed, list);
  for (const auto& name : scenario.variants->without_extension) {
    Scenario variant = scenario;
    std::erase_if(variant.extensions, [&name](const auto& e) { return e.name == name; });
    list.push_back({"without_extension: " + name, "without_extension", std::move(variant), seed});
  }
  for (const auto other : scenario.variants->seeds) {
    list.push_back(
        {"seed: " + std::to_string(other), "seeds", scenario, static_cast<std::uint64_t>(other)});
  }
  for (const auto& mode : scenario.variants->execution) {
    Scenario variant = scenario;
    variant.settings.execution = mode;
    list.push_back({"execution: " + mode, "execution", std::move(variant), seed});
  }
  return list;
}

}  // namespace plumb::simulator
