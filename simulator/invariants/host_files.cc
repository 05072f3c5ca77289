// SPDX-License-Identifier: Apache-2.0
// File operations of the host's own: what goes by them, and what still acts on the machine.
#include <algorithm>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/read_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

const Json& operations_of(const Story& story) {
  return setting("operations", story);
}

const Event* call_end(const Call& call) {
  return first(call, "tool_execution_end");
}

/// A call of this built-in tool that ran.
bool is_builtin_named(const Call& call, std::string_view name, const Story& story) {
  if (call.name != name || begin_of(call) == nullptr || end_of(call) == nullptr) return false;
  const Json* tool = tool_of(call, story);
  return tool == nullptr || text_at(*tool, "level") == "builtin";
}

/// The host's operations that a call used, by name.
std::vector<const Event*> host_operations(const Call& call, std::string_view op) {
  std::vector<const Event*> found;
  for (const Event* event : all(call, "notify")) {
    const auto* note = event->as<Notify>();
    if (note->topic == "host_file" && text_at(note->data.get(), "op") == op) found.push_back(event);
  }
  return found;
}

const Event* local_operation(const Call& call, bool (*is_meant)(std::string_view op)) {
  for (const Event* event : all(call, "file_op")) {
    if (is_meant(event->as<FileOperation>()->op)) return event;
  }
  return nullptr;
}

bool opens_a_file(std::string_view op) {
  return op == "access" || op == "read";
}

// ------------------------------------------------------------------ read (READ-31)

bool reads_by_the_host(const Call& call, const Story& story) {
  return is_builtin_named(call, "read", story) && at(operations_of(story), "read") == true;
}

Complaint touches_no_local_file(const Call& call, const Story&) {
  const Event* local = local_operation(call, opens_a_file);
  if (local == nullptr) return std::nullopt;
  return finding(
      "a read by the host's operations touches the local " + local->as<FileOperation>()->path,
      local);
}

/// Of the read or the stream that gave the bytes; null unless there was one.
const Event* source_of(const Call& call) {
  auto reads = host_operations(call, "read");
  std::ranges::move(host_operations(call, "stream"), std::back_inserter(reads));
  return reads.size() == 1 ? reads.front() : nullptr;
}

/// More than read shows at once.
bool is_beyond_caps(const std::string& text) {
  return std::ssize(text) > kBytesMax || std::ranges::count(text, '\n') >= kLinesMax;
}

Complaint shows_what_the_host_gave(const Call& call, const Story& story) {
  if (is_error(call) || abort_during(call, story) >= 0 || !has_own_result(call)) return {};
  const Event* source = source_of(call);
  if (source == nullptr) return finding("the host was not asked for the file once", call_end(call));
  const Json& text = at(source->as<Notify>()->data.get(), "text");
  const bool is_part = number_given(call, "offset") || number_given(call, "limit");
  if (!text.is_string() || is_part || is_beyond_caps(text.get<std::string>())) {
    return {};
  }
  return differ("the result is not what the host gave", text, Json(result_text(call)),
                call_end(call));
}

// ------------------------------------------------------------------ the others (READ-32)

/// Another built-in tool that succeeds beside a read by the host, with operations of the machine.
bool acts_beside_the_hosts_read(const Call& call, const Story& story) {
  if (at(operations_of(story), "read") != true || is_error(call)) return false;
  if (!is_undisturbed(call, story) || !has_own_result(call)) return false;
  const bool writes_there = at(operations_of(story), "write") == true;
  const bool runs_there = at(setting("shell", story), "remote") == true;
  return is_builtin_named(call, "edit", story) ||
         (is_builtin_named(call, "write", story) && !writes_there) ||
         (is_builtin_named(call, "bash", story) && !runs_there);
}

bool is_write(std::string_view op) {
  return op == "write";
}

Complaint acts_on_the_machine(const Call& call, const Story&) {
  if (call.name == "bash") {
    return require(first(call, "process_start") != nullptr,
                   "a command runs elsewhere because read does", call_end(call));
  }
  return require(local_operation(call, is_write) != nullptr,
                 call.name + " changes no local file because read is the host's", call_end(call));
}

/// Nobody may call that isolated.
Complaint claims_no_isolation(const Call&, const Story& story) {
  const auto claim = story.header.declares.find("isolation");
  const bool is_claimed = claim != story.header.declares.end() && claim->second != "none";
  return require(!is_claimed, "a subject of which only read is replaced claims to be isolated",
                 nullptr);
}

// ------------------------------------------------------------------ write (WRITE-09)

bool writes_by_the_host(const Call& call, const Story& story) {
  return is_builtin_named(call, "write", story) && at(operations_of(story), "write") == true;
}

Complaint changes_nothing_local(const Call& call, const Story&) {
  const Event* local = local_operation(call, changes_files);
  return require(local == nullptr, "a write by the host's operations changes a local file", local);
}

Complaint hands_over_the_text(const Call& call, const Story& story) {
  if (is_error(call) || abort_during(call, story) >= 0) return std::nullopt;
  const auto writes = host_operations(call, "write");
  if (writes.size() != 1 || host_operations(call, "make_folders").size() != 1) {
    return finding("the host did not make the folder and write the file, each once",
                   call_end(call));
  }
  const Json& text = at(writes.front()->as<Notify>()->data.get(), "text");
  return differ("the host was given another text", at(begin_of(call)->args.get(), "content"), text,
                writes.front());
}

}  // namespace

std::vector<Rule> host_file_rules() {
  return {
      rule("READ-31",
           "with the host's operations read opens no local file and shows what the host gave")
          .for_each_call()
          .among({"read"})
          .when(reads_by_the_host)
          .expect(touches_no_local_file)
          .expect(shows_what_the_host_gave),
      rule("READ-32",
           "beside a read by the host's operations edit, write and bash still act on the machine, "
           "and the subject does not declare isolation")
          .for_each_call()
          .among({"edit", "write", "bash"})
          .when(acts_beside_the_hosts_read)
          .expect(acts_on_the_machine)
          .expect(claims_no_isolation),
      rule("WRITE-09",
           "with the host's operations write changes no local file; the host makes the folder and "
           "gets the text, each once")
          .for_each_call()
          .among({"write"})
          .when(writes_by_the_host)
          .expect(changes_nothing_local)
          .expect(hands_over_the_text),
  };
}

}  // namespace plumb::invariants
