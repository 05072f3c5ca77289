// SPDX-License-Identifier: Apache-2.0
// A scenario as data: the workspace, the extensions, the tools and the settings; the steps of the
// host and the replies of the model; and what is expected. It is written in YAML
// (scenarios/README.md) and read by load_scenario, which refuses what it does not understand and
// says where. Every item keeps its place in the file, so that whatever goes wrong later can name
// the line that asked for it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/trace/pattern.h"
#include "engine/values/json.h"
#include "simulator/script/catalogue.h"
#include "simulator/script/place.h"
#include "simulator/script/reply_script.h"

namespace plumb::simulator {

inline constexpr std::int64_t kScenarioBytesMax = 4 << 20;
inline constexpr std::int64_t kScenarioStepsMax = 10'000;
inline constexpr std::int64_t kScenarioFilesMax = 10'000;
inline constexpr std::int64_t kDelayMsMax = 86'400'000;

/// A rule that the scenario exercises.
struct RuleReference {
  std::string id;
  Place place;
  bool operator==(const RuleReference&) const = default;
};

enum class FileKind : std::uint8_t { regular, directory, link, hard_link };

/// One entry of the workspace. `path` is relative to the workspace, or "~/..." for the home folder;
/// it never leaves either. `target`: of a link as written, of a hard link another path here.
struct FileScript {
  std::string path;
  FileKind kind = FileKind::regular;
  std::string bytes;
  std::string target;
  std::optional<std::int64_t> mode;  ///< Permission bits.
  Place place;
  bool operator==(const FileScript&) const = default;
};

/// What the host sets before the first step. Words are those of the settings themselves.
/// What a spawn hook of the host changes in each command; with `throws` it fails with that text.
struct ShellHookScript {
  std::optional<std::string> command;
  std::optional<std::string> cwd;  ///< Within the workspace.
  std::vector<std::pair<std::string, std::string>> environment;
  std::string throws;
  bool operator==(const ShellHookScript&) const = default;
};

/// How the host makes the bash tool. `is_remote`: commands go to an executor of the host's, not to
/// the process port; `late_output` is what that says when it has ended.
struct ShellSettings {
  std::string prefix;
  bool exposes_session = true;
  bool is_remote = false;
  std::string late_output;
  std::optional<ShellHookScript> hook;
  bool operator==(const ShellSettings&) const = default;
};

/// The largest picture; what is absent is as the engine has it.
struct PictureLimitsScript {
  std::optional<std::int64_t> width;
  std::optional<std::int64_t> height;
  bool operator==(const PictureLimitsScript&) const = default;
};

/// What the host knows of a model.
struct ModelScript {
  bool takes_pictures = true;
  std::optional<PictureLimitsScript> pictures;
  bool operator==(const ModelScript&) const = default;
};

/// File operations of the host's own. `read`: the files that its read tool finds, in place of the
/// workspace's; by their chunks with `streams`. `writes`: what its write tool writes goes to the
/// host, where its read finds it.
struct OperationSettings {
  std::optional<std::vector<FileScript>> read;
  bool streams = false;
  bool writes = false;
  bool operator==(const OperationSettings&) const = default;
};

struct Settings {
  std::string execution = "parallel";      ///< parallel, sequential.
  std::string steering = "one-at-a-time";  ///< all, one-at-a-time.
  std::string follow_up = "one-at-a-time";
  bool has_ui = true;
  bool is_trusted = true;
  std::string model = "fake-1";
  std::string thinking = "off";
  std::optional<std::string> system;  ///< A custom system prompt.
  std::string append_system;
  std::string cwd = ".";  ///< Within the workspace.
  std::int64_t retries = 0;
  std::int64_t retry_delay_ms = 1000;
  std::optional<std::int64_t> turns_max;
  bool has_session = true;  ///< Else the host only loads the extensions.
  std::optional<std::string> failing_after_hook;  ///< What the host's own hook throws (HOOK-24).
  std::vector<std::string> secrets;               ///< Texts that no model and no store may see.
  ShellSettings shell;
  OperationSettings operations;
  std::optional<PictureLimitsScript> pictures;  ///< Of the read tool.
  std::map<std::string, ModelScript> models;    ///< By name.
  bool operator==(const Settings&) const = default;
};

/// `active`: names, or "+name" and "-name" (REG-15). `allow`, `exclude`: as REG-08 to REG-14.
/// `sdk`: tool definitions that the host itself hands over, with the verbs of an extension's tool.
struct ToolSettings {
  std::optional<std::vector<std::string>> active;
  std::optional<std::vector<std::string>> allow;
  std::vector<std::string> exclude;
  std::vector<Json> sdk;
  std::vector<Place> sdk_places;  ///< Parallel to `sdk`.
  bool operator==(const ToolSettings&) const = default;
};

/// A fault at the file port: the `nth` operation `op` on `path` (0: every one) takes `delay_ms`, is
/// held until an event, and then fails with `error` if there is one. `op` may be any; an empty
/// `path` is any path. `io_error`: "ENOSPC: no space left on device", for errors without a code.
struct FaultScript {
  std::string op;
  std::string path;
  std::int64_t nth = 1;
  std::optional<ErrorCode> error;
  std::string io_error;
  std::int64_t delay_ms = 0;
  Trigger until;
  Place place;
  bool operator==(const FaultScript&) const = default;
};

/// One piece of a scripted process's output.
struct OutputScript {
  std::string stream = "stdout";  ///< stdout, stderr.
  std::string text;
  std::int64_t after_ms = 0;
  bool operator==(const OutputScript&) const = default;
};

/// A process that a command starts and leaves behind; it holds the command's streams open.
struct ChildScript {
  std::vector<OutputScript> output;  ///< From the command's start on.
  std::int64_t lives_ms = 0;         ///< After its last output; then it writes its files.
  std::vector<std::pair<std::string, std::string>> writes;
  bool hangs = false;         ///< It does not end by itself.
  bool leaves_group = false;  ///< A kill of the group does not reach it.
  bool operator==(const ChildScript&) const = default;
};

/// What a command does in a hermetic run. `command` must equal the command text. `error`: it cannot
/// be started; by an executor of the host's: that fails so after the output.
struct ProcessScript {
  std::string command;
  std::vector<OutputScript> output;
  std::vector<ChildScript> children;
  std::vector<std::pair<std::string, std::string>> writes;  ///< At its end.
  std::string error;
  std::int64_t exit = 0;
  std::string signal;
  std::int64_t delay_ms = 0;  ///< From the last output to the exit.
  bool hangs = false;         ///< Never exits by itself.
  bool is_unused = false;     ///< The scenario means it not to run.
  Place place;
  bool operator==(const ProcessScript&) const = default;
};

/// The user's answer to a dialog: the first unused entry whose method and title fit is taken.
/// `answer`: true or false, a text, or null for a dialog that was dismissed.
struct UiScript {
  std::string method;
  std::string title;
  Json answer;
  std::int64_t delay_ms = 0;
  bool never = false;  ///< The user does not answer.
  Place place;
  bool operator==(const UiScript&) const = default;
};

/// An extension in the closed set of verbs, or, with `hosted`, a file of TypeScript or JavaScript;
/// `definition` is the whole entry, checked against scenario.schema.json#/$defs/extension. `path`
/// is <inline:NAME> unless given, of a hosted one the file as the scenario names it. `fails`: what
/// the host will say of it.
struct ExtensionScript {
  std::string name;
  std::string path;
  std::string hosted;
  std::string fails;
  Json definition;
  Place place;
  bool operator==(const ExtensionScript&) const = default;
};

// ------------------------------------------------------------------ steps

/// The host says something. `mode`: prompt, steer, follow_up. A `when` makes it an interruption.
struct InputStep {
  std::string mode = "prompt";
  std::string text;
  Trigger when;
  bool operator==(const InputStep&) const = default;
};

struct AbortStep {
  Trigger when;
  bool operator==(const AbortStep&) const = default;
};

struct CrashStep {
  Trigger when;
  bool operator==(const CrashStep&) const = default;
};

struct ResumeStep {
  bool operator==(const ResumeStep&) const = default;
};

struct ReloadStep {
  Trigger when;
  bool operator==(const ReloadStep&) const = default;
};

struct NewSessionStep {
  bool operator==(const NewSessionStep&) const = default;
};

/// `to`, `at`: "start", or the role and number of a message on the branch: "user 2".
struct NavigateStep {
  std::string to;
  bool operator==(const NavigateStep&) const = default;
};

struct ForkStep {
  std::string at;
  bool operator==(const ForkStep&) const = default;
};

/// What is set stays set; what is absent stays as it was.
struct ConfigureStep {
  std::optional<std::vector<std::string>> active;
  std::optional<std::string> model;
  std::optional<std::string> thinking;
  std::optional<std::string> execution;
  std::optional<std::string> steering;
  std::optional<std::string> follow_up;
  std::optional<bool> has_ui;
  Trigger when;
  bool operator==(const ConfigureStep&) const = default;
};

/// `replaces`: the step is `replace`, which needs an installed extension of that name.
struct InstallStep {
  ExtensionScript extension;
  bool replaces = false;
  bool operator==(const InstallStep&) const = default;
};

struct UninstallStep {
  std::string name;
  bool operator==(const UninstallStep&) const = default;
};

/// Somebody else changes the workspace between two runs.
struct WriteStep {
  FileScript file;
  Trigger when;
  bool operator==(const WriteStep&) const = default;
};

/// Virtual time passes.
struct WaitStep {
  std::int64_t ms = 0;
  bool operator==(const WaitStep&) const = default;
};

using Action = std::variant<ModelStep, InputStep, AbortStep, CrashStep, ResumeStep, ReloadStep,
                            NewSessionStep, NavigateStep, ForkStep, ConfigureStep, InstallStep,
                            UninstallStep, WriteStep, WaitStep>;

/// Model steps are taken by the tracks; the others happen in order. One without `when` starts when
/// all before it are done and the engine is idle; one with `when` starts on its event, and its
/// pattern is armed when the step before it has started. Steps in a row with equal patterns start
/// on one event.
struct Step {
  Action action;
  Place place;
  bool operator==(const Step&) const = default;
};

/// user, steer, follow_up, model, abort, ...: as written in the file.
std::string_view name_of(const Step& step);

// ------------------------------------------------------------------ variants

/// Further runs for relation rules. `permute`: edits, calls, extensions, files, or empty.
struct Variants {
  std::string permute;
  std::vector<std::string> without_extension;
  std::vector<std::int64_t> seeds;
  std::vector<Trigger> crash_at;
  std::vector<std::string> execution;
  Place place;
  bool operator==(const Variants&) const = default;
};

// ------------------------------------------------------------------ expectations

/// All given parts must hold.
struct TextMatch {
  std::optional<std::string> equals;
  std::vector<std::string> contains;
  std::vector<std::string> lacks;
  std::optional<std::string> starts;
  std::optional<std::string> ends;
  bool operator==(const TextMatch&) const = default;
};

/// A file when the run has settled. `is_same`: as at the start.
struct FileExpectation {
  std::string path;
  bool is_absent = false;
  bool is_same = false;
  std::optional<std::string> bytes;  ///< Exactly these (text or base64).
  TextMatch text;
  std::optional<std::string> link;
  std::optional<std::int64_t> mode;
  Place place;
  bool operator==(const FileExpectation&) const = default;
};

/// The result of a call. `details`, `structured`: members that must be there with these values;
/// others may be.
struct ResultExpectation {
  std::string call;
  std::optional<bool> is_error;
  std::string cause;  ///< Of call_outcome; empty: any.
  std::optional<bool> ran;
  std::optional<bool> terminate;
  TextMatch text;
  std::optional<Json> details;
  std::optional<Json> structured;
  std::optional<std::vector<std::string>> added_tools;
  Place place;
  bool operator==(const ResultExpectation&) const = default;
};

/// Request `n` of the run, from 1. `text`: of the whole request as JSON text; `tools`: the declared
/// names in order; `roles`: of the messages.
struct RequestExpectation {
  std::int64_t n = 0;
  TextMatch text;
  TextMatch system;
  std::optional<std::vector<std::string>> tools;
  std::optional<std::vector<std::string>> roles;
  Place place;
  bool operator==(const RequestExpectation&) const = default;
};

/// `form`: order (patterns match in this order), count (each `patterns[i]` matches `counts[i]`
/// events), never, once.
struct EventExpectation {
  enum class Form : std::uint8_t { order, count, never, once };
  Form form = Form::order;
  std::vector<Trigger> patterns;
  std::vector<std::int64_t> counts;
  Place place;
  bool operator==(const EventExpectation&) const = default;
};

struct Expectations {
  std::vector<FileExpectation> files;
  std::vector<ResultExpectation> results;
  std::optional<std::int64_t> request_count;
  Place request_count_place;
  std::vector<RequestExpectation> requests;
  std::vector<EventExpectation> events;
  std::vector<std::string> llm_errors;  ///< Codes that the script is meant to provoke.
  std::vector<Place> llm_error_places;  ///< Parallel to `llm_errors`.
  std::optional<std::string> settled;   ///< done, aborted, error.
  Place settled_place;
  bool operator==(const Expectations&) const = default;
};

/// Something in a script that waits, so that a run that gets stuck can name its place. `kind`:
/// latch, event, abort, ask. `name`: of the latch, the event's pattern, or the dialog's title.
struct WaitScript {
  std::string kind;
  std::string name;
  Place place;
  bool operator==(const WaitScript&) const = default;
};

struct Scenario {
  std::string file;  ///< As given to the loader.
  std::string title;
  std::vector<RuleReference> rules;
  std::vector<std::string> pains;  ///< Known troubles that it shows: "P11" (scenarios/README.md).
  Edition edition = Edition::seed;
  std::string engine = "session";     ///< session, durable.
  std::vector<std::string> subjects;  ///< Empty: all.
  std::vector<FileScript> files;
  Settings settings;
  ToolSettings tools;
  std::vector<FaultScript> faults;
  std::vector<ProcessScript> processes;
  std::vector<UiScript> ui;
  std::vector<ExtensionScript> extensions;
  std::vector<Step> steps;
  std::optional<Variants> variants;
  Expectations expect;
  std::vector<WaitScript> waits;

  bool operator==(const Scenario&) const = default;
};

/// Where the file of a hosted extension is: below the scenario's own folder.
std::string hosted_file(const std::string& scenario_file, const std::string& hosted);

/// Compiles a scripted tool (`is_tool`) or extension as the run will. Errors: with the JSON Pointer
/// of the bad place as `where`.
using DefinitionCheck = std::function<Result<void>(const Json& definition, bool is_tool)>;

/// Reads and checks one file. Errors: all that were found, in the order of the file. What
/// `compiles` refuses is located too; empty: scripts are checked by their shape only.
Checked<Scenario> load_scenario(const std::string& path, const Catalogue& catalogue,
                                const DefinitionCheck& compiles = {});

/// The same for text at hand; `file` only names it in errors.
Checked<Scenario> parse_scenario(std::string_view text, const std::string& file,
                                 const Catalogue& catalogue, const DefinitionCheck& compiles = {});

}  // namespace plumb::simulator
