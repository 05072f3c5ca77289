// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/workspace_state.h"

#include <string>

#include "engine/values/sha256.h"
#include "engine/values/utf8.h"

namespace plumb::simulator {
namespace {

/// Contents up to this size stand in the trace as they are, longer ones by their digest. More than
/// the read tool shows at once, so that a cut text can be judged (READ-02).
constexpr std::size_t kInlineBytesMax = std::size_t{64} << 10;

/// Text that JSON can hold as it is.
bool is_plain_text(const std::string& bytes) {
  return bytes.find('\0') == std::string::npos && find_invalid_utf8(bytes) < 0;
}

}  // namespace

Json file_state(const engine::SnapshotEntry& entry) {
  Json state;
  if (entry.kind == engine::FileKind::directory) return Json{{"dir", true}};
  if (entry.kind == engine::FileKind::symlink) return Json{{"link", entry.content}};
  if (entry.content.size() <= kInlineBytesMax && is_plain_text(entry.content)) {
    state["text"] = entry.content;
  } else {
    state["bytes"] = entry.content.size();
  }
  state["sha256"] = sha256_hex(entry.content);
  state["mode"] = entry.mode;
  return state;
}

}  // namespace plumb::simulator
