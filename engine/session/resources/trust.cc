// SPDX-License-Identifier: Apache-2.0
#include "engine/session/resources/trust.h"

#include <algorithm>
#include <array>
#include <map>

#include "engine/extensions/guarded_call.h"
#include "engine/values/json_members.h"

namespace plumb::engine {
namespace {

constexpr std::array<const char*, 8> kProtected{"settings.json", "mcp.json",        "extensions",
                                                "skills",        "prompts",         "themes",
                                                "SYSTEM.md",     "APPEND_SYSTEM.md"};

/// One line of the question (TRUST-17).
struct TrustChoice {
  TrustChoice(std::string text, bool answer, std::vector<TrustUpdate> stored)
      : label(std::move(text)), is_trusted(answer), updates(std::move(stored)) {}
  std::string label;
  bool is_trusted;
  std::vector<TrustUpdate> updates;
};

std::vector<TrustChoice> trust_choices(const std::string& folder) {
  const std::string parent = parent_path(folder);
  std::vector<TrustChoice> choices;
  std::vector<TrustUpdate> none;
  choices.emplace_back("Trust", true, std::vector{TrustUpdate(folder, true)});
  if (parent != folder) {
    choices.emplace_back("Trust parent folder (" + parent + ")", true,
                         std::vector{TrustUpdate(parent, true), TrustUpdate(folder, std::nullopt)});
  }
  choices.emplace_back("Trust (this session only)", true, none);
  choices.emplace_back("Do not trust", false, std::vector{TrustUpdate(folder, false)});
  choices.emplace_back("Do not trust (this session only)", false, none);
  return choices;
}

}  // namespace

TrustStore::TrustStore(ResourceFiles& files, std::string user_folder)
    : files_(files), path_(normal_path(user_folder + "/trust.json")) {}

Task<Result<Json>> TrustStore::read() {
  const auto is_there = co_await files_.exists(path_);
  if (!is_there) co_return Json::object();
  auto text = co_await files_.read(path_);
  if (!text) co_return std::unexpected(text.error());
  auto json = parse_json(without_mark(*std::move(text)), path_);
  if (!json) co_return std::unexpected(json.error());
  if (!json->is_object()) {
    co_return fail(ErrorCode::invalid, "the trust store is no object", path_);
  }
  for (const auto& [folder, decision] : json->items()) {
    if (decision.is_boolean() || decision.is_null()) continue;
    co_return fail(ErrorCode::invalid, "the decision for " + folder + " is not true, false or null",
                   path_);
  }
  co_return *std::move(json);
}

Task<Result<std::optional<bool>>> TrustStore::get(std::string cwd) {
  PLUMB_CO_TRY(const Json all, co_await read());
  std::string folder = co_await files_.key(normal_path(cwd));
  while (true) {
    const Json& decision = at(all, folder);
    if (decision.is_boolean()) co_return std::optional<bool>(decision.get<bool>());
    if (folder == "/") co_return std::optional<bool>();
    folder = parent_path(folder);
  }
}

Task<Result<void>> TrustStore::set(std::vector<TrustUpdate> updates) {
  PLUMB_CO_TRY(const Json all, co_await read());
  std::map<std::string, Json> sorted;
  for (const auto& [folder, decision] : all.items()) sorted.emplace(folder, decision);
  for (const auto& update : updates) {
    const auto key = co_await files_.key(normal_path(update.path));
    sorted.erase(key);
    if (update.decision) sorted[key] = *update.decision;
  }
  Json json = Json::object();
  for (auto& [folder, decision] : sorted) json[folder] = std::move(decision);
  const auto made = co_await files_.port().make_directory(parent_path(path_), true);
  if (!made) co_return made;
  const auto written = co_await files_.port().write(path_, dump_json_pretty(json) + "\n");
  co_return written;
}

Task<bool> TrustScan::needs_decision(std::string cwd, std::string home) {
  std::string folder = co_await files_.key(normal_path(cwd));
  const auto home_key = co_await files_.key(normal_path(home));
  const std::string own = normal_path(home_key + "/.agents/skills");
  for (const char* name : kProtected) {
    const auto is_there = co_await files_.exists(project_folder(folder) + "/" + name);
    if (is_there) co_return true;
  }
  while (true) {
    const std::string skills = normal_path(folder + "/.agents/skills");
    const auto is_there = co_await files_.exists(skills);
    if (is_there && skills != own) co_return true;
    if (folder == "/") co_return false;
    folder = parent_path(folder);
  }
}

Task<TrustDecision> TrustDecider::decide(TrustQuestion question) {
  TrustDecision decision;
  if (question.given) {
    decision.is_trusted = *question.given;
    decision.by = "given";
    co_return decision;
  }
  TrustScan scan(files_);
  const auto needs_decision = co_await scan.needs_decision(question.cwd, question.home);
  if (!needs_decision) {
    decision.by = "unprotected";
    co_return co_await of_store(std::move(decision), question.cwd, true);
  }
  const auto is_answered = co_await ask_handlers(question, decision);
  if (is_answered) co_return decision;
  TrustDecision saved = co_await of_store(std::move(decision), question.cwd, false);
  if (!saved.by.empty()) co_return saved;
  if (question.default_answer == "always" || question.default_answer == "never") {
    saved.is_trusted = question.default_answer == "always";
    saved.by = "default";
    co_return saved;
  }
  co_return co_await ask_user(std::move(saved), question.cwd);
}

/// The saved decision, else `otherwise` with `by` as it was.
Task<TrustDecision> TrustDecider::of_store(TrustDecision decision, std::string cwd,
                                           bool otherwise) {
  const auto saved = co_await store_.get(std::move(cwd));
  decision.is_trusted = otherwise;
  if (!saved) {
    decision.is_trusted = false;
    decision.by = "error";
    decision.failures.emplace_back(store_.path(), saved.error().message);
  } else if (saved->has_value()) {
    decision.is_trusted = **saved;
    decision.by = "saved";
  }
  co_return decision;
}

/// True when a handler has decided.
Task<bool> TrustDecider::ask_handlers(TrustQuestion question, TrustDecision& decision) {
  for (const auto& handler : question.handlers) {
    Json event = Json::object();
    event["cwd"] = question.cwd;
    const auto answer = co_await call_guarded(handler.call, std::move(event));
    if (!answer || !*answer || (*answer)->is_null()) {
      decision.failures.emplace_back(
          handler.extension,
          answer ? "a project_trust handler returned nothing" : answer.error().message);
      continue;
    }
    const std::string word = text_at(**answer, "trusted");
    if (word == "undecided") continue;
    decision.is_trusted = word == "yes";
    decision.by = "handler";
    decision.extension = handler.extension;
    const bool is_word = word == "yes" || word == "no";
    if (!is_word || at(**answer, "remember") != Json(true)) co_return true;
    std::vector<TrustUpdate> updates;
    updates.emplace_back(question.cwd, decision.is_trusted);
    auto stored = co_await store(std::move(decision), std::move(updates));
    decision = std::move(stored);
    co_return true;
  }
  co_return false;
}

Task<TrustDecision> TrustDecider::ask_user(TrustDecision decision, std::string cwd) {
  decision.is_trusted = false;
  decision.by = "no_ui";
  if (!ui_.is_attached()) co_return decision;
  const auto folder = co_await files_.key(normal_path(cwd));
  const auto choices = trust_choices(folder);
  Dialog dialog("select", "Trust this project folder?");
  dialog.message = folder +
                   "\nIts settings, skills, prompts and extensions are loaded then, and its "
                   "extensions run as code. Context files are read in any case.";
  for (const auto& choice : choices) dialog.options.push_back(choice.label);
  const auto answer = co_await ui_.ask(std::move(dialog));
  decision.by = "user";
  const auto chosen = std::ranges::find_if(
      choices, [&](const TrustChoice& choice) { return answer.value == Json(choice.label); });
  if (chosen == choices.end()) co_return decision;  // Closed: no, for now (TRUST-17).
  decision.is_trusted = chosen->is_trusted;
  if (chosen->updates.empty()) co_return decision;
  co_return co_await store(std::move(decision), chosen->updates);
}

Task<TrustDecision> TrustDecider::store(TrustDecision decision, std::vector<TrustUpdate> updates) {
  const auto stored = co_await store_.set(std::move(updates));
  decision.is_stored = stored.has_value();
  if (stored) co_return decision;
  decision.failures.emplace_back(store_.path(), stored.error().message);
  decision.is_trusted = false;
  decision.by = "error";
  co_return decision;
}

}  // namespace plumb::engine
