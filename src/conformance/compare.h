// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"

#include <string>
#include <vector>

namespace berth::conformance {

// A field in which Berth's decision differs from the golden case; either side may be null.
struct Difference {
  std::string field;
  const api::Value* expected = nullptr;
  const api::Value* actual = nullptr;
};

// Compares field by field. The reasons of a verdict are compared as multisets; everything else must be equal.
std::vector<Difference> Compare(const api::Value& expected, const api::Value& actual);

}  // namespace berth::conformance
