// SPDX-License-Identifier: Apache-2.0
#include "remote/program_output.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace berth::remote {

void ProgramOutput::Take(std::string_view bytes, Duration now) {
  while (!bytes.empty()) {
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    const size_t count = std::min(end, limits_.line_bytes - std::min(line_.size(), limits_.line_bytes));
    line_ += bytes.substr(0, count);
    is_cut_ = is_cut_ || count < end;
    if (end == bytes.size()) return;
    EndLine(now);
    bytes.remove_prefix(end + 1);
  }
}

void ProgramOutput::Tick(Duration now) {
  if (left_out_ > 0 && now - second_ >= std::chrono::seconds(1)) take_({}, std::exchange(left_out_, 0));
}

Duration ProgramOutput::NextTick(Duration now) const {
  if (left_out_ == 0) return std::chrono::hours(1);
  return std::max<Duration>(second_ + std::chrono::seconds(1) - now, {});
}

void ProgramOutput::End(Duration now) {
  if (!line_.empty()) EndLine(now);
  if (left_out_ > 0) take_({}, std::exchange(left_out_, 0));
}

void ProgramOutput::EndLine(Duration now) {
  if (now - second_ >= std::chrono::seconds(1)) {
    second_ = now;
    lines_ = 0;
  }
  if (++lines_ > limits_.lines_per_second) {
    ++left_out_;
  } else {
    if (line_.ends_with('\r')) line_.pop_back();
    if (is_cut_) line_ += "…";
    if (!line_.empty()) take_(line_, std::exchange(left_out_, 0));
  }
  line_.clear();
  is_cut_ = false;
}

}  // namespace berth::remote
