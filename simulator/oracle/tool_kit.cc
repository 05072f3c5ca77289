// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/tool_kit.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/tools/builtin/edit.h"
#include "engine/tools/builtin/find.h"
#include "engine/tools/builtin/grep.h"
#include "engine/tools/builtin/ls.h"
#include "engine/tools/builtin/read.h"
#include "engine/tools/builtin/write.h"
#include "simulator/oracle/observed_operations.h"
#include "simulator/oracle/shell_kit.h"

namespace plumb::simulator {
namespace {

using engine::FileOperations;
using engine::ToolDefinition;

/// The operations of a call: the row's files, or what the options put in their place.
FileOperations operations_of(const ToolKit& kit, const std::string& call, const Json& options) {
  FileOperations operations = options.contains("backend")
                                  ? backend_operations(options["backend"])
                                  : engine::local_operations(kit.world.files());
  return observed_operations(kit, call, std::move(operations));
}

/// Limits as rows write them: {maxWidth, maxHeight, maxBytes}, the last of the base64 text.
engine::PictureLimits limits_of(const Json& resize) {
  engine::PictureLimits limits;
  limits.width = resize.value("maxWidth", limits.width);
  limits.height = resize.value("maxHeight", limits.height);
  limits.base64_bytes = resize.value("maxBytes", limits.base64_bytes);
  return limits;
}

/// The model of a call's context.
engine::CurrentModel model_of(const Json& args) {
  engine::CurrentModel model;
  const Json* given = find_pointer(args, "/context/model");
  if (given == nullptr || !given->is_object()) return model;
  model.name = given->value("id", std::string());
  const Json input = given->value("input", Json::array({"image"}));
  model.profile.takes_pictures = std::ranges::find(input, Json("image")) != input.end();
  if (given->contains("resize")) model.profile.pictures = limits_of((*given)["resize"]);
  return model;
}

Result<ToolDefinition> make_read(const ToolKit& kit, const std::string& call, const Json& args) {
  const Json options = args.value("options", Json::object());
  engine::ReadOptions reading;
  reading.operations = operations_of(kit, call, options);
  reading.home = kit.world.home();
  reading.model = [model = model_of(args)] { return model; };
  reading.pictures = limits_of(options.value("resizeOptions", Json::object()));
  return read_tool(std::move(reading));
}

engine::EditOptions edit_options(const ToolKit& kit, const std::string& call, const Json& args) {
  engine::EditOptions editing(operations_of(kit, call, args.value("options", Json::object())),
                              kit.queue, kit.policies);
  editing.home = kit.world.home();
  return editing;
}

Result<ToolDefinition> make_edit(const ToolKit& kit, const std::string& call, const Json& args) {
  return edit_tool(edit_options(kit, call, args));
}

Result<ToolDefinition> make_write(const ToolKit& kit, const std::string& call, const Json& args) {
  return write_tool(edit_options(kit, call, args));
}

struct KnownTool {
  std::string_view name;
  Result<ToolDefinition> (*make)(const ToolKit&, const std::string&, const Json&);
};

Result<ToolDefinition> make_bash(const ToolKit& kit, const std::string& /*call*/,
                                 const Json& args) {
  return bash_tool(shell_options(kit, args));
}

engine::SearchOptions search_options(const ToolKit& kit) {
  engine::SearchOptions searching(kit.world.files());
  searching.home = kit.world.home();
  return searching;
}

Result<ToolDefinition> make_grep(const ToolKit& kit, const std::string& /*call*/,
                                 const Json& /*args*/) {
  return grep_tool(search_options(kit));
}

Result<ToolDefinition> make_find(const ToolKit& kit, const std::string& /*call*/,
                                 const Json& args) {
  const Json options = args.value("options", Json::object());
  if (!options.contains("backend")) return find_tool(search_options(kit));
  return find_tool(search_options(kit), backend_search(options["backend"]));
}

Result<ToolDefinition> make_ls(const ToolKit& kit, const std::string& /*call*/,
                               const Json& /*args*/) {
  return ls_tool(search_options(kit));
}

constexpr std::array<KnownTool, 7> kKnownTools{{{"read", make_read},
                                                {"edit", make_edit},
                                                {"write", make_write},
                                                {"bash", make_bash},
                                                {"grep", make_grep},
                                                {"find", make_find},
                                                {"ls", make_ls}}};

const KnownTool* known_tool(std::string_view name) {
  const auto* const found = std::ranges::find(kKnownTools, name, &KnownTool::name);
  return found == kKnownTools.end() ? nullptr : found;
}

}  // namespace

Error oracle_error(const Json& json) {
  const std::string code = json.value("code", std::string());
  std::string message = json.value("message", std::string());
  if (code.empty()) return Error{ErrorCode::protocol, std::move(message), {}};
  if (!message.starts_with(code + ":")) message.insert(0, code + ": ");
  return Error{ErrorCode::io, std::move(message), {}};
}

std::string why_no_tool(std::string_view tool) {
  if (known_tool(tool) != nullptr) return "";
  return "the tool " + std::string(tool) + " is not built yet";
}

std::string why_no_options(const Json& args) {
  const Json options = args.value("options", Json::object());
  if (!options.value("autoResizeImages", true)) return "pictures are always made to fit";
  return "";
}

Result<ToolDefinition> make_tool(const ToolKit& kit, const std::string& call, const Json& args) {
  const std::string name = args.value("tool", std::string());
  const KnownTool* known = known_tool(name);
  if (known == nullptr) return fail(ErrorCode::rejected, why_no_tool(name));
  return known->make(kit, call, args);
}

}  // namespace plumb::simulator
