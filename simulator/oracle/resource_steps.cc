// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/resource_steps.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/session/resources/trust.h"
#include "engine/values/json_members.h"
#include "simulator/oracle/judge_resources.h"
#include "simulator/oracle/plain_texts.h"

namespace plumb::simulator {

using engine::Task;

namespace {

/// Answers one question by the index of a choice, or closes it; keeps what was asked.
class IndexInterface final : public engine::UserInterface {
 public:
  IndexInterface(bool is_attached, Json answer)
      : is_attached_(is_attached), answer_(std::move(answer)) {}
  bool is_attached() const override { return is_attached_; }
  Task<engine::DialogAnswer> ask(engine::Dialog dialog) override {
    asked = dialog.options;
    const bool is_chosen =
        answer_.is_number_integer() && answer_.get<std::size_t>() < dialog.options.size();
    Json value = is_chosen ? Json(dialog.options[answer_.get<std::size_t>()]) : Json();
    engine::DialogAnswer answer(std::move(value));
    co_return answer;
  }

  Json asked;

 private:
  bool is_attached_;
  Json answer_;
};

/// A project_trust handler that gives what a row says; notes that it was called.
class RowHandler final {
 public:
  RowHandler(Json answer, Json place, Json& called)
      : answer_(std::move(answer)), place_(std::move(place)), called_(called) {}

  Task<engine::HandlerResult> call() {
    called_.push_back(place_);
    if (answer_ == "throw") co_return std::unexpected(engine::Thrown("a handler throws"));
    if (answer_ == "nothing") co_return std::optional<Json>();
    co_return std::optional<Json>(answer_);
  }

 private:
  Json answer_;
  Json place_;
  Json& called_;
};

}  // namespace

ResourceSteps::ResourceSteps(engine::Loop& loop, OracleWorld& world, std::string user_folder)
    : world_(world),
      user_folder_(absolute(user_folder)),
      files_(world.files()),
      extensions_(loop, world.files()) {}

bool ResourceSteps::handles(std::string_view op) {
  constexpr std::array<std::string_view, 6> prefixes{"trust.",  "settings.", "skills.",
                                                     "prompt.", "template",  "context."};
  return op == "load" || op == "reload" ||
         std::ranges::any_of(prefixes, [op](auto prefix) { return op.starts_with(prefix); });
}

std::string ResourceSteps::absolute(const std::string& path) const {
  return engine::normal_path(path.starts_with('/') ? path : world_.root() + "/" + path);
}

std::string ResourceSteps::relative(const std::string& path) const {
  const std::string& root = world_.root();
  return engine::is_within(path, root) && path != root ? path.substr(root.size() + 1) : path;
}

engine::ResourcePlaces ResourceSteps::places(const std::string& cwd) const {
  engine::ResourcePlaces found;
  found.cwd = absolute(cwd);
  found.user_folder = user_folder_;
  found.home = world_.home();
  return found;
}

Task<Result<Differences>> ResourceSteps::run(OracleStep step, std::string path) {
  const auto actual = co_await perform(step);
  if (!actual && actual.error().code == ErrorCode::protocol) {
    co_return std::unexpected(actual.error());
  }
  co_return judge_resources(step.expect, actual, path + "/expect", world_.places());
}

Task<Result<Json>> ResourceSteps::perform(OracleStep step) {
  const std::string& op = step.op;
  if (op == "trust.decide") co_return co_await decide(std::move(step.args));
  if (op.starts_with("trust.")) co_return co_await trust(op, step.args);
  if (op.starts_with("settings.")) co_return co_await settings(op, step.args);
  if (op == "skills.list") co_return co_await skills(std::move(step.args));
  if (op == "templates.list") co_return co_await templates(std::move(step.args));
  if (op == "context.list") co_return co_await context(std::move(step.args));
  if (op == "load" || op == "reload") co_return co_await load(std::move(step.args));
  co_return run_plain_text(op, step.args);
}

Task<Result<Json>> ResourceSteps::trust(std::string op, Json args) {
  const std::string folder = absolute(text_at(args, "dir"));
  if (op == "trust.requires") {
    engine::TrustScan scan(files_);
    const bool needs = co_await scan.needs_decision(folder, world_.home());
    co_return Json{{"requires", needs}};
  }
  engine::TrustStore store(files_, user_folder_);
  if (op == "trust.set") {
    const Json& given = at(args, "decision");
    std::vector<engine::TrustUpdate> updates;
    updates.emplace_back(folder,
                         given.is_boolean() ? std::optional(given.get<bool>()) : std::nullopt);
    const auto done = co_await store.set(std::move(updates));
    if (!done) co_return std::unexpected(done.error());
    co_return Json::object();
  }
  const auto decision = co_await store.get(folder);
  if (!decision) co_return std::unexpected(decision.error());
  co_return Json{{"decision", *decision ? Json(**decision) : Json()}};
}

Task<Result<Json>> ResourceSteps::decide(Json args) {
  Json called = Json::array();
  engine::TrustQuestion question;
  question.cwd = absolute(text_at(args, "dir"));
  question.home = world_.home();
  if (at(args, "override").is_boolean()) question.given = args["override"].get<bool>();
  if (at(args, "default").is_string()) question.default_answer = text_at(args, "default");
  const Json& extensions = at(args, "extensions");
  for (std::size_t i = 0; i < extensions.size(); ++i) {
    for (std::size_t k = 0; k < extensions[i].size(); ++k) {
      auto handler = std::make_shared<RowHandler>(extensions[i][k], Json::array({i, k}), called);
      question.handlers.emplace_back("e" + std::to_string(i),
                                     [handler](Json /*event*/) { return handler->call(); });
    }
  }
  IndexInterface ui(args.value("ui", false), at(args, "answer"));
  engine::TrustStore store(files_, user_folder_);
  engine::TrustDecider decider(files_, store, ui);
  const auto decision = co_await decider.decide(std::move(question));
  if (decision.by == "error") {
    co_return fail(ErrorCode::invalid, "the trust store cannot be read");
  }
  Json result = Json::object();
  result["trusted"] = decision.is_trusted;
  result["handlers_called"] = std::move(called);
  result["errors"] = decision.failures.size();
  result["asked"] = ui.asked;
  co_return result;
}

/// `trusted` of a load: a boolean, or what is known without a question.
Task<bool> ResourceSteps::is_known_trusted(Json args) {
  const Json& given = at(args, "trusted");
  if (given.is_boolean()) co_return given.get<bool>();
  const std::string cwd = absolute(text_at(args, "cwd"));
  engine::TrustStore store(files_, user_folder_);
  const auto saved = co_await store.get(cwd);
  if (saved && *saved) co_return **saved;
  engine::TrustScan scan(files_);
  const bool needs = co_await scan.needs_decision(cwd, world_.home());
  co_return !needs;
}

Task<Result<Json>> ResourceSteps::load(Json args) {
  if (args.empty()) {
    if (!loader_) co_return fail(ErrorCode::protocol, "a reload without a load");
    co_return listing(co_await loader_->load(was_trusted_));
  }
  engine::LoaderOptions options;
  options.places = places(text_at(args, "cwd"));
  for (const auto& path : at(args, "cli")) {
    options.extensions.push_back(absolute(path.get<std::string>()));
  }
  extensions_.set_inlined(args.value("inline", Json::array()));
  options.inlined = extensions_.inlined();
  options.finds_extensions = !args.value("noExtensions", false);
  options.finds_context_files = !args.value("noContextFiles", false);
  loader_ = std::make_unique<engine::ResourceLoader>(world_.files(), extensions_, options);
  if (!args.contains("decision")) {
    was_trusted_ = co_await is_known_trusted(args);
    co_return listing(co_await loader_->load(was_trusted_));
  }
  was_trusted_ = args["decision"].get<bool>();
  engine::DecideTrust decide_now = [this](std::vector<engine::LoadedExtension> early) {
    return decide_on_the_way(std::move(early));
  };
  const auto loaded = co_await loader_->load(std::move(decide_now));
  co_return listing(loaded);
}

Task<bool> ResourceSteps::decide_on_the_way(std::vector<engine::LoadedExtension> early) {
  std::string paths;
  for (const auto& extension : early) {
    paths += (paths.empty() ? "" : ",") + relative(extension.source.path);
  }
  extensions_.note("decide:" + paths);
  co_return was_trusted_;
}

Task<Result<Json>> ResourceSteps::settings(std::string op, Json args) {
  engine::SettingsFiles files(files_, places(text_at(args, "cwd")));
  const bool is_trusted = args.value("trusted", false);
  if (op == "settings.write") {
    const auto scope = text_at(args, "scope") == "project" ? engine::SettingsScope::project
                                                           : engine::SettingsScope::user;
    const auto done = co_await files.set(scope, "packages", at(args, "packages"), is_trusted);
    if (!done) co_return std::unexpected(done.error());
    co_return Json::object();
  }
  const auto loaded = co_await files.load(is_trusted);
  Json result = Json::object();
  result["sessionDir"] = loaded.session_folder();
  result["defaultProjectTrust"] = loaded.default_trust();
  co_return result;
}

Task<Result<Json>> ResourceSteps::skills(Json args) {
  std::vector<engine::ResourceFile> paths;
  for (const auto& path : at(args, "paths")) {
    paths.emplace_back(absolute(path.get<std::string>()), engine::SourceInfo());
  }
  engine::SkillFinder finder(files_);
  const auto found = co_await finder.load(std::move(paths));
  Json result{{"skills", Json::array()}, {"diagnostics", Json::array()}};
  for (const auto& skill : found.skills) {
    result["skills"].push_back(Json{{"name", skill.name},
                                    {"file", relative(skill.file)},
                                    {"manualOnly", skill.is_manual_only}});
  }
  for (const auto& diagnostic : found.diagnostics) {
    result["diagnostics"].push_back(Json::array({diagnostic.type, diagnostic.message}));
  }
  co_return result;
}

Task<Result<Json>> ResourceSteps::templates(Json args) {
  std::vector<engine::ResourceFile> paths;
  for (const auto& path : at(args, "paths")) {
    paths.emplace_back(absolute(path.get<std::string>()), engine::SourceInfo());
  }
  engine::TemplateFinder finder(files_);
  auto found = co_await finder.load(std::move(paths));
  std::ranges::sort(found.templates, {}, &engine::PromptTemplate::name);
  Json result{{"templates", Json::array()}, {"diagnostics", found.diagnostics.size()}};
  for (const auto& one : found.templates) {
    result["templates"].push_back(Json{{"name", one.name},
                                       {"description", one.description},
                                       {"argumentHint", one.argument_hint},
                                       {"content", one.content},
                                       {"file", relative(one.file)}});
  }
  co_return result;
}

Task<Result<Json>> ResourceSteps::context(Json args) {
  engine::ContextFinder finder(files_);
  const auto found = co_await finder.load(places(text_at(args, "cwd")));
  Json files = Json::array();
  for (const auto& file : found.files) {
    if (engine::is_within(file.path, world_.root())) {
      files.push_back(Json::array({relative(file.path), file.content}));
    }
  }
  co_return Json{{"files", std::move(files)}};
}

Json ResourceSteps::listing(const engine::LoadedResources& loaded) {
  Json result = Json::object();
  result["log"] = extensions_.take_log();
  for (const char* key :
       {"extensions", "scopes", "errors", "skills", "prompts", "prompt_diagnostics", "context"}) {
    result[key] = Json::array();
  }
  for (const auto& extension : loaded.extensions) {
    result["extensions"].push_back(relative(extension.source.path));
    result["scopes"].push_back(extension.source.scope);
  }
  for (const auto& error : loaded.errors) {
    result["errors"].push_back(Json{{"path", relative(error.path)}, {"text", error.message}});
  }
  result["warnings"] = loaded.warnings.size();
  for (const auto& skill : loaded.skills.skills) result["skills"].push_back(skill.name);
  for (const auto& one : loaded.prompts.templates) {
    result["prompts"].push_back(Json{{"name", one.name},
                                     {"content", one.content},
                                     {"scope", one.source.scope},
                                     {"description", one.description}});
  }
  for (const auto& diagnostic : loaded.prompts.diagnostics) {
    result["prompt_diagnostics"].push_back(diagnostic.type);
  }
  result["system"] = loaded.system_prompt ? Json(*loaded.system_prompt) : Json();
  for (const auto& file : loaded.context.files) {
    if (engine::is_within(file.path, world_.root())) {
      result["context"].push_back(relative(file.path));
    }
  }
  result["trusted"] = loaded.is_trusted;
  result["sessionDir"] = loaded.settings.session_folder();
  return result;
}

}  // namespace plumb::simulator
