// SPDX-License-Identifier: Apache-2.0
// Random resources in random places against a model of precedence that is a plain list (RES-10,
// RES-11, RES-12, TRUST-02, TRUST-18, DISC-19).
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/session/resources/resource_fixture.h"

namespace plumb::engine {
namespace {

const std::string kUser = "/user/.pi/agent";

/// Where resources lie, the strongest first.
struct Place {
  std::string folder;  ///< With one subfolder a kind; of lists another one.
  bool is_listed;
  bool is_of_project;
};
const std::array<Place, 7> kPlaces{{{"/cli", true, false},
                                    {"/w/.pi/listed", true, true},
                                    {"/w/.pi", false, true},
                                    {kUser + "/listed", true, false},
                                    {kUser, false, false},
                                    {"/w/.pi/pack", false, true},
                                    {kUser + "/pack", false, false}}};
constexpr int kNames = 4;

/// What lies at one place: names in the order of its list, and which of them are links to a file
/// that other places link to as well.
struct Holding {
  std::vector<int> names;
  std::set<int> links;
};
using Layout = std::vector<Holding>;

/// Some of the names, in any order: each by a key of its own, those below zero are left out.
rc::Gen<std::vector<int>> some_names() {
  const auto keys = rc::gen::container<std::vector<int>>(kNames, rc::gen::inRange(-6, 7));
  return rc::gen::map(keys, [](const std::vector<int>& chosen) {
    std::vector<int> names;
    for (int name = 0; name < kNames; ++name) {
      if (chosen[static_cast<std::size_t>(name)] >= 0) names.push_back(name);
    }
    std::ranges::stable_sort(names, {},
                             [&](int name) { return chosen[static_cast<std::size_t>(name)]; });
    return names;
  });
}

rc::Gen<Layout> layouts() {
  return rc::gen::exec([] {
    Layout layout(kPlaces.size());
    for (std::size_t p = 0; p < kPlaces.size(); ++p) {
      layout[p].names = *some_names();
      const auto linked = *some_names();
      layout[p].links = std::set<int>(linked.begin(), linked.end());
      if (!kPlaces[p].is_listed) std::ranges::sort(layout[p].names);
    }
    return layout;
  });
}

std::string name_of(int name) {
  return "n" + std::to_string(name);
}

/// The file of a name at a place, for extensions or skills.
std::string file_at(std::size_t place, int name, bool is_skill) {
  const std::string folder = kPlaces.at(place).folder;
  if (is_skill) return folder + "/skills/" + name_of(name) + "/SKILL.md";
  return folder + "/extensions/" + name_of(name) + ".ts";
}

struct OrderWorld : ResourceWorld {
  explicit OrderWorld(const Layout& layout) {
    for (int name = 0; name < kNames; ++name) {
      put("/store/" + name_of(name) + ".ts", text_of(name, false));
      put("/store/" + name_of(name) + ".md", text_of(name, true));
    }
    for (std::size_t p = 0; p < layout.size(); ++p) {
      for (const int name : layout[p].names) {
        put_one(p, name, layout[p].links.contains(name));
      }
    }
    for (const int name : layout[0].names) {
      options.extensions.push_back(file_at(0, name, false));
      options.skills.push_back(file_at(0, name, true));
    }
    put("/w/.pi/settings.json", settings(layout, 1));
    put(kUser + "/settings.json", settings(layout, 3));
  }

  /// The extensions by their real files, with where they are from.
  std::vector<SourceInfo> sources_of(const LoadedResources& loaded) {
    std::vector<SourceInfo> sources;
    for (const auto& extension : loaded.extensions) {
      sources.push_back(extension.source);
      sources.back().path = *run(files.key(extension.source.path));
    }
    return sources;
  }

  static std::string text_of(int name, bool is_skill) {
    if (!is_skill) return Json{{"tools", Json::array({name_of(name)})}}.dump();
    return "---\nname: " + name_of(name) + "\ndescription: d\n---\n";
  }
  static std::string settings(const Layout& layout, std::size_t place) {
    Json json{{"packages", Json::array({"./pack"})},
              {"extensions", Json::array()},
              {"skills", Json::array()}};
    for (const int name : layout[place].names) {
      json["extensions"].push_back(file_at(place, name, false));
      json["skills"].push_back(file_at(place, name, true));
    }
    return json.dump();
  }
  void put_one(std::size_t place, int name, bool is_link) {
    for (const bool is_skill : {false, true}) {
      const std::string path = file_at(place, name, is_skill);
      if (is_link) {
        memory.put_symlink(path, "/store/" + name_of(name) + (is_skill ? ".md" : ".ts"));
      } else {
        put(path, text_of(name, is_skill));
      }
    }
  }
};

/// The model: every place in turn, every name in its order, a linked file once.
std::vector<std::pair<int, std::string>> expected(const Layout& layout, bool is_trusted,
                                                  bool is_skill) {
  std::vector<std::pair<int, std::string>> files;
  std::set<int> linked;
  for (std::size_t p = 0; p < layout.size(); ++p) {
    if (kPlaces.at(p).is_of_project && !is_trusted) continue;
    for (const int name : layout[p].names) {
      if (layout[p].links.contains(name) && !linked.insert(name).second) continue;
      files.emplace_back(name, file_at(p, name, is_skill));
    }
  }
  return files;
}

RC_GTEST_PROP(ResourceOrder, IsThatOfThePlaces, ()) {
  const auto layout = *layouts();
  const bool is_trusted = *rc::gen::arbitrary<bool>();
  OrderWorld world(layout);

  const auto loaded = world.load(is_trusted);

  std::vector<std::string> paths;
  for (const auto& [name, path] : expected(layout, is_trusted, false)) paths.push_back(path);
  RC_ASSERT(paths_of(loaded.extensions) == paths);
}

RC_GTEST_PROP(ResourceOrder, IsTheSameHoweverTrustWasDecided, ()) {
  const auto layout = *layouts();
  const bool is_trusted = *rc::gen::arbitrary<bool>();
  OrderWorld known(layout);
  OrderWorld asked(layout);
  struct Answer {
    Task<bool> give(std::vector<LoadedExtension> early) {
      for (const auto& extension : early) {
        has_project = has_project || extension.source.path.starts_with("/w/");
      }
      co_return is_trusted;
    }
    bool is_trusted;
    bool has_project = false;
  } answer{is_trusted};
  ResourceLoader loader(asked.memory, asked.code, asked.options);

  const auto loaded = *asked.run(loader.load(
      [&](std::vector<LoadedExtension> early) { return answer.give(std::move(early)); }));

  RC_ASSERT(!answer.has_project);
  // What ran before the decision keeps the name under which it ran: the same files, in one order.
  RC_ASSERT(asked.sources_of(loaded) == known.sources_of(known.load(is_trusted)));
  auto ran = asked.code.ran;
  std::ranges::sort(ran);
  RC_ASSERT(std::ranges::adjacent_find(ran) == ran.end());
}

RC_GTEST_PROP(ResourceOrder, GivesANameToTheFirstThatHasIt, ()) {
  const auto layout = *layouts();
  const bool is_trusted = *rc::gen::arbitrary<bool>();
  OrderWorld world(layout);

  const auto loaded = world.load(is_trusted);

  std::vector<std::string> winners;
  std::set<int> names;
  std::size_t losers = 0;
  for (const auto& [name, path] : expected(layout, is_trusted, true)) {
    const bool is_first = names.insert(name).second;
    if (is_first) winners.push_back(path);
    losers += is_first ? 0 : 1;
  }
  std::vector<std::string> files;
  for (const auto& skill : loaded.skills.skills) files.push_back(skill.file);
  RC_ASSERT(files == winners);
  RC_ASSERT(loaded.skills.diagnostics.size() == losers);
}

}  // namespace
}  // namespace plumb::engine
