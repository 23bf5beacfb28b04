// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::text {

enum class Tone : uint8_t { Plain, Good, Bad, Warning, Quiet, Heading };

// Colours text for a terminal, or leaves it unchanged. Meaning never depends on colour alone: words say the same.
class Painter {
 public:
  Painter() = default;
  explicit Painter(bool colour) : colour_(colour) {}
  std::string operator()(Tone tone, std::string_view text) const;

 private:
  bool colour_ = false;
};

}  // namespace berth::text
