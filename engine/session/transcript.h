// SPDX-License-Identifier: Apache-2.0
// The stored conversation: the branch of a session tree, and the form in which requests repeat its
// messages. A message's request form is made once, so that the prefix of every request is the same
// object.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/kernel/touch_mark.h"
#include "engine/model/message.h"
#include "engine/session/tree/session_store.h"
#include "engine/tools/session_policies.h"
#include "engine/trace/trace.h"

namespace plumb::engine {

/// One loop. Records session_entry for each entry that is added.
class Transcript final {
 public:
  /// In memory until `use`. Borrows all; what it borrows outlives it.
  Transcript(StorePorts ports, Recorder& recorder, const SessionPolicies& policies);

  /// From now on this session, at its leaf.
  void use(SessionStorePtr store);
  const SessionStore& store() const { return *store_; }
  const SessionTree& tree() const { return store_->tree(); }
  /// Whether somebody gave it a session: such a one keeps settings, too.
  bool is_kept() const { return is_kept_; }

  /// Gives the entry's id. `shown`: the message as traces show it. `call` as the event's call: of a
  /// tool result.
  std::string add_message(MessagePtr message, SharedJson shown, std::string call = {});
  /// An entry of an extension's, which never reaches the model.
  std::string add_entry(std::string type, Json data);
  /// An entry of the engine's.
  std::string add_draft(EntryDraft draft);
  /// Writes what was added (SessionStore::flush).
  Task<Result<void>> flush() { return store_->flush(); }
  bool needs_flush() const { return !store_->path().empty(); }
  /// Puts the leaf there; messages are those of the branch from now on. Errors: not_found.
  Result<void> move(const EntryPlace& place);

  const std::vector<MessagePtr>& messages() const {
    mark_.read();
    return messages_;
  }
  /// Answers that failed are stored but not sent again (EVENT-30).
  const std::vector<SharedJson>& request_messages() const {
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
  /// {id, type, ...} of every entry of the branch, oldest first (SESS-11).
  SharedJson entries() const;

 private:
  /// A message as the branch has it, and as requests repeat it.
  struct Held {
    MessagePtr message;
    SharedJson request;
  };

  const TreeEntry& add(EntryDraft draft, std::string shown_type, SharedJson data, std::string call);
  void rebuild();
  void take(const Held& held);
  Held held_of(const ContextMessage& one);
  void answer_open_calls(std::vector<ToolCallBlock>& open);

  StorePorts ports_;
  Recorder& recorder_;
  const SessionPolicies& policies_;
  TouchMark mark_;
  SessionStorePtr store_;
  bool is_kept_ = false;
  std::unordered_map<std::string, Held> held_;  ///< By entry; only looked up.
  std::vector<MessagePtr> messages_;
  std::vector<SharedJson> request_;
};

}  // namespace plumb::engine
