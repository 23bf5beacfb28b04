// SPDX-License-Identifier: Apache-2.0
#include "plugin_check/plugin_report.h"

#include <algorithm>
#include <utility>

namespace berth::plugin_check {

void PluginReport::Note(std::string_view rule, std::string example) {
  const auto known = std::find_if(findings.begin(), findings.end(), [&](const auto& one) { return one.rule == rule; });
  if (known != findings.end()) {
    ++known->count;
    return;
  }
  findings.push_back({rule, 1, std::move(example)});
}

void Include(std::optional<Spread>& spread, int64_t score) {
  if (!spread) spread = Spread{score, score};
  spread->lowest = std::min(spread->lowest, score);
  spread->highest = std::max(spread->highest, score);
}

}  // namespace berth::plugin_check
