// SPDX-License-Identifier: Apache-2.0
#include "simulator/invariants/file_ledger.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "engine/values/sha256.h"
#include "simulator/invariants/evidence.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

const FileOperation& ledger_op(const Event* event) {
  return *event->as<FileOperation>();
}

/// The digest of an entry of a listing; "" when it is no file or has none.
std::string digest_of(const Json& entry) {
  auto digest = text_at(entry, "sha256");
  if (digest.empty() && at(entry, "text").is_string()) digest = sha256_hex(text_at(entry, "text"));
  return digest;
}

/// The first event by which something beside the recorded operations may have changed any file.
std::int64_t first_process(const Story& story) {
  std::int64_t seq = story.last_seq + 1;
  for (const auto& call : story.calls) {
    const auto start = seq_of(call, "process_start");
    if (start >= 0) seq = std::min(seq, start);
  }
  for (const Event* event : story.notes) {
    if (event->as<Notify>()->topic == "remote_exec") seq = std::min(seq, event->seq);
  }
  return seq;
}

/// What is known of one file. `digest`: "" when it is not there, or not known.
struct FileState {
  std::string digest;
  bool is_known = false;
  bool is_touched = false;        ///< An operation or the host may have made it another one.
  std::int64_t changed_seq = -1;  ///< Of the last event of a change.
  std::int64_t open_changes = 0;
  std::set<std::string> written;  ///< All digests that were written.
};

class LedgerKeeper {
 public:
  explicit LedgerKeeper(const Story& story)
      : story_(story),
        limit_(first_process(story)),
        has_causes_(std::ranges::any_of(story.file_operations,
                                        [](const Event* event) { return event->cause >= 0; })) {}

  FileLedger keep() {
    std::vector<const Event*> events = story_.file_operations;
    for (const Event* event : story_.steps) {
      if (event->as<Step>()->step == "write") events.push_back(event);
    }
    std::ranges::sort(events, {}, &Event::seq);
    for (const Event* event : events) {
      if (event->as<Step>() != nullptr)
        disturb(text_at(event->as<Step>()->data.get(), "path"), event->seq);
      else
        see(event);
    }
    find_open();
    compare_listings();
    return std::move(ledger_);
  }

 private:
  /// The host did something between two events, such as to move the link that is looked up.
  bool is_host_between(const Event& begin, const Event& end) const {
    return std::ranges::any_of(story_.steps, [&](const Event* step) {
      return step->seq > begin.seq && step->seq < end.seq;
    });
  }

  FileState& state(const std::string& path) {
    const auto key = file_key(path, story_);
    const auto found = states_.find(key);
    if (found != states_.end()) return found->second;
    FileState& fresh = states_[key];
    const Json* entry = first_file(path, story_);
    fresh.is_known = story_.final_files != nullptr && entry != nullptr;
    if (entry != nullptr) fresh.digest = digest_of(*entry);
    fresh.is_known = fresh.is_known && !fresh.digest.empty();
    return fresh;
  }

  void disturb(const std::string& path, std::int64_t seq) {
    FileState& file = state(path);
    file.is_known = false;
    file.is_touched = true;
    file.changed_seq = seq;
  }

  /// Where the operation ends up: a link that leads nowhere is no real path, but is followed.
  std::string place_of(const FileOperation& operation) const {
    auto path = operation.real_path.empty() ? operation.path : operation.real_path;
    const Json* entry = first_file(path, story_);
    for (int hop = 0; hop < 8 && entry != nullptr && at(*entry, "link").is_string(); ++hop) {
      const auto folder = std::filesystem::path(path).parent_path();
      path = (folder / text_at(*entry, "link")).lexically_normal().string();
      if (path.starts_with(story_.workspace() + "/")) path.erase(0, story_.workspace().size() + 1);
      entry = first_file(path, story_);
    }
    return path;
  }

  void see(const Event* event) {
    pair(event);
    const auto& operation = ledger_op(event);
    if (operation.op == "read") return see_read(event);
    if (!changes_files(operation.op)) return;
    // The other name is not recorded.
    if (operation.op == "rename" || operation.op == "hard_link") is_aliased_ = true;
    FileState& file = state(place_of(operation));
    file.is_touched = true;
    file.changed_seq = event->seq;
    if (operation.phase == "begin") {
      ++file.open_changes;
      return;
    }
    if (file.open_changes > 0) --file.open_changes;
    const bool is_whole = operation.op == "write" && operation.result == "ok";
    file.is_known = is_whole && !operation.hash.empty() && file.open_changes == 0;
    file.digest = operation.hash;
    file.written.insert(operation.hash);
  }

  /// The port names the begin of an operation as the cause of its end.
  void pair(const Event* event) {
    const auto& operation = ledger_op(event);
    if (operation.phase == "begin") {
      begins_[event->seq] = event;
      return;
    }
    if (event->cause < 0 && !has_causes_) return;
    const auto begin = begins_.find(event->cause);
    if (begin == begins_.end()) {
      ledger_.pairs.push_back(finding(
          "an operation " + operation.op + " ends that did not begin, or ends twice", event));
      return;
    }
    const auto& begun = ledger_op(begin->second);
    const bool is_same_file =
        begun.real_path == operation.real_path ||
        (operation.op == "real_path" && is_host_between(*begin->second, *event));
    const bool fits = begun.op == operation.op && begun.path == operation.path && is_same_file &&
                      begin->second->call == event->call;
    if (!fits) {
      ledger_.pairs.push_back(
          finding("an operation " + operation.op + " ends as another one than it began", event));
    }
    read_from_ = begin->second->seq;
    begins_.erase(begin);
  }

  /// What nothing cut short comes to its end.
  void find_open() {
    if (!has_causes_ || !story_.crashes.empty() || !story_.aborts.empty()) return;
    for (const auto& [seq, event] : begins_) {
      ledger_.pairs.push_back(
          finding("an operation " + ledger_op(event).op + " begins and does not end", event));
    }
  }

  void see_read(const Event* event) {
    const auto& operation = ledger_op(event);
    const auto begun = std::exchange(read_from_, -1);
    if (operation.phase != "end" || operation.result != "ok" || operation.hash.empty()) return;
    const FileState& file = state(place_of(operation));
    if (event->seq > limit_ || is_aliased_ || !file.is_known || file.open_changes > 0) return;
    if (begun >= 0 && file.changed_seq > begun) return;
    auto odd = differ("the read of " + operation.path + " gave other bytes than the file has",
                      Json(file.digest), Json(operation.hash), event);
    if (odd) ledger_.reads.push_back({event, *std::move(odd)});
  }

  /// A file with another name that was written: both began with the same bytes.
  bool may_be_a_second_name(const std::string& path) const {
    const auto digest = digest_of(at(story_.final_files->files.get(), path));
    const auto earlier = digest_of(at(story_.final_files->before.get(), path));
    return std::ranges::any_of(states_, [&](const auto& entry) {
      const auto& other = entry.second;
      return entry.first != path && other.is_touched && !earlier.empty() &&
             (!other.is_known || other.written.contains(digest)) &&
             digest_of(at(story_.final_files->before.get(), entry.first)) == earlier;
    });
  }

  void compare_listings() {
    if (story_.final_files == nullptr || !shows_kind(story_, "file_op")) return;
    const Json& files = story_.final_files->files.get();
    const Json& before = story_.final_files->before.get();
    if (files.is_object()) {
      for (const auto& [path, entry] : files.items()) compare(path, entry, at(before, path));
    }
    if (!before.is_object() || limit_ <= story_.last_seq || is_aliased_) return;
    for (const auto& [path, entry] : before.items()) {
      const auto known = states_.find(path);
      const bool may_go = known != states_.end() && known->second.is_touched;
      if (!may_go && at(files, path).is_null()) complain(path + " is gone", path);
    }
  }

  void compare(const std::string& path, const Json& entry, const Json& before) {
    const auto& text = at(entry, "text");
    const auto digest = text_at(entry, "sha256");
    if (text.is_string() && !digest.empty() && sha256_hex(text.get<std::string>()) != digest) {
      return complain("text and digest of " + path + " at the end differ", path);
    }
    if (limit_ <= story_.last_seq || is_aliased_ || at(entry, "dir") == true) return;
    const auto known = states_.find(path);
    const bool is_touched = known != states_.end() && known->second.is_touched;
    if (!is_touched) {
      if (before.is_null()) return complain("nobody made " + path, path);
      if (!equal_json(entry, before) && !may_be_a_second_name(path)) {
        complain(path + " changed, but nobody wrote it", path);
      }
      return;
    }
    const FileState& file = known->second;
    if (!file.is_known || file.open_changes > 0 || digest_of(entry).empty()) return;
    if (auto other = differ(path + " at the end is not what was written last", Json(file.digest),
                            Json(digest_of(entry)), nullptr)) {
      ledger_.endings.push_back(*std::move(other));
    }
  }

  void complain(std::string message, const std::string& path) {
    // A folder above it may have been made, moved or removed.
    const bool is_below_a_change = std::ranges::any_of(states_, [&](const auto& entry) {
      return entry.second.is_touched && path.starts_with(entry.first + "/");
    });
    if (!is_below_a_change) ledger_.endings.push_back(finding(std::move(message), nullptr));
  }

  const Story& story_;
  const std::int64_t limit_;  ///< From here on anybody may write.
  const bool has_causes_;     ///< The trace names the begins of operations.
  FileLedger ledger_;
  std::map<std::string, FileState> states_;
  std::map<std::int64_t, const Event*> begins_;  ///< Of operations that are under way.
  std::int64_t read_from_ = -1;                  ///< The begin of the operation that ends now.
  bool is_aliased_ = false;
};

}  // namespace

FileLedger file_ledger(const Story& story) {
  return LedgerKeeper(story).keep();
}

}  // namespace plumb::invariants
