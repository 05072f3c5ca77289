// SPDX-License-Identifier: Apache-2.0
// The one error type of the project, and the two macros that exist: PLUMB_TRY (return the error to
// the caller) and PLUMB_ASSERT (a bug of ours: print and abort, in every build, never on input).
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <expected>
#include <string>
#include <utility>

namespace plumb {

/// Why an operation failed. A new code only if some caller acts on it; codes are never renumbered.
enum class ErrorCode : std::uint8_t {
  invalid,     ///< Input that cannot be read or does not fit (exit code 4).
  not_found,   ///< ENOENT, ENOTDIR.
  permission,  ///< EACCES, EPERM.
  exists,      ///< EEXIST.
  io,          ///< Any other file or process error, a full disk included.
  timeout,
  aborted,
  rejected,       ///< A well-formed request that a rule forbids.
  protocol,       ///< A script or a peer broke the agreed protocol.
  exhausted,      ///< A limit was reached.
  is_directory,   ///< EISDIR.
  not_directory,  ///< ENOTDIR where a folder was needed.
  loop,           ///< ELOOP.
  stuck,          ///< A fiber that nothing can wake any more.
};

/// `where` is "file:line:col" of the user's input, or empty.
struct Error {
  ErrorCode code = ErrorCode::invalid;
  std::string message;
  std::string where;

  bool operator==(const Error&) const = default;
};

template <class T>
using Result = std::expected<T, Error>;

/// An error as the unexpected value of any Result.
inline std::unexpected<Error> fail(ErrorCode code, std::string message, std::string where = {}) {
  return std::unexpected(Error{code, std::move(message), std::move(where)});
}

[[noreturn]] inline void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace plumb

// NOLINTBEGIN(cppcoreguidelines-macro-usage, bugprone-macro-parentheses)
#define PLUMB_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::plumb::assertion_failed(#condition, __FILE__, __LINE__))

#define PLUMB_CONCAT_INNER(a, b) a##b
#define PLUMB_CONCAT(a, b) PLUMB_CONCAT_INNER(a, b)

/// PLUMB_TRY(auto value, expression): binds the value, or returns the error. One a line.
#define PLUMB_TRY(declaration, expression)                                            \
  auto PLUMB_CONCAT(plumb_result_, __LINE__) = (expression);                          \
  if (!PLUMB_CONCAT(plumb_result_, __LINE__))                                         \
    return std::unexpected(std::move(PLUMB_CONCAT(plumb_result_, __LINE__)).error()); \
  declaration = *std::move(PLUMB_CONCAT(plumb_result_, __LINE__))

/// PLUMB_TRY for coroutines: co_returns the error. Await into a variable first.
#define PLUMB_CO_TRY(declaration, expression)                                            \
  auto PLUMB_CONCAT(plumb_result_, __LINE__) = (expression);                             \
  if (!PLUMB_CONCAT(plumb_result_, __LINE__))                                            \
    co_return std::unexpected(std::move(PLUMB_CONCAT(plumb_result_, __LINE__)).error()); \
  declaration = *std::move(PLUMB_CONCAT(plumb_result_, __LINE__))
// NOLINTEND(cppcoreguidelines-macro-usage, bugprone-macro-parentheses)
