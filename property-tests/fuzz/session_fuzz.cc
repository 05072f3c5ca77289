// SPDX-License-Identifier: Apache-2.0
// Any text as a session file: it is refused, or read whole; every way through it ends; what a
// migration makes of it is read again with as many entries.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/session/tree/projection.h"
#include "engine/session/tree/session_text.h"
#include "engine/session/tree/session_tree.h"

namespace {

void walk(const plumb::engine::SessionTree& tree) {
  for (const auto& entry : tree.entries()) {
    const auto branch = tree.branch_of(entry.id);
    if (branch.size() > tree.entries().size()) std::abort();
    (void)plumb::engine::current_system_message(plumb::engine::project(branch));
    (void)plumb::engine::settings_of(branch);
  }
  if (tree.roots().empty() && tree.leaf()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  plumb::engine::Rng ids(1);
  auto session = plumb::engine::read_session_text(text, ids);
  if (!session) return 0;
  if (session->migrated) {
    const auto again = plumb::engine::read_session_text(*session->migrated, ids);
    if (!again || again->migrated || again->entries.size() != session->entries.size()) std::abort();
  }
  plumb::engine::SessionTree tree(std::move(session->header));
  for (auto& entry : session->entries) tree.add(plumb::engine::entry_from(std::move(entry)));
  walk(tree);
  return 0;
}
