// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace berth::api {

// An amount as Kubernetes writes it ("1500m", "2Gi", "1e3", "0.5"), held exactly as a count of nanos in 128 bits.
// As upstream, amounts finer than a nano are rounded away from zero when parsed and amounts beyond int64 are capped.
class Quantity {
 public:
  Quantity() = default;
  static Result<Quantity> Parse(std::string_view text);
  static Quantity FromInt(int64_t value);
  static Quantity FromMilli(int64_t milli);

  // The amount in whole units and in thousandths, rounded away from zero, capped to int64.
  int64_t Value() const;
  int64_t MilliValue() const;
  double ToDouble() const;  // the nearest that a double can hold
  bool IsZero() const { return nanos_ == 0; }
  // Rounded away from zero to whole thousandths: the finest that the API server keeps in a resource list.
  Quantity RoundedToMilli() const;

  Quantity operator+(const Quantity& other) const;
  Quantity operator-(const Quantity& other) const;
  std::strong_ordering operator<=>(const Quantity& other) const;
  bool operator==(const Quantity& other) const { return (*this <=> other) == std::strong_ordering::equal; }

  // Canonical decimal text: integer with an SI suffix as Kubernetes prints decimal quantities.
  std::string ToString() const;

 private:
  __extension__ using Int128 = __int128;
  explicit Quantity(Int128 nanos) : nanos_(nanos) {}
  Int128 nanos_ = 0;
};

}  // namespace berth::api
