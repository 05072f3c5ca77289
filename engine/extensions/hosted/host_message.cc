// SPDX-License-Identifier: Apache-2.0
#include "engine/extensions/hosted/host_message.h"

namespace plumb::engine {
namespace {

constexpr std::size_t kShownBytes = 80;

std::unexpected<Error> no_message(std::string_view line, const std::string& why) {
  const bool is_long = line.size() > kShownBytes;
  const std::string shown(line.substr(0, kShownBytes));
  return fail(ErrorCode::protocol,
              "wrote what is no message (" + why + "): " + shown + (is_long ? "..." : ""));
}

HostFailure failure_of(const Json& error) {
  HostFailure failure(text_in(error, "message", "an error without a message"));
  failure.is_error_object = value_in(error, "isError") != Json(false);
  return failure;
}

bool is_path_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' || letter == '.' ||
         letter == '/' || letter == '~';
}

/// Whether what stands before and behind makes `length` bytes at `at` a path of their own.
bool is_whole_path(const std::string& text, std::size_t at, std::size_t length) {
  if (at > 0 && is_path_letter(text[at - 1])) return false;
  const std::size_t end = at + length;
  return end == text.size() || text[end] == '/' || !is_path_letter(text[end]);
}

/// How a text is rewritten: what each folder is called now, and what it is to be called.
struct Renaming {
  const std::vector<FolderPair>& folders;
  bool to_real;

  const std::string& from(const FolderPair& folder) const {
    return to_real ? folder.named : folder.real;
  }
  const std::string& to(const FolderPair& folder) const {
    return to_real ? folder.real : folder.named;
  }
  /// The folder whose name begins at this place. A real one is unmistakable wherever it stands.
  const FolderPair* at(const std::string& text, std::size_t place) const {
    for (const auto& folder : folders) {
      const std::string& name = from(folder);
      if (text.compare(place, name.size(), name) != 0) continue;
      if (!to_real || is_whole_path(text, place, name.size())) return &folder;
    }
    return nullptr;
  }
  std::string rewrite(const std::string& text) const;
};

/// In one pass: what has been put in is not looked at again.
std::string Renaming::rewrite(const std::string& text) const {
  std::string result;
  std::size_t done = 0;
  for (auto place = text.find('/'); place != std::string::npos; place = text.find('/', place)) {
    const FolderPair* folder = at(text, place);
    if (folder == nullptr) {
      ++place;
      continue;
    }
    result.append(text, done, place - done).append(to(*folder));
    place += from(*folder).size();
    done = place;
  }
  return done == 0 ? text : result.append(text, done);
}

void rewrite_all(Json& value, const Renaming& renaming) {
  if (value.is_string()) {
    value = renaming.rewrite(value.get_ref<const std::string&>());
  } else if (value.is_structured()) {
    for (Json& member : value) rewrite_all(member, renaming);
  }
}

}  // namespace

std::string text_in(const Json& object, const char* name, std::string otherwise) {
  const Json found = value_in(object, name);
  return found.is_string() ? found.get<std::string>() : std::move(otherwise);
}

std::int64_t number_in(const Json& object, const char* name, std::int64_t otherwise) {
  const Json found = value_in(object, name);
  if (found.is_number_float()) return static_cast<std::int64_t>(found.get<double>());
  return found.is_number_integer() ? found.get<std::int64_t>() : otherwise;
}

Json value_in(const Json& object, const char* name) {
  if (!object.is_object()) return {};
  const auto found = object.find(name);
  return found == object.end() ? Json() : *found;
}

std::vector<std::string> texts_in(const Json& list) {
  std::vector<std::string> texts;
  if (!list.is_array()) return texts;
  for (const Json& text : list) {
    if (text.is_string()) texts.push_back(text.get<std::string>());
  }
  return texts;
}

Result<HostMessage> parse_host_message(std::string_view line) {
  const auto json = parse_json(line);
  if (!json) return no_message(line, "no JSON");
  if (!json->is_object()) return no_message(line, "no object");
  HostMessage message;
  message.id = number_in(*json, "id", -1);
  message.method = text_in(*json, "method");
  message.request = number_in(*json, "request", -1);
  message.extension = number_in(*json, "extension", -1);
  if (json->contains("params")) message.params = value_in(*json, "params");
  if (!message.params.is_object()) return no_message(line, "'params' is no object");
  if (!message.method.empty()) return message;
  if (message.id < 0) return no_message(line, "neither 'id' nor 'method'");
  if (json->contains("error")) {
    message.reply = std::unexpected(failure_of(value_in(*json, "error")));
  } else {
    message.reply = value_in(*json, "result");
  }
  return message;
}

Json with_real_paths(Json value, const std::vector<FolderPair>& folders) {
  rewrite_all(value, Renaming{folders, true});
  return value;
}

Json with_named_paths(Json value, const std::vector<FolderPair>& folders) {
  rewrite_all(value, Renaming{folders, false});
  return value;
}

}  // namespace plumb::engine
