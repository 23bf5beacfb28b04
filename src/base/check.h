// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace berth {

// Prints the failed condition with its location and aborts: for states that only a bug in Berth can produce.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);

}  // namespace berth

#define BERTH_CHECK(condition)                              \
  do {                                                      \
    if (!(condition)) [[unlikely]] {                        \
      ::berth::CheckFailed(__FILE__, __LINE__, #condition); \
    }                                                       \
  } while (false)
