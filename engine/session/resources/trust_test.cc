// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/session/resources/project_trust.h"
#include "engine/session/resources/resource_fixture.h"

namespace plumb::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Chooses the option with that label; "" closes the question.
class ChoosingInterface final : public UserInterface {
 public:
  explicit ChoosingInterface(std::optional<std::string> label) : label_(std::move(label)) {}
  bool is_attached() const override { return label_.has_value(); }
  Task<DialogAnswer> ask(Dialog dialog) override {
    asked.push_back(dialog.options);
    DialogAnswer answer(label_->empty() ? Json() : Json(*label_));
    co_return answer;
  }
  std::vector<std::vector<std::string>> asked;

 private:
  std::optional<std::string> label_;
};

class HandlerAnswer final {
 public:
  explicit HandlerAnswer(Json answer) : answer_(std::move(answer)) {}
  Task<HandlerResult> call() {
    if (answer_ == "throw") throw std::runtime_error("boom");
    if (answer_ == "nothing") co_return std::optional<Json>();
    co_return std::optional<Json>(answer_);
  }

 private:
  Json answer_;
};

struct TrustWorld : ResourceWorld {
  TrustWorld() { put("/w/.pi/settings.json"); }

  TrustDecision decide() {
    TrustStore store(files, options.places.user_folder);
    TrustDecider decider(files, store, ui);
    TrustQuestion asked = question;
    asked.cwd = "/w";
    asked.home = "/user";
    return *run(decider.decide(std::move(asked)));
  }
  void answer(const Json& answer) {
    auto handler = std::make_shared<HandlerAnswer>(answer);
    question.handlers.emplace_back("/e.ts", [handler](Json /*event*/) { return handler->call(); });
  }
  void save(const std::string& folder, std::optional<bool> decision) {
    TrustStore store(files, options.places.user_folder);
    std::vector<TrustUpdate> updates;
    updates.emplace_back(folder, decision);
    ASSERT_TRUE(run(store.set(std::move(updates))));
  }
  std::optional<bool> saved(const std::string& folder) {
    TrustStore store(files, options.places.user_folder);
    return *run(store.get(folder));
  }

  TrustQuestion question;
  ChoosingInterface ui{std::nullopt};
};

TEST(TrustScan, KnowsWhatIsProtected) {  // TRUST-05
  for (const char* name : {"settings.json", "mcp.json", "extensions/x", "skills/x", "prompts/x",
                           "themes/x", "SYSTEM.md", "APPEND_SYSTEM.md"}) {
    ResourceWorld world;
    world.put(std::string("/w/.pi/") + name);
    TrustScan scan(world.files);
    EXPECT_TRUE(*world.run(scan.needs_decision("/w", "/user"))) << name;
    EXPECT_FALSE(*world.run(scan.needs_decision("/w/sub", "/user"))) << name;
  }
}

TEST(TrustScan, PassesOverWhatIsNot) {  // TRUST-05
  ResourceWorld world;
  world.put("/w/AGENTS.md");
  world.put("/w/.pi/AGENTS.md");
  world.put("/user/.agents/skills/x/SKILL.md");
  world.memory.put_directory("/user/p");
  TrustScan scan(world.files);

  EXPECT_FALSE(*world.run(scan.needs_decision("/w", "/user")));
  EXPECT_FALSE(*world.run(scan.needs_decision("/user/p", "/user")));
  world.memory.put_directory("/w/.agents/skills");
  EXPECT_TRUE(*world.run(scan.needs_decision("/w/a/b", "/user")));
}

TEST(TrustStore, AppliesToTheFolderAndBelow) {  // TRUST-13
  TrustWorld world;
  world.memory.put_symlink("/link", "/w");
  world.save("/w", true);
  world.save("/w/a", false);

  EXPECT_EQ(world.saved("/link"), true);
  EXPECT_EQ(world.saved("/w/a/b"), false);
  world.save("/w/a", std::nullopt);
  EXPECT_EQ(world.saved("/w/a/b"), true);
  EXPECT_EQ(world.saved("/x"), std::nullopt);
}

TEST(TrustStore, RefusesADamagedFile) {  // TRUST-14
  for (const char* text : {"[]", R"({"/w": "yes"})", "{bad"}) {
    TrustWorld world;
    world.put("/user/.pi/agent/trust.json", text);

    const auto decision = world.decide();

    EXPECT_FALSE(decision.is_trusted) << text;
    EXPECT_EQ(decision.by, "error");
    EXPECT_THAT(decision.failures, SizeIs(1));
  }
}

TEST(TrustDecision, IsNoWhereItCannotBeStored) {  // TRUST-14
  TrustWorld world;
  world.put("/user/.pi/agent/trust.json", "{bad");
  world.answer(Json{{"trusted", "yes"}, {"remember", true}});

  const auto decision = world.decide();

  EXPECT_FALSE(decision.is_trusted);
  EXPECT_EQ(decision.by, "error");
  EXPECT_THAT(decision.failures, SizeIs(1));
}

TEST(TrustDecision, OfTheCommandLineBeatsAll) {  // TRUST-09
  TrustWorld world;
  world.save("/w", false);
  world.answer(Json{{"trusted", "no"}});
  world.question.given = true;

  EXPECT_TRUE(world.decide().is_trusted);
  EXPECT_EQ(world.saved("/w"), false);
}

TEST(TrustDecision, IsSilentWhereNothingIsProtected) {  // TRUST-09
  TrustWorld world;
  ASSERT_TRUE(world.run(world.memory.remove("/w/.pi/settings.json")));
  world.answer(Json{{"trusted", "no"}});

  EXPECT_TRUE(world.decide().is_trusted);
  EXPECT_EQ(world.decide().by, "unprotected");
  world.save("/w", false);
  EXPECT_EQ(world.decide().by, "saved");
  EXPECT_FALSE(world.decide().is_trusted);
}

TEST(TrustDecision, IsTheFirstYesOrNoOfHandlers) {  // TRUST-10, TRUST-09
  TrustWorld world;
  world.save("/w", true);
  world.answer(Json{{"trusted", "undecided"}, {"remember", true}});
  world.answer(Json{{"trusted", "no"}});
  world.answer(Json{{"trusted", "yes"}, {"remember", true}});

  EXPECT_FALSE(world.decide().is_trusted);
  EXPECT_EQ(world.saved("/w"), true);
}

TEST(TrustDecision, IsNeverYesByAFailure) {  // TRUST-11
  TrustWorld world;
  world.answer("throw");
  world.answer("nothing");
  EXPECT_THAT(world.decide().failures, SizeIs(2));
  EXPECT_FALSE(world.decide().is_trusted);

  world.answer(Json{{"trusted", "maybe"}, {"remember", true}});
  world.answer(Json{{"trusted", "yes"}});
  EXPECT_FALSE(world.decide().is_trusted);
  EXPECT_EQ(world.saved("/w"), std::nullopt);
}

TEST(TrustDecision, IsStoredOnDemand) {  // TRUST-12
  TrustWorld world;
  world.answer(Json{{"trusted", "yes"}, {"remember", true}});

  EXPECT_TRUE(world.decide().is_stored);
  EXPECT_EQ(world.saved("/w"), true);
}

TEST(TrustDecision, FallsBackToTheUsersDefault) {  // TRUST-09, TRUST-16
  TrustWorld world;
  world.question.default_answer = "always";
  EXPECT_TRUE(world.decide().is_trusted);
  world.question.default_answer = "never";
  EXPECT_FALSE(world.decide().is_trusted);
  world.question.default_answer = "ask";
  EXPECT_EQ(world.decide().by, "no_ui");
  EXPECT_FALSE(world.decide().is_trusted);
  EXPECT_EQ(world.saved("/w"), std::nullopt);
}

struct ChoiceCase {
  const char* label;
  bool is_trusted;
  std::optional<bool> of_folder;
  std::optional<bool> of_parent;
};

TEST(TrustDecision, HoldsAsLongAsTheUserSays) {  // TRUST-17
  const ChoiceCase cases[] = {
      {"Trust", true, true, std::nullopt},
      {"Trust parent folder (/)", true, true, true},
      {"Trust (this session only)", true, std::nullopt, std::nullopt},
      {"Do not trust", false, false, std::nullopt},
      {"Do not trust (this session only)", false, std::nullopt, std::nullopt},
      {"", false, std::nullopt, std::nullopt}};
  for (const auto& one : cases) {
    TrustWorld world;
    ChoosingInterface ui(one.label);
    TrustStore store(world.files, world.options.places.user_folder);
    TrustDecider decider(world.files, store, ui);
    TrustQuestion question;
    question.cwd = "/w";
    question.home = "/user";

    const auto decision = *world.run(decider.decide(std::move(question)));

    EXPECT_EQ(decision.is_trusted, one.is_trusted) << one.label;
    EXPECT_EQ(world.saved("/w"), one.of_folder) << one.label;
    EXPECT_EQ(world.saved("/"), one.of_parent) << one.label;
    ASSERT_THAT(ui.asked, SizeIs(1));
    EXPECT_THAT(ui.asked[0], SizeIs(5));
  }
}

TEST(ProjectTrust, AsksOnceAFolder) {  // TRUST-23, TRUST-21
  TrustWorld world;
  TrustStore store(world.files, world.options.places.user_folder);
  ProjectTrust trust(world.files, store, world.ui);
  EXPECT_EQ(*world.run(trust.known("/w", "/user")), std::nullopt);
  EXPECT_FALSE(trust.is_trusted("/w"));
  TrustQuestion question;
  question.cwd = "/w";
  question.home = "/user";
  question.given = true;
  ASSERT_TRUE(world.run(trust.decide(std::move(question))));

  EXPECT_EQ(*world.run(trust.known("/w/", "/user")), true);
  EXPECT_TRUE(trust.is_trusted("/w"));
  EXPECT_EQ(*world.run(trust.known("/other", "/user")), std::nullopt);
}

TEST(ProjectTrust, ForgetsASilentYesOnceThereIsSomethingToProtect) {  // TRUST-20
  ResourceWorld world;
  NoUserInterface ui;
  TrustStore store(world.files, world.options.places.user_folder);
  ProjectTrust trust(world.files, store, ui);
  TrustQuestion question;
  question.cwd = "/w";
  question.home = "/user";
  EXPECT_TRUE(world.run(trust.decide(question))->is_trusted);
  EXPECT_EQ(*world.run(trust.known("/w", "/user")), true);

  world.put("/w/.pi/extensions/late.ts");

  EXPECT_EQ(*world.run(trust.known("/w", "/user")), std::nullopt);
  EXPECT_FALSE(world.run(trust.decide(question))->is_trusted);
  EXPECT_EQ(*world.run(trust.known("/w", "/user")), false);
}

TEST(Settings, OfAProjectCountOnlyWhenItIsTrusted) {  // TRUST-15, TRUST-22, TRUST-06
  ResourceWorld world;
  world.put("/w/.pi/settings.json", R"({"sessionDir": "s", "defaultProjectTrust": "always"})");
  SettingsFiles settings(world.files, world.options.places);

  EXPECT_TRUE(world.run(settings.load(false))->session_folder().is_null());
  EXPECT_EQ(world.run(settings.load(true))->session_folder(), "s");
  EXPECT_EQ(world.run(settings.load(true))->default_trust(), "ask");
  EXPECT_EQ(*world.run(settings.early_session_folder()), "s");
  EXPECT_EQ(world.run(settings.set(SettingsScope::project, "packages", Json::array(), false))
                .error()
                .code,
            ErrorCode::rejected);
  EXPECT_TRUE(world.run(settings.set(SettingsScope::project, "packages", Json::array(), true)));
  EXPECT_EQ(world.run(settings.load(true))->session_folder(), "s");
}

}  // namespace
}  // namespace plumb::engine
