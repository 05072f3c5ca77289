// SPDX-License-Identifier: Apache-2.0
// Entries that are to be appended: what is in them besides id, parent and time. One function a
// type; the names of their members are those of the session file (resources.yaml, session_file).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/session/tree/session_tree.h"

namespace plumb::engine {

/// `fields`: the members of the type in their order. `message`: of a message entry, which is not
/// copied into the fields.
struct EntryDraft {
  explicit EntryDraft(std::string entry_type, Json members = Json::object())
      : type(std::move(entry_type)), fields(std::move(members)) {}
  std::string type;
  Json fields;
  SharedJson message;
  bool is_conversation = false;
};

/// The entry of a draft at its place. Where extensions have members of their own (custom,
/// custom_message) these come first, else behind the time.
TreeEntry compose_entry(EntryDraft draft, std::string id, EntryPlace parent, std::string time);

/// `role`: of the message, in its full form.
EntryDraft message_draft(std::string_view role, SharedJson message);
/// `data`: nothing when the extension gives none.
EntryDraft custom_draft(std::string custom_type, std::optional<Json> data);
EntryDraft custom_message_draft(std::string custom_type, Json content, bool is_displayed,
                                std::optional<Json> details);
EntryDraft model_draft(std::string provider, std::string model);
EntryDraft thinking_draft(std::string level);
EntryDraft usage_draft(std::string kind, std::string provider, std::string model, Json usage);
/// Line breaks become blanks (SESS-35).
EntryDraft name_draft(std::string_view name);
/// `details` and `usage` may be null: left out.
EntryDraft summary_draft(const EntryPlace& from, std::string summary, bool is_from_extension);

/// Empty `text` clears. Errors: not_found, for an unknown target (SESS-34).
Result<EntryDraft> label_draft(const SessionTree& tree, std::string target, std::string text);
/// `replacement`: null to omit the target, or {content} with a text or a list. Errors: invalid for
/// another one; not_found for a target that is not on the branch; rejected for one that is no
/// message that the model sees (SESS-33).
Result<EntryDraft> context_edit_draft(const SessionTree& tree, std::string target,
                                      Json replacement);

struct Compaction {
  std::string summary;
  EntryPlace first_kept;  ///< Nothing: no entry is kept (SESS-31).
  std::int64_t tokens_before = 0;
};
/// With the prompt and the tools of the branch as its checkpoint (SESS-31).
EntryDraft compaction_draft(const SessionTree& tree, Compaction compaction);

}  // namespace plumb::engine
