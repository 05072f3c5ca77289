// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/world.h"

#include <algorithm>
#include <set>
#include <utility>

#include "simulator/oracle/compare.h"
#include "simulator/oracle/form_values.h"
#include "simulator/oracle/judge_call.h"
#include "simulator/script/base64.h"

namespace plumb::simulator {

using engine::Task;

namespace {

std::string text_at(const Json& json, const char* key, std::string otherwise = "") {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : otherwise;
}

std::string generated_lines(const Json& gen) {
  const auto count = gen.value("n", std::int64_t{0});
  const auto width = gen.value("width", std::size_t{0});
  const std::string prefix = text_at(gen, "prefix", "line ");
  const std::string pad = text_at(gen, "pad", "x");
  const std::string eol = text_at(gen, "eol", "\n");
  std::string text;
  for (std::int64_t i = 1; i <= count && std::ssize(text) <= kGeneratedBytesMax; ++i) {
    std::string line = prefix + std::to_string(i);
    const bool is_short = line.size() < width && !pad.empty();
    while (line.size() < width && is_short) line += pad;
    if (is_short) line.resize(width);
    text += line + eol;
  }
  const bool ends_open = !gen.value("finalEol", true) && text.ends_with(eol);
  if (ends_open) text.resize(text.size() - eol.size());
  return text;
}

std::string generated_repeat(const Json& gen) {
  const auto count = gen.value("n", std::int64_t{0});
  const std::string unit = text_at(gen, "unit");
  std::string text = text_at(gen, "head");
  for (std::int64_t i = 0; i < count && std::ssize(text) <= kGeneratedBytesMax; ++i) text += unit;
  return text + text_at(gen, "tail");
}

/// The bytes of a file entry: of an extension, what OracleExtensions reads. Errors: invalid for
/// base64 that is none.
Result<std::string> file_bytes(const Json& file) {
  if (file.contains("text")) return file["text"].get<std::string>();
  if (file.contains("gen")) return generated_text(file["gen"]);
  if (file.contains("extension")) return dump_json(file["extension"]);
  auto bytes = decode_base64(text_at(file, "b64"));
  if (!bytes) return fail(ErrorCode::invalid, "b64 of " + text_at(file, "path") + " is no base64");
  return *std::move(bytes);
}

std::int64_t octal(const std::string& text) {
  std::int64_t mode = 0;
  for (const char c : text) mode = mode * 8 + (c - '0');
  return mode;
}

Differences difference(std::string path, std::string expected, std::string actual) {
  return {Difference{std::move(path), std::move(expected), std::move(actual)}};
}

std::string state_path(const std::string& path) {
  return "/expect/files/" + pointer_escape(path);
}

/// The first key of an object, at any depth, that is smaller than the one before it; "" for none.
std::string unsorted_key(const Json& json) {
  std::string before;
  bool is_first = true;
  for (const auto& [key, value] : json.items()) {
    if (json.is_object() && !is_first && key < before) return key;
    is_first = false;
    before = key;
    if (!value.is_structured()) continue;
    if (auto inner = unsorted_key(value); !inner.empty()) return inner;
  }
  return "";
}

}  // namespace

Result<std::string> generated_text(const Json& gen) {
  std::string text =
      gen.value("kind", Json()) == "lines" ? generated_lines(gen) : generated_repeat(gen);
  if (std::ssize(text) > kGeneratedBytesMax) {
    return fail(ErrorCode::exhausted, "a generated file of more than 64 MiB");
  }
  return text;
}

OracleWorld::OracleWorld(engine::Loop& loop, engine::Workspace root, engine::Workspace home)
    : root_(std::move(root)), home_(std::move(home)), home_path_(home_.path()), files_(loop) {}

Result<std::unique_ptr<OracleWorld>> OracleWorld::create(engine::Loop& loop) {
  PLUMB_TRY(auto root, engine::Workspace::create());
  PLUMB_TRY(auto home, engine::Workspace::create());
  return std::unique_ptr<OracleWorld>(new OracleWorld(loop, std::move(root), std::move(home)));
}

Placeholders OracleWorld::places() const {
  return {root_.path(), root_.path(), engine::parent_path(root_.path())};
}

std::string OracleWorld::path_of(const std::string& path) const {
  return path.starts_with('/') ? path : root_.path() + "/" + path;
}

Task<Result<void>> OracleWorld::build(Json setup) {
  for (const auto& folder : setup.value("dirs", std::vector<std::string>())) {
    const auto made = co_await files_.make_directory(path_of(folder), true);
    if (!made) co_return made;
  }
  for (const auto& file : setup.value("files", Json::array())) {
    const auto made = co_await make_file(file);
    if (!made) co_return std::unexpected(made.error());
  }
  const auto linked = co_await make_links(setup);
  if (!linked) co_return linked;
  const Json modes = setup.value("modes", Json::object());
  for (const auto& [path, mode] : modes.items()) {
    const auto set = co_await files_.change_mode(path_of(path), octal(mode.get<std::string>()));
    if (!set) co_return set;
  }
  const Json variables = setup.value("env", Json::object());
  for (const auto& [name, value] : variables.items()) {
    environment_.emplace_back(name,
                              value.is_string() ? value.get<std::string>() : dump_json(value));
  }
  if (setup.contains("home")) home_path_ = path_of(setup["home"].get<std::string>());
  co_return Result<void>();
}

Task<Result<void>> OracleWorld::make_file(Json file) {
  PLUMB_CO_TRY(std::string bytes, file_bytes(file));
  const std::string path = path_of(text_at(file, "path"));
  const auto written = co_await put(path, std::move(bytes));
  if (!written || !file.contains("mode")) co_return written;
  const auto set = co_await files_.change_mode(path, octal(text_at(file, "mode")));
  co_return set;
}

Task<Result<void>> OracleWorld::put(std::string path, std::string bytes) {
  const auto made = co_await files_.make_directory(engine::parent_path(path), true);
  if (!made) co_return made;
  const auto written = co_await files_.write(std::move(path), std::move(bytes));
  co_return written;
}

Task<Result<void>> OracleWorld::make_links(Json setup) {
  for (const auto& link : setup.value("symlinks", Json::array())) {
    const std::string path = path_of(text_at(link, "path"));
    auto made = co_await files_.make_directory(engine::parent_path(path), true);
    const std::string target = filled(text_at(link, "target"), places());
    if (made) made = co_await files_.symlink(target, path);
    if (!made) co_return made;
  }
  for (const auto& link : setup.value("hardlinks", Json::array())) {
    const std::string path = path_of(text_at(link, "path"));
    auto made = co_await files_.make_directory(engine::parent_path(path), true);
    if (made) made = co_await files_.hard_link(path_of(text_at(link, "target")), path);
    if (!made) co_return made;
  }
  co_return Result<void>();
}

Task<Result<void>> OracleWorld::change(Json args) {
  const std::string verb = text_at(args, "do");
  const std::string path = path_of(text_at(args, "path"));
  if (verb == "mkdir") co_return co_await files_.make_directory(path, true);
  if (verb == "rename") co_return co_await files_.rename(path, path_of(text_at(args, "to")));
  if (verb == "symlink") {
    // Without a link to replace there is nothing to remove.
    if (args.value("replace", false)) (void)co_await files_.remove(path);
    const std::string target = filled(text_at(args, "target"), places());
    co_return co_await files_.symlink(target, path);
  }
  PLUMB_CO_TRY(std::string bytes, file_bytes(args));
  co_return co_await put(path, std::move(bytes));
}

Task<Differences> OracleWorld::judge(Json expect) {
  Differences found;
  const Json states = expect.value("files", Json::object());
  for (const auto& [path, state] : states.items()) {
    append(found, co_await judge_file(path, state));
  }
  if (expect.value("files_exact", false)) append(found, co_await judge_listing(states));
  const Json modes = expect.value("modes", Json::object());
  for (const auto& [path, mode] : modes.items()) append(found, co_await judge_mode(path, mode));
  for (const auto& path : expect.value("keys_sorted", std::vector<std::string>())) {
    append(found, co_await judge_keys(path));
  }
  co_return found;
}

Task<Differences> OracleWorld::judge_file(std::string path, Json state) {
  const auto stat = co_await files_.lstat(path_of(path));
  const std::string place = state_path(path);
  if (state.value("missing", false)) {
    co_return stat ? difference(place, "missing", "it is there") : Differences();
  }
  if (!stat) co_return difference(place, shown(state), "missing");
  if (state.contains("symlink")) {
    const auto target = co_await files_.read_link(path_of(path));
    const std::string wanted = filled(text_at(state, "symlink"), places());
    const std::string actual = target ? *target : "no link";
    co_return target&& actual == wanted ? Differences() : difference(place, wanted, actual);
  }
  if (state.value("dir", false)) {
    const bool is_folder = stat->kind == engine::FileKind::directory;
    co_return is_folder ? Differences() : difference(place, "a folder", "something else");
  }
  co_return co_await judge_bytes(std::move(path), std::move(state));
}

Task<Differences> OracleWorld::judge_bytes(std::string path, Json state) {
  const std::string place = state_path(path);
  const auto bytes = co_await files_.read(path_of(path));
  if (!bytes) co_return difference(place, shown(state), bytes.error().message);
  if (state.contains("text")) {
    const std::string wanted = text_at(state, "text");
    const bool is_equal = wanted == *bytes || matches_text(wanted, *bytes, places());
    co_return is_equal ? Differences() : difference(place + "/text", shown(wanted), shown(*bytes));
  }
  if (state.contains("b64")) {
    const auto wanted = decode_base64(text_at(state, "b64"));
    const bool is_equal = wanted && *wanted == *bytes;
    co_return is_equal
        ? Differences()
        : difference(place + "/b64", shown(wanted.value_or("no base64")), shown(*bytes));
  }
  state["long"] = true;
  co_return compare_partly(state, *bytes, place, places());
}

/// Everything below a folder, relative to the root, links not followed.
Task<std::vector<std::string>> OracleWorld::listing(std::string folder) {
  std::vector<std::string> found;
  const auto names = co_await files_.list(path_of(folder));
  if (!names) co_return found;
  for (const auto& name : *names) {
    const std::string path = folder.empty() ? name : folder + "/" + name;
    found.push_back(path);
    const auto stat = co_await files_.lstat(path_of(path));
    if (!stat || stat->kind != engine::FileKind::directory) continue;
    const auto inner = co_await listing(path);
    found.insert(found.end(), inner.begin(), inner.end());
  }
  co_return found;
}

Task<Differences> OracleWorld::judge_listing(Json states) {
  std::set<std::string> known;
  for (const auto& [path, state] : states.items()) {
    // A file's folders are there with it.
    known.insert(path);
    for (auto end = path.rfind('/'); end != path.npos && end > 0; end = path.rfind('/', end - 1)) {
      known.insert(path.substr(0, end));
    }
  }
  Differences found;
  const auto present = co_await listing("");
  for (const auto& path : present) {
    if (!known.contains(path))
      append(found, difference(state_path(path), "nothing", "it is there"));
  }
  co_return found;
}

Task<Differences> OracleWorld::judge_mode(std::string path, Json mode) {
  const auto stat = co_await files_.stat(path_of(path));
  const std::string wanted = octal_text(octal(mode.get<std::string>()));
  const std::string actual = stat ? octal_text(stat->mode) : "missing";
  co_return actual == wanted ? Differences()
                             : difference("/expect/modes/" + pointer_escape(path), wanted, actual);
}

Task<Differences> OracleWorld::judge_keys(std::string path) {
  const std::string place = "/expect/keys_sorted/" + pointer_escape(path);
  const auto text = co_await files_.read(path_of(path));
  if (!text) co_return difference(place, "a JSON file", text.error().message);
  const auto json = parse_json(*text);
  if (!json) co_return difference(place, "a JSON file", json.error().message);
  const std::string key = unsorted_key(*json);
  co_return key.empty() ? Differences()
                        : difference(place, "keys in order", "'" + key + "' is out of order");
}

}  // namespace plumb::simulator
