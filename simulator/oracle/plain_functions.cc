// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/plain_functions.h"

#include <string>

#include "engine/tools/builtin/truncation.h"

namespace plumb::simulator {
namespace {

engine::ShownMax caps_of(const Json& options) {
  engine::ShownMax caps;
  if (!options.is_object()) return caps;
  caps.lines = options.value("maxLines", caps.lines);
  caps.bytes = options.value("maxBytes", caps.bytes);
  return caps;
}

Json cut_line(const std::string& text, const Json& options) {
  const auto units = options.is_number() ? options.get<std::int64_t>() : engine::kLineUnitsMax;
  const engine::ShownLine cut = engine::truncate_line(text, units);
  return Json{{"text", cut.text}, {"wasTruncated", cut.is_truncated}};
}

}  // namespace

Result<Json> call_plain_function(const Json& args) {
  const auto name = args.value("name", std::string());
  const Json content = args.value("content", Json());
  const Json options = args.value("options", Json());
  if (name == "formatSize") {
    if (!content.is_number()) return fail(ErrorCode::invalid, "content must be a number");
    return Json(engine::format_size(content.get<std::int64_t>()));
  }
  if (!content.is_string()) return fail(ErrorCode::invalid, "content must be a string");
  const auto& text = content.get_ref<const std::string&>();
  if (name == "truncateLine") return cut_line(text, options);
  return to_json(name == "truncateHead" ? engine::truncate_head(text, caps_of(options))
                                        : engine::truncate_tail(text, caps_of(options)));
}

}  // namespace plumb::simulator
