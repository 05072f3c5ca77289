// SPDX-License-Identifier: Apache-2.0
#include "engine/values/ecma_pattern.h"

#include <algorithm>
#include <array>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace plumb {

namespace {

constexpr std::uint32_t kPatternDepthMax = 20'000;

using PatternCode = std::unique_ptr<pcre2_code, void (*)(pcre2_code*)>;
using PatternContext = std::unique_ptr<pcre2_match_context, void (*)(pcre2_match_context*)>;
using PatternMatch = std::unique_ptr<pcre2_match_data, void (*)(pcre2_match_data*)>;

PCRE2_SPTR pattern_bytes(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());  // PCRE2 reads bytes as unsigned char.
}

std::string pattern_error_text(int code) {
  std::array<PCRE2_UCHAR, 256> buffer{};
  const int length = pcre2_get_error_message(code, buffer.data(), buffer.size());
  return {buffer.begin(), buffer.begin() + std::max(length, 0)};
}

std::int64_t source_offset(const TranslatedPattern& pattern, std::int64_t translated_offset) {
  const auto after = std::ranges::upper_bound(pattern.tokens, translated_offset, {},
                                              &TranslatedPattern::Token::translated_offset);
  return after == pattern.tokens.begin() ? 0 : std::prev(after)->source_offset;
}

Result<PatternCode> compile_translated(const TranslatedPattern& pattern) {
  constexpr std::uint32_t kOptions =
      PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_MATCH_UNSET_BACKREF | PCRE2_NEVER_BACKSLASH_C;
  int error = 0;
  PCRE2_SIZE offset = 0;
  PatternCode code(pcre2_compile(pattern_bytes(pattern.text), pattern.text.size(), kOptions, &error,
                                 &offset, nullptr),
                   pcre2_code_free);
  if (code == nullptr) {
    const auto where = source_offset(pattern, static_cast<std::int64_t>(offset));
    return fail(ErrorCode::rejected,
                "offset " + std::to_string(where) + ": " + pattern_error_text(error));
  }
  // Without JIT the interpreter runs: slower, same answers.
  static_cast<void>(pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE));
  return code;
}

PatternContext limited_context() {
  PatternContext context(pcre2_match_context_create(nullptr), pcre2_match_context_free);
  PLUMB_ASSERT(context != nullptr);
  pcre2_set_match_limit(context.get(), kPatternStepsMax);
  pcre2_set_depth_limit(context.get(), kPatternDepthMax);
  return context;
}

bool is_pattern_limit(int code) {
  return code == PCRE2_ERROR_MATCHLIMIT || code == PCRE2_ERROR_DEPTHLIMIT ||
         code == PCRE2_ERROR_HEAPLIMIT || code == PCRE2_ERROR_JIT_STACKLIMIT;
}

}  // namespace

struct EcmaPattern::Program {
  std::string source;
  PatternCode code{nullptr, pcre2_code_free};
  PatternContext context = limited_context();

  int match(std::string_view text, std::uint32_t options) const {
    const PatternMatch data(pcre2_match_data_create(1, nullptr), pcre2_match_data_free);
    PLUMB_ASSERT(data != nullptr);
    return pcre2_match(code.get(), pattern_bytes(text), text.size(), 0, options, data.get(),
                       context.get());
  }
};

EcmaPattern::EcmaPattern(std::unique_ptr<const Program> program) : program_(std::move(program)) {}
EcmaPattern::EcmaPattern(EcmaPattern&&) noexcept = default;
EcmaPattern& EcmaPattern::operator=(EcmaPattern&&) noexcept = default;
EcmaPattern::~EcmaPattern() = default;

Result<EcmaPattern> EcmaPattern::compile(std::string_view source) {
  auto translated = translate_pattern(source);
  auto compiled =
      translated ? compile_translated(*translated) : std::unexpected(translated.error());
  if (!compiled) {
    return fail(ErrorCode::rejected,
                "invalid pattern '" + std::string(source) + "': " + compiled.error().message);
  }
  auto program = std::make_unique<Program>();
  program->source = source;
  program->code = *std::move(compiled);
  return EcmaPattern(std::move(program));
}

Result<bool> EcmaPattern::search(std::string_view text) const {
  int code = program_->match(text, 0);
  // The compiled form has a small stack of its own; the interpreter takes longer texts.
  if (code == PCRE2_ERROR_JIT_STACKLIMIT) code = program_->match(text, PCRE2_NO_JIT);
  if (code >= 0) return true;
  if (code == PCRE2_ERROR_NOMATCH) return false;
  const std::string pattern = "pattern '" + program_->source + "'";
  if (is_pattern_limit(code)) {
    return fail(ErrorCode::exhausted, pattern + " needs too many steps on this text");
  }
  return fail(ErrorCode::invalid, pattern + " cannot be searched: " + pattern_error_text(code));
}

const std::string& EcmaPattern::source() const {
  return program_->source;
}

}  // namespace plumb
