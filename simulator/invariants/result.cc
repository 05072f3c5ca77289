// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

/// Shorter strings of details occur anywhere by chance.
constexpr std::size_t kMarkerCharactersMin = 3;

bool is_shown(const Call& call, const Story& story) {
  return shown_result(call, story) != nullptr && end_of(call) != nullptr;
}

Complaint content_is_shown(const Call& call, const Story& story) {
  return differ("the model sees other content than the call's result",
                as_blocks(at(result_of(call), "content")), shown_result(call, story)->content,
                next_request_of(call, story)->event);
}

void collect_strings(const Json& value, std::vector<std::string>& strings) {
  if (value.is_string() && value.get_ref<const std::string&>().size() >= kMarkerCharactersMin) {
    strings.push_back(value.get<std::string>());
  }
  if (!value.is_structured()) return;
  for (const auto& part : value) collect_strings(part, strings);
}

/// The strings of a result's field that do not stand in its content as well.
std::vector<std::string> markers(const Call& call, const char* field) {
  std::vector<std::string> strings;
  const auto* settled = settled_of(call);
  if (settled != nullptr) collect_strings(at(settled->result.get(), field), strings);
  collect_strings(at(result_of(call), field), strings);
  const std::string content = dump_json(at(result_of(call), "content")) + dump_json(call.raw.get());
  std::erase_if(strings, [&](const std::string& marker) {
    const std::string written = dump_json(Json(marker));
    return content.find(written.substr(1, written.size() - 2)) != std::string::npos;
  });
  return strings;
}

Condition<Call> has_markers(const char* field) {
  return [field](const Call& call, const Story& story) {
    return is_shown(call, story) && !markers(call, field).empty();
  };
}

Expectation<Call> keeps_from_model(const char* field) {
  return [field](const Call& call, const Story& story) -> Complaint {
    const auto& bytes = shown_result(call, story)->bytes;
    for (const auto& marker : markers(call, field)) {
      const std::string written = dump_json(Json(marker));
      if (bytes.find(written.substr(1, written.size() - 2)) == std::string::npos) continue;
      Finding found = finding(std::string("the model sees ") + field + " of call " + call.id,
                              next_request_of(call, story)->event);
      found.actual = marker.substr(0, 80);
      return found;
    }
    return std::nullopt;
  };
}

const Json* message_of(const Call& call) {
  const Event* event = first(call, "message_end");
  return event == nullptr ? nullptr : &event->as<MessageEnd>()->message.get();
}

bool has_message(const Call& call, const Story&) {
  return message_of(call) != nullptr && end_of(call) != nullptr;
}

Complaint flags_agree(const Call& call, const Story& story) {
  if (auto odd = differ("event and message disagree whether call " + call.id + " failed",
                        end_of(call)->is_error, at(*message_of(call), "isError"),
                        first(call, "message_end"))) {
    return odd;
  }
  const auto* shown = shown_result(call, story);
  if (shown == nullptr || !shown->has_error_flag) return std::nullopt;
  return differ("event and request disagree whether call " + call.id + " failed",
                end_of(call)->is_error, shown->is_error, next_request_of(call, story)->event);
}

/// Whether a tool_result handler had a say in a field.
bool is_patched(const Call& call, std::string_view field) {
  return std::ranges::any_of(returns_of(call, "tool_result"), [&](const HookReturn* returned) {
    return returned->error.empty() && !at(returned->result.get(), field).is_null();
  });
}

bool returned_normally(const Call& call) {
  const auto* settled = settled_of(call);
  return settled != nullptr && settled->outcome != "threw" && settled->error.empty() &&
         end_of(call) != nullptr;
}

bool returned_error(const Call& call, const Story&) {
  return returned_normally(call) && at(settled_of(call)->result.get(), "isError") == true;
}

bool returned_success(const Call& call) {
  return returned_normally(call) && at(settled_of(call)->result.get(), "isError") != true &&
         !is_patched(call, "isError");
}

Complaint returned_error_counts(const Call& call, const Story&) {
  const Event* end = first(call, "tool_execution_end");
  if (!is_patched(call, "isError") && !is_error(call)) {
    return finding("a returned isError of call " + call.id + " is not an error", end);
  }
  for (const char* field : {"content", "details", "structuredContent"}) {
    if (is_patched(call, field) || is_patched(call, "content")) continue;
    if (auto lost =
            differ(std::string("the failed result lost its ") + field,
                   at(settled_of(call)->result.get(), field), at(result_of(call), field), end)) {
      return lost;
    }
  }
  return std::nullopt;
}

Complaint is_a_success(const Call& call, const Story&) {
  return require(!is_error(call), "call " + call.id + " returned normally but is an error",
                 first(call, "tool_execution_end"));
}

bool has_error_in_details(const Call& call, const Story&) {
  return returned_success(call) &&
         !at(at(settled_of(call)->result.get(), "details"), "error").is_null();
}

bool speaks_of_failure(const Call& call, const Story&) {
  if (!returned_success(call)) return false;
  std::string text = text_in(at(settled_of(call)->result.get(), "content"));
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return text.find("fail") != std::string::npos || text.find("error") != std::string::npos;
}

bool has_image(const Call& call, const Story& story) {
  return is_shown(call, story) &&
         std::ranges::any_of(as_blocks(at(result_of(call), "content")),
                             [](const Json& block) { return at(block, "type") == "image"; });
}

Json kinds_of_blocks(const Json& content) {
  Json kinds = Json::array();
  for (const auto& block : as_blocks(content)) kinds.push_back(at(block, "type"));
  return kinds;
}

Complaint images_stay(const Call& call, const Story& story) {
  return differ("blocks of the result are lost or in another order",
                kinds_of_blocks(at(result_of(call), "content")),
                kinds_of_blocks(shown_result(call, story)->content),
                next_request_of(call, story)->event);
}

}  // namespace

std::vector<Rule> result_rules() {
  return {
      rule("RESULT-01", "the next request shows the content of the end event's result")
          .for_each_call()
          .when(is_shown)
          .expect(content_is_shown),
      rule("RESULT-02",
           "no string of details stands in what the model sees; triggered by details with a string "
           "of their own")
          .for_each_call()
          .when(has_markers("details"))
          .expect(keeps_from_model("details")),
      rule("RESULT-03",
           "no string of structuredContent stands in what the model sees; triggered by one of its "
           "own")
          .for_each_call()
          .when(has_markers("structuredContent"))
          .expect(keeps_from_model("structuredContent")),
      rule("RESULT-04", "end event, toolResult message and request agree in isError")
          .for_each_call()
          .when(has_message)
          .expect(flags_agree),
      rule("RESULT-05", "a returned isError true is an error that keeps content and details")
          .for_each_call()
          .when(returned_error)
          .expect(returned_error_counts),
      rule("RESULT-06", "a result with details.error that was returned normally is a success")
          .for_each_call()
          .when(has_error_in_details)
          .expect(is_a_success),
      rule("RESULT-07", "a result whose text speaks of a failure is a success if nothing else")
          .for_each_call()
          .when(speaks_of_failure)
          .expect(is_a_success),
      rule("RESULT-20", "images and texts of a result reach the next request in their order")
          .for_each_call()
          .when(has_image)
          .expect(images_stay),
  };
}

}  // namespace plumb::invariants
