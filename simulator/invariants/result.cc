// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/evidence.h"
#include "simulator/invariants/picture_view.h"
#include "simulator/invariants/shown_content.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

/// Shorter strings of details occur anywhere by chance.
constexpr std::size_t kMarkerCharactersMin = 3;

bool is_shown(const Call& call, const Story& story) {
  return shown_result(call, story) != nullptr && end_of(call) != nullptr;
}

Complaint content_is_shown(const Call& call, const Story& story) {
  const Request& next = *next_request_of(call, story);
  const Json& content = at(result_of(call), "content");
  if (equal_json(content, shown_result(call, story)->content.get())) return std::nullopt;
  Json expected = as_blocks(content);
  const Json shown = shown_content(call, expected, story);
  if (!takes_pictures(next, story)) accept_placeholders(expected, shown);
  // On a wire an empty text and no content may be one and the same.
  if (is_live(story) && shown.empty() && expected == as_blocks("")) expected = shown;
  return differ("the model sees other content than the call's result", expected, shown, next.event);
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
  if (strings.empty()) return strings;
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

/// The texts of a message that a tool could have put there: names, ids and kinds are the engine's.
void collect_shown(const Json& value, std::string& shown) {
  static constexpr std::array<std::string_view, 7> kOwn{
      "role", "type", "toolCallId", "tool_call_id", "tool_use_id", "toolName", "name"};
  if (value.is_string()) shown += value.get_ref<const std::string&>() + "\n";
  if (value.is_array()) {
    for (const auto& part : value) collect_shown(part, shown);
  }
  if (!value.is_object()) return;
  for (const auto& [key, part] : value.items()) {
    if (std::ranges::find(kOwn, key) == kOwn.end()) collect_shown(part, shown);
  }
}

bool shows(const std::string& bytes, const std::string& marker) {
  const std::string written = dump_json(Json(marker));
  return bytes.find(written.substr(1, written.size() - 2)) != std::string::npos;
}

/// Who else says it: earlier requests, and messages and results that came before this request.
bool is_known_otherwise(const std::string& marker, const Request& request, const Story& story) {
  for (const auto& earlier : story.requests) {
    if (earlier.event->seq >= request.event->seq) break;
    const auto& blocks = earlier.request->append;
    if (std::ranges::any_of(blocks,
                            [&](const auto& block) { return shows(block.body.bytes(), marker); })) {
      return true;
    }
  }
  for (const auto& batch : story.batches) {
    if (batch.response->seq > request.event->seq) break;
    if (shows(batch.response->as<ProviderResponse>()->message.bytes(), marker)) return true;
  }
  return std::ranges::any_of(story.messages, [&](const Event* event) {
    const auto* message = event->as<MessageEnd>();
    return event->seq < request.event->seq && message->role != "toolResult" &&
           shows(message->message.bytes(), marker);
  });
}

bool is_content_of_a_sibling(const std::string& marker, const Call& call, const Story& story) {
  return std::ranges::any_of(calls_of(*batch_of(call, story), story), [&](const Call* sibling) {
    return shows(dump_json(at(result_of(*sibling), "content")), marker);
  });
}

/// The messages that the next request adds: the whole of what the model newly sees.
std::string texts_added(const Request& request) {
  std::string shown;
  for (const auto& block : request.added) collect_shown(block.get(), shown);
  return shown;
}

Expectation<Call> keeps_from_model(const char* field) {
  return [field](const Call& call, const Story& story) -> Complaint {
    const Request& request = *next_request_of(call, story);
    const auto shown = texts_added(request);
    for (const auto& marker : markers(call, field)) {
      if (shown.find(marker) == std::string::npos) continue;
      if (is_known_otherwise(marker, request, story)) continue;
      if (is_content_of_a_sibling(marker, call, story)) continue;
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
  if (at(*message_of(call), "isError") != end_of(call)->is_error) {
    return differ("event and message disagree whether call " + call.id + " failed",
                  end_of(call)->is_error, at(*message_of(call), "isError"),
                  first(call, "message_end"));
  }
  const auto* shown = shown_result(call, story);
  if (shown == nullptr || !shown->has_error_flag) return std::nullopt;
  if (shown->is_error == end_of(call)->is_error) return std::nullopt;
  return differ("event and request disagree whether call " + call.id + " failed",
                end_of(call)->is_error, shown->is_error, next_request_of(call, story)->event);
}

/// Whether a tool_result handler had a say in a field.
bool is_patched(const Call& call, std::string_view field) {
  return std::ranges::any_of(returns_of(call, "tool_result"), [&](const HookReturn* returned) {
    const Json& patch = returned->result.get();
    return returned->error.empty() && patch.is_object() && patch.contains(field);
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
  if (!is_error(call)) return std::nullopt;
  return finding("call " + call.id + " returned normally but is an error",
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
  const Json& content = at(result_of(call), "content");
  const auto is_image = [](const Json& block) { return view_at(block, "type") == "image"; };
  return content.is_array() && std::ranges::any_of(content, is_image) && is_shown(call, story);
}

Json kinds_of_blocks(const Json& content) {
  Json kinds = Json::array();
  for (const auto& block : as_blocks(content)) kinds.push_back(at(block, "type"));
  return kinds;
}

Complaint images_stay(const Call& call, const Story& story) {
  const Request& next = *next_request_of(call, story);
  Json expected = as_blocks(at(result_of(call), "content"));
  const Json shown = shown_content(call, expected, story);
  if (!takes_pictures(next, story)) accept_placeholders(expected, shown);
  return differ("blocks of the result are lost or in another order", kinds_of_blocks(expected),
                kinds_of_blocks(shown), next.event);
}

// ------------------------------------------------------------------ usage and odd results

/// RESULT-09: what a tool's own model calls cost stays on its message and counts in the totals.
class UsageChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() { return {"message_end", "notify"}; }

  void see(const Event& event, const Story& story, Report& report) override {
    if (const auto* message = event.as<MessageEnd>()) {
      add(at(message->message.get(), "usage"));
      if (message->role == kToolResultRole) keeps_usage(event, story, report);
    }
    const auto* note = event.as<Notify>();
    if (note == nullptr || note->topic != "session_usage") return;
    report.complain(differ("the session's totals are not the sum of its messages", Json(totals_),
                           note->data.get(), &event));
  }

 private:
  void keeps_usage(const Event& event, const Story& story, Report& report) {
    const Call* call = call_of(event, story);
    const auto* settled = call == nullptr ? nullptr : settled_of(*call);
    if (settled == nullptr || is_patched(*call, "usage")) return;
    const Json& usage = at(settled->result.get(), "usage");
    if (usage.is_null()) return;
    report.trigger();
    report.complain(differ("the message of call " + call->id + " has another usage", usage,
                           at(event.as<MessageEnd>()->message.get(), "usage"), &event));
  }
  void add(const Json& usage) {
    if (!usage.is_object()) return;
    for (auto& [name, total] : totals_) {
      const Json& count = at(usage, name);
      if (count.is_number_integer()) total += count.get<std::int64_t>();
    }
  }

  std::map<std::string, std::int64_t> totals_{
      {"input", 0}, {"output", 0}, {"cacheRead", 0}, {"cacheWrite", 0}};
};

bool threw_unpatched(const Call& call, const Story&) {
  const auto* settled = settled_of(call);
  return settled != nullptr && settled->outcome == "threw" && end_of(call) != nullptr &&
         !is_patched(call, "content") && !is_patched(call, "details");
}

Complaint is_one_text_alone(const Call& call, const Story&) {
  const Event* end = first(call, "tool_execution_end");
  const Json& details = at(result_of(call), "details");
  const Json blocks = as_blocks(at(result_of(call), "content"));
  const bool is_alone = blocks.size() == 1 && view_at(blocks.front(), "type") == "text";
  if (!is_alone) return finding("an error of the engine is not one text block", end);
  return require(details.is_null() || details == Json::object(),
                 "an error of the engine keeps details of the failed execution", end);
}

bool returned_no_content(const Call& call, const Story&) {
  if (!returned_normally(call) || message_of(call) == nullptr) return false;
  const Json& content = at(settled_of(call)->result.get(), "content");
  const bool is_empty = content.is_array() ? content.empty() : !content.is_string();
  return is_empty && !is_patched(call, "content");
}

Complaint content_is_an_empty_list(const Call& call, const Story& story) {
  if (auto odd = differ("the message of a result without content", Json::array(),
                        at(*message_of(call), "content"), first(call, "message_end"))) {
    return odd;
  }
  const auto* shown = shown_result(call, story);
  if (shown == nullptr) return std::nullopt;
  const Json content = shown_content(call, Json::array(), story);
  return require(!shown->bytes().contains("null") && content.empty(),
                 "the model gets something else than an empty list",
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
           "no string of details stands in what the next request adds, unless it is known "
           "otherwise; triggered by details with a string of their own")
          .for_each_call()
          .when(has_markers("details"))
          .expect(keeps_from_model("details")),
      rule("RESULT-03",
           "no string of structuredContent stands in what the next request adds, unless it is "
           "known otherwise; triggered by one of its own")
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
      rule("RESULT-09",
           "usage of a tool's result stands on its message; the session's totals (note "
           "session_usage) are the sum over messages")
          .by<UsageChecker>(UsageChecker::kinds()),
      rule("RESULT-17", "what execute threw is one text block with empty details")
          .for_each_call()
          .among({"threw"})
          .when(threw_unpatched)
          .expect(is_one_text_alone),
      rule("RESULT-18", "a result without content has an empty list in message and request")
          .for_each_call()
          .when(returned_no_content)
          .expect(content_is_an_empty_list),
      rule("RESULT-20", "images and texts of a result reach the next request in their order")
          .for_each_call()
          .when(has_image)
          .expect(images_stay),
  };
}

}  // namespace plumb::invariants
