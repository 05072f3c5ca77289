// SPDX-License-Identifier: Apache-2.0
// The tables of the form check: operations with their keys, and the closed sets of words.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace plumb::simulator {

/// One operation. `args` and `expect` are field lists, see FieldForm in form.cc. `takes_any`: other
/// arguments are allowed too.
struct OperationForm {
  std::string_view name;
  std::string_view args;
  std::string_view expect;
  bool takes_any = false;
};

std::span<const OperationForm> oracle_operations();
/// The keys that each kind of appended entry needs, as a field list; null for an unknown kind.
const std::string_view* oracle_entry_form(std::string_view type);
std::span<const std::string_view> oracle_entry_types();
std::span<const std::string_view> oracle_classes();
std::span<const std::string_view> oracle_tools();
std::span<const std::string_view> oracle_needs();
std::span<const std::string_view> oracle_editions();
/// What a row can be about, each part of "write+edit".
std::span<const std::string_view> oracle_subjects();
/// The keys that steps and the end of a row can expect, some more than once.
std::vector<std::string_view> oracle_expectations();

/// What comes before the rows. Other keys are for readers.
inline constexpr std::string_view kMetaForm = "meta:bool! schema:count counts:object";
/// The version of the format.
inline constexpr std::int64_t kOracleSchema = 2;
inline constexpr std::string_view kRowForm =
    "id:name! tool:name! group:string! note:string edition:string needs:strings quirk:array "
    "setup:object steps:array! expect:object";
inline constexpr std::string_view kSetupForm =
    "files:array dirs:strings symlinks:array hardlinks:array modes:object uid:uid env:object "
    "home:string agent:string";
inline constexpr std::string_view kFileForm =
    "path:string! mode:mode text:string b64:base64 gen:object extension:object";
inline constexpr std::string_view kExtensionForm =
    "name:string on_trust:any tools:array tools_without_schema:array flags:array commands:array "
    "fail:string message:string fail_before_log:bool async_ms:ms";
inline constexpr std::string_view kLinkForm = "path:string! target:name!";
inline constexpr std::string_view kGeneratedLinesForm =
    "kind:string! n:count! prefix:string width:count pad:string eol:string finalEol:bool";
inline constexpr std::string_view kGeneratedRepeatForm =
    "kind:string! n:count! head:string unit:string! tail:string";
inline constexpr std::string_view kStepForm = "op:string! args:object! at:object expect:object";
inline constexpr std::string_view kQuirkForm = "rule:name! field:string why:string";
inline constexpr std::string_view kOptionsForm =
    "autoResizeImages:bool resizeOptions:object commandPrefix:string "
    "exposeSessionEnvironment:bool spawnHook:object exec:array backend:object";
inline constexpr std::string_view kSpawnHookForm =
    "given:string command:string cwd:string env:object error:object";
inline constexpr std::string_view kExecForm =
    "given:string out:string out_hex:hex after_ms:ms exit:code error:object";
inline constexpr std::string_view kBackendForm =
    "access:object read:object stream:object exists:any glob:any";
inline constexpr std::string_view kBackendOperationForm =
    "error:object text:string chunk_bytes:count";
inline constexpr std::string_view kCapsForm = "maxLines:count maxBytes:count";
inline constexpr std::string_view kJobForm =
    "key:name! hold_ms:ms value:any fail:string nested:object as:name";
inline constexpr std::string_view kErrorForm = "code:string message:string!";
inline constexpr std::string_view kEndForm =
    "files:object files_exact:bool modes:object keys_sorted:strings log:strings log_kinds:strings "
    "before:array never:strings";
inline constexpr std::string_view kFileStateForm =
    "text:string b64:base64 bytes:count sha256:sha256 symlink:string dir:bool missing:bool";
inline constexpr std::string_view kBlockForm =
    "type:string text:any notice:any notice_numbers:strings status_numbers:strings "
    "sortedLines:strings lines_from:any lines:count mimeType:string bytes:count width:count "
    "height:count sameBytesAsFile:bool";
inline constexpr std::string_view kLongTextForm =
    "long:bool! chars:count bytes:count sha256:sha256 head:string tail:string";
inline constexpr std::string_view kUpdatesForm = "exactly:count min:count max:count";
inline constexpr std::string_view kOutputFileForm = "bytes:count lines:count mode:mode";

}  // namespace plumb::simulator
