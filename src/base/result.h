// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/check.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace berth {

// Why an operation failed. A plugin's verdict on a node is not an error: see framework/status.h.
enum class ErrorCode {
  NotFound,
  AlreadyExists,
  Conflict,
  Invalid,
  Unavailable,
  Timeout,
  Canceled,
  Internal,
  Expired,  // the history asked for is gone
  TooNew,   // the history asked for does not exist yet
  Fenced,   // the lease the operation depends on is no longer held
  Unknown,  // it may or may not have happened
};

// A failed operation. The message says what was tried, on what, and why it failed; no trailing period.
struct Error {
  ErrorCode code = ErrorCode::Internal;
  std::string message;
};

inline Error InvalidError(std::string message) { return {ErrorCode::Invalid, std::move(message)}; }
inline Error NotFoundError(std::string message) { return {ErrorCode::NotFound, std::move(message)}; }

// A value, or the Error explaining why there is none. Has only the members of std::expected that Berth uses; g++ 12
// offers <expected> in C++23 mode only.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return Checked(); }
  const T& value() const& { return const_cast<Result*>(this)->Checked(); }
  T&& value() && { return std::move(Checked()); }
  T& operator*() & { return Checked(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(Checked()); }
  T* operator->() { return &Checked(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& {
    BERTH_CHECK(!has_value());
    return std::get<1>(state_);
  }
  Error&& error() && {
    BERTH_CHECK(!has_value());
    return std::get<1>(std::move(state_));
  }

 private:
  T& Checked() {
    BERTH_CHECK(has_value());
    return std::get<0>(state_);
  }
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  const Error& error() const {
    BERTH_CHECK(error_.has_value());
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace berth

#define BERTH_CONCAT_INNER(a, b) a##b
#define BERTH_CONCAT(a, b) BERTH_CONCAT_INNER(a, b)

// Returns the error of a Result from the enclosing function.
#define BERTH_RETURN_IF_ERROR(expr)                              \
  do {                                                           \
    if (auto berth_result = (expr); !berth_result.has_value()) { \
      return ::berth::Error(std::move(berth_result).error());    \
    }                                                            \
  } while (false)

// Declares or assigns `lhs` from a Result, or returns its error from the enclosing function.
#define BERTH_ASSIGN_OR_RETURN(lhs, expr) BERTH_ASSIGN_OR_RETURN_IMPL(BERTH_CONCAT(berth_result_, __LINE__), lhs, expr)
#define BERTH_ASSIGN_OR_RETURN_IMPL(tmp, lhs, expr) \
  auto tmp = (expr);                                \
  if (!tmp.has_value()) {                           \
    return ::berth::Error(std::move(tmp).error());  \
  }                                                 \
  lhs = std::move(tmp).value()
