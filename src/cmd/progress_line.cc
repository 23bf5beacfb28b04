// SPDX-License-Identifier: Apache-2.0
#include "cmd/progress_line.h"

#include "api/time_text.h"

#include <ostream>

#include <fmt/format.h>

namespace berth::cmd {
namespace {

constexpr std::chrono::milliseconds kFirst(500);
constexpr std::chrono::milliseconds kPause(200);
constexpr std::string_view kWipe = "\r\x1b[K";

}  // namespace

ProgressLine::ProgressLine(std::ostream* terminal)
    : terminal_(terminal), next_(std::chrono::steady_clock::now() + kFirst) {}

ProgressLine::~ProgressLine() {
  if (shown_) *terminal_ << kWipe << std::flush;
}

void ProgressLine::Show(const simulator::RunProgress& progress) {
  if (terminal_ == nullptr) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kPause;
  shown_ = true;
  const std::string share = progress.share > 0 ? fmt::format("{:3.0f}%  ", 100 * progress.share) : "";
  *terminal_ << kWipe
             << fmt::format("{}{}  {} decisions, {} pods running, {} pending", share, api::ToRfc3339(progress.now),
                            progress.decisions, progress.running, progress.pending)
             << std::flush;
}

}  // namespace berth::cmd
