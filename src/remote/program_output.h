// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace berth::remote {

struct ProgramOutputLimits {
  size_t line_bytes = 2'000;      // what is longer is cut
  size_t lines_per_second = 200;  // what is beyond that is only counted
};

// Makes lines for a log of what a program writes, however much that is.
class ProgramOutput {
 public:
  // `left_out`: so many lines before this one. Empty lines tell only of those.
  using TakeLine = std::function<void(std::string_view line, size_t left_out)>;
  ProgramOutput(const ProgramOutputLimits& limits, TakeLine take) : limits_(limits), take_(std::move(take)) {}

  // `now` is of a clock that never goes back.
  void Take(std::string_view bytes, Duration now);
  // When nothing has come for a while: tells what was left out.
  void Tick(Duration now);
  // In how long Tick has something to tell.
  Duration NextTick(Duration now) const;
  // The rest, which may lack its line break.
  void End(Duration now);

 private:
  void EndLine(Duration now);

  const ProgramOutputLimits limits_;
  const TakeLine take_;
  std::string line_;
  bool is_cut_ = false;
  Duration second_ = {};  // the beginning of the second that lines are counted in
  size_t lines_ = 0;
  size_t left_out_ = 0;
};

}  // namespace berth::remote
