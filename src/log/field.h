// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

namespace berth::log {

// The name of a cluster object: written as "namespace/name" in text, as an object in JSON.
struct ObjectName {
  std::string_view ns;  // empty for cluster-scoped objects
  std::string_view name;
};

// The value of a field. It borrows its text and allocates nothing, so it must not outlive the logging call.
class Value {
 public:
  using Held = std::variant<std::string_view, bool, int64_t, uint64_t, double, ObjectName>;

  // NOLINTBEGIN(google-explicit-constructor): fields are written as {"key", value}
  Value(std::string_view text) : held_(text) {}
  Value(const std::string& text) : held_(std::string_view(text)) {}
  Value(const char* text) : held_(std::string_view(text)) {}
  Value(ObjectName name) : held_(name) {}
  Value(bool yes) : held_(yes) {}
  Value(double number) : held_(number) {}
  template <std::signed_integral T>
  Value(T number) : held_(int64_t{number}) {}
  template <std::unsigned_integral T>
  Value(T number) : held_(uint64_t{number}) {}
  // NOLINTEND(google-explicit-constructor)

  const Held& held() const { return held_; }

 private:
  Held held_;
};

// Keys are written out unescaped: literals of letters and digits.
struct Field {
  std::string_view key;
  Value value;
};
using Fields = std::initializer_list<Field>;

}  // namespace berth::log
