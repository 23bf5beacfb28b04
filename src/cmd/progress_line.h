// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/run/virtual_run.h"

#include <chrono>
#include <iosfwd>

namespace berth::cmd {

// A progress line on a terminal, overwritten a few times a second and erased at the end. Short runs show nothing.
class ProgressLine {
 public:
  // Null shows nothing.
  explicit ProgressLine(std::ostream* terminal);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void Show(const simulator::RunProgress& progress);

 private:
  std::ostream* terminal_;
  std::chrono::steady_clock::time_point next_;
  bool shown_ = false;
};

}  // namespace berth::cmd
