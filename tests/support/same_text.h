// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

#include <gtest/gtest.h>

namespace berth::test {

// Whether two long texts are equal; when not, shows only the first lines that differ.
inline testing::AssertionResult SameText(std::string_view expected, std::string_view actual) {
  size_t line = 1;
  while (expected != actual) {
    const std::string_view a = expected.substr(0, expected.find('\n'));
    const std::string_view b = actual.substr(0, actual.find('\n'));
    if (a != b) {
      return testing::AssertionFailure() << "line " << line << " should be\n  " << a << "\nbut is\n  " << b;
    }
    expected.remove_prefix(std::min(expected.size(), a.size() + 1));
    actual.remove_prefix(std::min(actual.size(), b.size() + 1));
    ++line;
  }
  return testing::AssertionSuccess();
}

}  // namespace berth::test
