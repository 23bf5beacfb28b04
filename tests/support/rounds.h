// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>

namespace berth::test {

// How many random cases to try: `usual`, times BERTH_TEST_ROUNDS when that is set, for long hunts.
inline uint64_t Rounds(uint64_t usual) {
  const char* factor = std::getenv("BERTH_TEST_ROUNDS");
  return factor == nullptr ? usual : usual * std::strtoull(factor, nullptr, 10);
}

}  // namespace berth::test
