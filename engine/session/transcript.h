// SPDX-License-Identifier: Apache-2.0
// The stored conversation: entries, messages, and the form in which requests repeat them. A
// message's request form is made once, so that the prefix of every request is the same object.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel/touch_mark.h"
#include "engine/model/message.h"
#include "engine/tools/session_policies.h"
#include "engine/trace/trace.h"
#include "engine/values/shared_json_list.h"

namespace plumb::engine {

/// One loop. Append-only. Records session_entry for each entry.
class Transcript final {
 public:
  Transcript(Loop& loop, Recorder& recorder, const SessionPolicies& policies)
      : recorder_(recorder), policies_(policies), mark_(&loop, TouchKind::store, "transcript") {}

  /// Gives the entry's id. `shown`: the message as traces show it. `call` as the event's call: of a
  /// tool result.
  std::string add_message(MessagePtr message, SharedJson shown, std::string call = {});
  /// An entry that never reaches the model.
  std::string add_entry(std::string type, Json data);

  const std::vector<MessagePtr>& messages() const {
    mark_.read();
    return messages_;
  }
  /// Answers that failed are stored but not sent again (EVENT-30).
  const SharedJsonList& request_messages() const {
    mark_.read();
    return request_;
  }
  /// For policies that store what handlers made of a request.
  void replace_request_messages(std::vector<SharedJson> messages) {
    mark_.write();
    request_ = std::move(messages);
  }
  /// Whether the model could be asked again: the last message sent is no answer (EVENT-15).
  bool can_continue() const;
  /// {id, type, ...} of every entry, oldest first.
  SharedJson entries() const;

 private:
  std::string add(std::string type, SharedJson data, std::string call);

  Recorder& recorder_;
  const SessionPolicies& policies_;
  TouchMark mark_;
  std::vector<MessagePtr> messages_;
  SharedJsonList request_;
  std::vector<Payload> entries_;  ///< Each a SessionEntry, as the trace has it.
};

}  // namespace plumb::engine
