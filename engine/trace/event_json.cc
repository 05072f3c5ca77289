// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/event_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <span>
#include <type_traits>

#include "engine/trace/event_members.h"
#include "engine/trace/visit_payload.h"
#include "engine/values/suggest.h"

namespace plumb {
namespace {

constexpr std::array<std::string_view, 5> kSources{"engine", "port", "llm", "host", "probe"};
constexpr std::array<std::string_view, 3> kZones{"system", "tools", "messages"};
constexpr std::array<std::string_view, 3> kDeterminisms{"hermetic", "replayed", "live"};
constexpr std::array<std::string_view, 2> kEngines{"session", "durable"};
constexpr std::array<std::string_view, 2> kEditions{"seed", "pi-1.6.0"};
constexpr std::array<std::string_view, 6> kCommonFields{"seq",  "at",   "src",
                                                        "kind", "call", "cause"};

std::unexpected<Error> bad(std::string message) {
  return fail(ErrorCode::invalid, std::move(message));
}

template <class Enum, std::size_t kCount>
Result<Enum> parse_enum(const std::array<std::string_view, kCount>& names, const Json& json,
                        std::string_view what) {
  if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    const auto found = std::ranges::find(names, text);
    if (found != names.end()) return static_cast<Enum>(found - names.begin());
    const auto hint = did_you_mean(text, names);
    return bad("unknown " + std::string(what) + " '" + text + "'" +
               (hint.empty() ? "" : "; did you mean '" + hint + "'?"));
  }
  return bad(std::string(what) + " must be a string");
}

// ---------------------------------------------------------------- writing

struct FieldWriter {
  Json& out;
  std::string_view kind;  ///< Of the event; empty: nothing is required.

  void operator()(std::string_view name, const std::string& value) const {
    if (!value.empty() || is_required_member(kind, name)) out[std::string(name)] = value;
  }
  void operator()(std::string_view name, const PrefixHash& value) const {
    (*this)(name, value.hex());
  }
  void operator()(std::string_view name, std::int64_t value) const {
    out[std::string(name)] = value;
  }
  void operator()(std::string_view name, bool value) const { out[std::string(name)] = value; }
  void operator()(std::string_view name, const SharedJson& value) const {
    if (!value.is_null() || is_required_member(kind, name)) out[std::string(name)] = value.get();
  }
  void operator()(std::string_view name, const std::vector<std::string>& value) const {
    if (!value.empty() || is_required_member(kind, name)) out[std::string(name)] = value;
  }
  void operator()(std::string_view name, const std::vector<RequestBlock>& blocks) const {
    Json list = Json::array();
    for (const auto& block : blocks) {
      Json item;
      item["zone"] = to_string(block.zone);
      item["body"] = block.body.get();
      list.push_back(std::move(item));
    }
    out[std::string(name)] = std::move(list);
  }
};

// ---------------------------------------------------------------- reading

Result<std::string> read_string(const Json& json, std::string_view name) {
  if (!json.is_string()) return bad("'" + std::string(name) + "' must be a string");
  return json.get<std::string>();
}

Result<std::int64_t> read_integer(const Json& json, std::string_view name) {
  if (!json.is_number_integer()) return bad("'" + std::string(name) + "' must be an integer");
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > kMax) {
    return bad("'" + std::string(name) + "' is beyond 64 bits");
  }
  return json.get<std::int64_t>();
}

Result<RequestBlock> read_block(const Json& json) {
  if (!json.is_object() || json.size() != 2 || !json.contains("zone") || !json.contains("body")) {
    return bad("a block of 'append' must be {zone, body}");
  }
  PLUMB_TRY(const auto zone, parse_enum<Zone>(kZones, json.at("zone"), "zone"));
  return RequestBlock{zone, SharedJson(json.at("body"))};
}

struct FieldReader {
  const Json& in;
  std::int64_t read_count = 0;
  std::optional<Error> error{};

  const Json* take(std::string_view name) {
    if (error) return nullptr;
    const auto found = in.find(std::string(name));
    if (found == in.end()) return nullptr;
    ++read_count;
    return &*found;
  }
  template <class T>
  void store(Result<T> result, T& value) {
    if (result) {
      value = *std::move(result);
    } else {
      error = std::move(result).error();
    }
  }
  void operator()(std::string_view name, std::string& value) {
    if (const Json* json = take(name)) store(read_string(*json, name), value);
  }
  void operator()(std::string_view name, PrefixHash& value) {
    std::string hex;
    (*this)(name, hex);
    value = PrefixHash(std::move(hex));
  }
  void operator()(std::string_view name, std::int64_t& value) {
    if (const Json* json = take(name)) store(read_integer(*json, name), value);
  }
  void operator()(std::string_view name, bool& value) {
    const Json* json = take(name);
    if (json == nullptr) return;
    if (json->is_boolean()) {
      value = json->get<bool>();
    } else {
      error = Error{ErrorCode::invalid, "'" + std::string(name) + "' must be true or false", {}};
    }
  }
  void operator()(std::string_view name, SharedJson& value) {
    if (const Json* json = take(name)) value = SharedJson(*json);
  }
  void operator()(std::string_view name, std::vector<std::string>& value) {
    const Json* json = take(name);
    if (json == nullptr) return;
    if (!json->is_array()) {
      error = Error{ErrorCode::invalid, "'" + std::string(name) + "' must be a list", {}};
      return;
    }
    for (const auto& item : *json) {
      value.emplace_back();
      store(read_string(item, name), value.back());
    }
  }
  void operator()(std::string_view name, std::vector<RequestBlock>& value) {
    const Json* json = take(name);
    if (json == nullptr) return;
    if (!json->is_array()) {
      error = Error{ErrorCode::invalid, "'" + std::string(name) + "' must be a list", {}};
      return;
    }
    for (const auto& item : *json) {
      value.emplace_back();
      store(read_block(item), value.back());
    }
  }
};

std::vector<std::string_view> field_names(const Payload& payload) {
  std::vector<std::string_view> names(kCommonFields.begin(), kCommonFields.end());
  visit_payload(payload, [&names](const auto& value) {
    value.fields(value, [&names](std::string_view name, const auto&) { names.push_back(name); });
  });
  return names;
}

std::unexpected<Error> unknown_member(const Json& json, const Payload& payload) {
  const auto names = field_names(payload);
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::find(names, key) != names.end()) continue;
    const auto hint = did_you_mean(key, names);
    return bad("unknown member '" + key + "' of a " + std::string(kEventKinds[payload.index()]) +
               " event" + (hint.empty() ? "" : "; did you mean '" + hint + "'?"));
  }
  return bad("unreadable event");
}

Payload read_fields(std::string_view kind, FieldReader& reader) {
  Payload payload;
  for_each_kind([&]<class Kind>(std::type_identity<Kind>) {
    if (Kind::kKind != kind) return;
    Kind value;
    Kind::fields(value, reader);
    payload = std::move(value);
  });
  return payload;
}

Result<Payload> read_payload(const Json& json, std::int64_t common_count) {
  if (!json.contains("kind")) return bad("an event must have 'kind'");
  PLUMB_TRY(const auto kind, read_string(json.at("kind"), "kind"));
  const auto found = std::ranges::find(kEventKinds, kind);
  if (found == kEventKinds.end()) {
    const auto hint = did_you_mean(kind, kEventKinds);
    return bad("unknown event kind '" + kind + "'" +
               (hint.empty() ? "" : "; did you mean '" + hint + "'?"));
  }
  FieldReader reader{json};
  Payload payload = read_fields(kind, reader);
  if (reader.error) return std::unexpected(*std::move(reader.error));
  if (reader.read_count + common_count != static_cast<std::int64_t>(json.size())) {
    return unknown_member(json, payload);
  }
  return payload;
}

/// Finds the first field that must be there and is not.
struct MissingField {
  const Json& in;
  std::string_view kind;
  std::string_view missing{};

  void operator()(std::string_view name, [[maybe_unused]] const auto& value) {
    using Value = std::remove_cvref_t<decltype(value)>;
    const bool is_required = kIsAlwaysWritten<Value> || is_required_member(kind, name);
    if (missing.empty() && is_required && !in.contains(name)) missing = name;
  }
};

std::string_view missing_member(const Json& json, const Event& event) {
  if (is_required_member(event.kind(), "call") && !json.contains("call")) return "call";
  MissingField finder{json, event.kind()};
  visit_payload(event.payload, [&finder](const auto& value) { value.fields(value, finder); });
  return finder.missing;
}

}  // namespace

std::string_view to_string(Source source) {
  return kSources[static_cast<std::size_t>(source)];
}
std::string_view to_string(Zone zone) {
  return kZones[static_cast<std::size_t>(zone)];
}
std::string_view to_string(Determinism determinism) {
  return kDeterminisms[static_cast<std::size_t>(determinism)];
}

Json to_json(const Event& event) {
  Json out;
  out["seq"] = event.seq;
  out["at"] = event.at;
  out["src"] = to_string(event.source);
  out["kind"] = event.kind();
  const auto kind = event.kind();
  if (!event.call.empty() || is_required_member(kind, "call")) out["call"] = event.call;
  if (event.cause >= 0) out["cause"] = event.cause;
  visit_payload(event.payload,
                [&](const auto& value) { value.fields(value, FieldWriter{out, kind}); });
  return out;
}

Result<Event> parse_event(const Json& json) {
  if (!json.is_object()) return bad("an event must be a JSON object");
  for (const std::string_view name : {"seq", "at", "src", "kind"}) {
    if (!json.contains(name)) return bad("an event must have '" + std::string(name) + "'");
  }
  Event event;
  std::int64_t common_count = 4;
  PLUMB_TRY(event.seq, read_integer(json.at("seq"), "seq"));
  PLUMB_TRY(event.at, read_integer(json.at("at"), "at"));
  PLUMB_TRY(event.source, parse_enum<Source>(kSources, json.at("src"), "src"));
  if (const auto call = json.find("call"); call != json.end()) {
    ++common_count;
    PLUMB_TRY(event.call, read_string(*call, "call"));
  }
  if (const auto cause = json.find("cause"); cause != json.end()) {
    ++common_count;
    PLUMB_TRY(event.cause, read_integer(*cause, "cause"));
  }
  PLUMB_TRY(event.payload, read_payload(json, common_count));
  return event;
}

Result<Event> parse_whole_event(const Json& json) {
  PLUMB_TRY(auto event, parse_event(json));
  const auto missing = missing_member(json, event);
  if (missing.empty()) return event;
  return bad(std::string(event.kind()) + " events must have '" + std::string(missing) + "'");
}

Json to_json(const TraceHeader& header) {
  Json out;
  out["schema"] = header.schema;
  out["subject"] = header.subject;
  out["engine"] = header.engine;
  out["edition"] = header.edition;
  out["seed"] = header.seed;
  out["determinism"] = to_string(header.determinism);
  out["clock"] = header.is_clock_virtual ? "virtual" : "real";
  out["emits"] = header.emits;
  out["declares"] = Json::object();
  for (const auto& [name, value] : header.declares) out["declares"][name] = value;
  return out;
}

namespace {

Result<void> check_word(std::string_view what, const std::string& word,
                        std::span<const std::string_view> known) {
  if (std::ranges::find(known, word) != known.end()) return {};
  const auto hint = did_you_mean(word, known);
  return bad("unknown " + std::string(what) + " '" + word + "'" +
             (hint.empty() ? "" : "; did you mean '" + hint + "'?"));
}

Result<std::string> header_string(const Json& json, std::string_view name) {
  if (!json.contains(name)) return bad("the header must have '" + std::string(name) + "'");
  return read_string(json.at(std::string(name)), name);
}

Result<void> check_emits(const std::vector<std::string>& kinds) {
  for (auto kind = kinds.begin(); kind != kinds.end(); ++kind) {
    if (auto known = check_word("event kind in 'emits'", *kind, kEventKinds); !known) return known;
    if (std::find(kinds.begin(), kind, *kind) != kind) {
      return bad("'emits' names '" + *kind + "' twice");
    }
  }
  return {};
}

Result<void> read_header_lists(const Json& json, TraceHeader& header) {
  FieldReader reader{json};
  reader("emits", header.emits);
  if (reader.error) return std::unexpected(*std::move(reader.error));
  if (auto known = check_emits(header.emits); !known) return known;
  if (!json.contains("declares")) return {};
  if (!json.at("declares").is_object()) return bad("'declares' must be an object");
  for (const auto& [name, value] : json.at("declares").items()) {
    PLUMB_TRY(header.declares[name], read_string(value, name));
  }
  return {};
}

Result<void> refuse_unknown_header_member(const Json& json) {
  constexpr std::array<std::string_view, 9> known{"schema",  "subject", "engine",
                                                  "edition", "seed",    "determinism",
                                                  "clock",   "emits",   "declares"};
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::find(known, key) != known.end()) continue;
    const auto hint = did_you_mean(key, known);
    return bad("unknown member '" + key + "' of the header" +
               (hint.empty() ? "" : "; did you mean '" + hint + "'?"));
  }
  return {};
}

}  // namespace

namespace {

Result<void> read_header_words(const Json& json, TraceHeader& header) {
  PLUMB_TRY(header.subject, header_string(json, "subject"));
  if (header.subject.empty()) return bad("'subject' of the header is empty");
  PLUMB_TRY(header.engine, header_string(json, "engine"));
  if (auto known = check_word("engine", header.engine, kEngines); !known) return known;
  PLUMB_TRY(header.edition, header_string(json, "edition"));
  return check_word("edition", header.edition, kEditions);
}

}  // namespace

Result<TraceHeader> parse_header(const Json& json) {
  if (!json.is_object()) return bad("the header must be a JSON object");
  TraceHeader header;
  PLUMB_TRY(header.schema, header_string(json, "schema"));
  if (header.schema != kTraceSchema) {
    return bad("schema is '" + header.schema + "', this program reads '" +
               std::string(kTraceSchema) + "'");
  }
  if (auto known = refuse_unknown_header_member(json); !known)
    return std::unexpected(known.error());
  if (auto words = read_header_words(json, header); !words) return std::unexpected(words.error());
  if (!json.contains("seed") || !json.contains("determinism")) {
    return bad("the header must have 'seed' and 'determinism'");
  }
  PLUMB_TRY(header.seed, read_integer(json.at("seed"), "seed"));
  if (header.seed < 0) return bad("'seed' is " + std::to_string(header.seed) + ", expected from 0");
  PLUMB_TRY(header.determinism,
            parse_enum<Determinism>(kDeterminisms, json.at("determinism"), "determinism"));
  PLUMB_TRY(const auto clock, header_string(json, "clock"));
  if (clock != "virtual" && clock != "real") return bad("'clock' must be virtual or real");
  header.is_clock_virtual = clock == "virtual";
  if (auto lists = read_header_lists(json, header); !lists) return std::unexpected(lists.error());
  return header;
}

namespace {

struct FieldFinder {
  std::string_view wanted;
  std::optional<Json> found;

  void operator()(std::string_view name, const auto& value) {
    if (name != wanted) return;
    Json out = Json::object();
    FieldWriter{out, ""}(name, value);
    found = out.empty() ? Json() : out.begin().value();
  }
};

std::optional<Json> common_field(const Event& event, std::string_view name) {
  if (name == "call") return Json(event.call);
  if (name == "kind") return Json(event.kind());
  if (name == "src") return Json(to_string(event.source));
  if (name == "seq") return Json(event.seq);
  if (name == "at") return Json(event.at);
  if (name == "cause") return Json(event.cause);
  return std::nullopt;
}

const Json* step_into(const Json& value, std::string_view token) {
  if (value.is_object()) {
    const auto found = value.find(std::string(token));
    return found == value.end() ? nullptr : &*found;
  }
  if (!value.is_array()) return nullptr;
  std::size_t index = 0;
  const auto parsed = std::from_chars(token.data(), token.data() + token.size(), index);
  if (parsed.ec != std::errc{} || parsed.ptr != token.data() + token.size()) return nullptr;
  return index < value.size() ? &value[index] : nullptr;
}

}  // namespace

std::optional<Json> field_of(const Event& event, std::string_view path) {
  const auto dot = path.find('.');
  const auto head = path.substr(0, dot);
  auto root = common_field(event, head);
  if (!root) {
    FieldFinder finder{head, std::nullopt};
    visit_payload(event.payload, [&finder](const auto& value) { value.fields(value, finder); });
    root = std::move(finder.found);
  }
  if (!root || dot == std::string_view::npos) return root;
  const Json* value = &*root;
  auto rest = path.substr(dot + 1);
  while (value != nullptr && !rest.empty()) {
    const auto next = rest.find('.');
    value = step_into(*value, rest.substr(0, next));
    rest = next == std::string_view::npos ? std::string_view{} : rest.substr(next + 1);
  }
  if (value == nullptr) return std::nullopt;
  return *value;
}

}  // namespace plumb
