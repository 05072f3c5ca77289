// SPDX-License-Identifier: Apache-2.0
#include "engine/session/tree/session_store.h"

#include <set>
#include <utility>

#include "engine/session/tree/session_text.h"
#include "engine/values/json_members.h"
#include "engine/values/json_object.h"

namespace plumb::engine {

namespace {

constexpr std::int64_t kFileMode = 0644;

Json new_header(const StorePorts& ports, const NewSession& wanted) {
  std::string id = wanted.id;
  if (id.empty()) id = new_session_id(ports.env.wall_ms(), ports.ids);
  Json header = json_object("type", "session", "version", kSessionVersion, "id", std::move(id),
                            "timestamp", iso_time(ports.env.wall_ms()), "cwd", wanted.cwd);
  if (!wanted.parent.empty()) header["parentSession"] = wanted.parent;
  return header;
}

std::string path_in(const std::string& folder, const Json& header) {
  if (folder.empty()) return "";
  return folder + "/" + session_file_name(view_at(header, "timestamp"), view_at(header, "id"));
}

std::string line_of(const Json& json) {
  return dump_json(json) + "\n";
}

Error no_session_error(const std::string& path) {
  return Error{ErrorCode::invalid, "'" + path + "' is no session file", ""};
}

/// Replaces a file in one step: a reader sees the old text or the new one.
Task<Result<void>> replace_file(Files* files, std::string path, std::string text) {
  const auto real = co_await files->real_path(std::move(path));
  if (!real) co_return std::unexpected(real.error());
  const auto stat = co_await files->stat(*real);
  if (!stat) co_return std::unexpected(stat.error());
  const std::string beside = *real + ".migrating";
  auto done = co_await files->write(beside, std::move(text));
  if (done) done = co_await files->change_mode(beside, stat->mode);
  if (done) done = co_await files->rename(beside, *real);
  co_return done;
}

/// The entries of a way without its labels, chained anew; a compaction that keeps from a label on
/// keeps from the entry behind it on.
class Chain final {
 public:
  explicit Chain(const std::vector<const TreeEntry*>& way) {
    for (const TreeEntry* entry : way) {
      if (entry->type == "label") {
        labels_.insert(entry->id);
      } else {
        add(*entry);
      }
    }
  }

  void add_label(const EntryLabel& label, std::string id) {
    Json json = json_object("type", "label", "id", std::move(id), "parentId", last_, "timestamp",
                            label.timestamp, "targetId", label.target, "label", label.text);
    last_ = json["id"];
    entries_.push_back(entry_from(std::move(json)));
  }

  bool has(const std::string& id) const { return ids_.contains(id); }
  std::vector<TreeEntry>& entries() { return entries_; }

 private:
  void add(const TreeEntry& entry) {
    Json json = entry.json.get();
    json["parentId"] = last_;
    last_ = entry.id;
    for (const auto& label : labels_) replaced_[label] = entry.id;
    labels_.clear();
    if (entry.type == "compaction") {
      const auto kept = replaced_.find(text_at(json, "firstKeptEntryId"));
      if (kept != replaced_.end()) json["firstKeptEntryId"] = kept->second;
    }
    ids_.insert(entry.id);
    entries_.push_back(entry_from(std::move(json)));
  }

  std::vector<TreeEntry> entries_;
  std::set<std::string> ids_;
  std::set<std::string> labels_;  ///< Since the last entry.
  std::map<std::string, std::string> replaced_;
  Json last_;
};

}  // namespace

SessionStore::SessionStore(StorePorts ports, Json header, std::string path)
    : ports_(ports),
      tree_(std::move(header)),
      path_(std::move(path)),
      cwd_(text_at(tree_.header(), "cwd")),
      writing_(ports.env.loop, "the session file") {}

Task<Result<SessionStorePtr>> SessionStore::create(StorePorts ports, NewSession wanted) {
  if (!wanted.id.empty() && !is_session_id(wanted.id)) {
    co_return fail(ErrorCode::invalid, "'" + wanted.id + "' is no id of a session");
  }
  if (!wanted.folder.empty()) {
    const auto made = co_await ports.env.files.make_directory(wanted.folder, true);
    if (!made) co_return std::unexpected(made.error());
  }
  Json header = new_header(ports, wanted);
  std::string path = path_in(wanted.folder, header);
  co_return std::make_unique<SessionStore>(ports, std::move(header), std::move(path));
}

Task<Result<SessionStorePtr>> SessionStore::begin_at(StorePorts ports, std::string path,
                                                     std::string cwd) {
  const NewSession wanted(std::move(cwd));
  Json header = new_header(ports, wanted);
  co_return std::make_unique<SessionStore>(ports, std::move(header), std::move(path));
}

Task<Result<SessionStorePtr>> SessionStore::open(StorePorts ports, std::string path,
                                                 std::string cwd) {
  auto text = co_await ports.env.files.read(path);
  const bool is_missing = !text && text.error().code == ErrorCode::not_found;
  if (!text && !is_missing) co_return std::unexpected(text.error());
  if (text && !text->empty()) co_return co_await read(ports, std::move(path), *std::move(text));
  auto store = co_await begin_at(ports, path, std::move(cwd));
  if (is_missing || !store) co_return store;
  const auto written = co_await ports.env.files.write(path, (*store)->text_of_all());
  if (!written) co_return std::unexpected(written.error());
  (*store)->is_written_ = true;
  co_return store;
}

Task<Result<SessionStorePtr>> SessionStore::read(StorePorts ports, std::string path,
                                                 std::string text) {
  auto session = read_session_text(text, ports.ids);
  if (!session) co_return std::unexpected(no_session_error(path));
  if (session->migrated) {
    const auto done = co_await replace_file(&ports.env.files, path, *std::move(session->migrated));
    if (!done) co_return std::unexpected(done.error());
  }
  auto store = std::make_unique<SessionStore>(ports, std::move(session->header), path);
  for (Json& entry : session->entries) store->tree_.add(entry_from(std::move(entry)));
  store->settled_count_ = store->tree_.entries().size();
  store->damaged_count_ = session->damaged_count;
  store->is_written_ = true;
  if (session->migrated || !session->lacks_newline) co_return store;
  // Where that fails, whoever only reads is not disturbed; the next line looks again.
  const auto closed = co_await ports.env.files.append(path, "\n");
  store->may_end_open_ = !closed;
  co_return store;
}

Task<Result<SessionStorePtr>> SessionStore::fork(StorePorts ports, std::string path,
                                                 NewSession wanted) {
  const auto text = co_await ports.env.files.read(path);
  if (!text) co_return std::unexpected(text.error());
  auto session = read_session_text(*text, ports.ids);
  if (!session) co_return std::unexpected(no_session_error(path));
  wanted.parent = std::move(path);
  auto store = co_await create(ports, std::move(wanted));
  if (!store) co_return store;
  for (Json& entry : session->entries) (*store)->tree_.add(entry_from(std::move(entry)));
  const auto written = co_await (*store)->create_file();
  if (!written) co_return std::unexpected(written.error());
  co_return store;
}

Task<Result<SessionStorePtr>> SessionStore::branch(StorePorts ports, const SessionStore* from,
                                                   std::string at) {
  const auto way = from->tree().branch_of(at);
  if (way.empty()) co_return fail(ErrorCode::not_found, "there is no entry '" + at + "'");
  Chain chain(way);
  NewSession wanted(from->cwd());
  wanted.folder = from->path().empty() ? "" : parent_path(from->path());
  wanted.parent = from->path();
  auto store = co_await create(ports, std::move(wanted));
  if (!store) co_return store;
  for (const TreeEntry& entry : chain.entries()) (*store)->tree_.add(entry);
  const auto count = chain.entries().size();
  for (const EntryLabel& label : from->tree().labels()) {
    if (chain.has(label.target)) chain.add_label(label, (*store)->unused_id());
  }
  for (std::size_t i = count; i < chain.entries().size(); ++i) {
    (*store)->tree_.add(chain.entries()[i]);
  }
  const auto written = co_await (*store)->flush();
  if (!written) co_return std::unexpected(written.error());
  co_return store;
}

std::string SessionStore::unused_id() {
  std::string id = new_entry_id(ports_.ids);
  while (tree_.find(id) != nullptr) id = new_entry_id(ports_.ids);
  return id;
}

const TreeEntry& SessionStore::add(EntryDraft draft, std::string id) {
  std::string time = iso_time(ports_.env.wall_ms());
  if (id.empty()) id = unused_id();
  tree_.add(compose_entry(std::move(draft), std::move(id), tree_.leaf(), std::move(time)));
  return tree_.entries().back();
}

Task<Result<std::string>> SessionStore::append(EntryDraft draft) {
  std::string id = add(std::move(draft)).id;
  const auto written = co_await flush();
  if (!written) co_return std::unexpected(written.error());
  co_return id;
}

Task<Result<void>> SessionStore::flush() {
  if (path_.empty()) settled_count_ = tree_.entries().size();
  if (settled_count_ == tree_.entries().size()) co_return Result<void>();
  AsyncMutex::Lock lock = co_await writing_.lock();
  while (settled_count_ < tree_.entries().size()) {
    const auto written = co_await write_next();
    if (written) continue;
    // All that was added meanwhile stands on the entry that is not there.
    tree_.shrink(settled_count_, tree_.entries()[settled_count_].parent_id);
    co_return written;
  }
  co_return Result<void>();
}

Task<Result<void>> SessionStore::write_next() {
  if (is_written_) co_return co_await append_next();
  if (tree_.has_conversation()) co_return co_await create_file();
  settled_count_ = tree_.entries().size();
  co_return Result<void>();
}

Task<Result<void>> SessionStore::create_file() {
  const std::size_t count = tree_.entries().size();
  const auto made = co_await ports_.env.files.create(path_, text_of_all(), kFileMode);
  if (!made) co_return made;
  is_written_ = true;
  settled_count_ = count;
  co_return Result<void>();
}

Task<Result<void>> SessionStore::append_next() {
  std::string line = line_of(tree_.entries()[settled_count_].json.get());
  if (may_end_open_) {
    const bool is_open = co_await ends_open();
    if (is_open) line.insert(0, "\n");
  }
  // Until it is known to be complete: a line may be written in part.
  may_end_open_ = true;
  const auto written = co_await ports_.env.files.append(path_, std::move(line));
  if (!written) co_return written;
  may_end_open_ = false;
  ++settled_count_;
  co_return Result<void>();
}

Task<bool> SessionStore::ends_open() {
  const auto text = co_await ports_.env.files.read(path_);
  co_return text && !text->empty() && !text->ends_with('\n');
}

std::string SessionStore::text_of_all() const {
  std::string text = line_of(tree_.header());
  for (const TreeEntry& entry : tree_.entries()) text += line_of(entry.json.get());
  return text;
}

}  // namespace plumb::engine
