// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "explain/painter.h"
#include "simulator/placement_run.h"

#include <string>

namespace berth::simulator {

struct ReportStyle {
  explain::Painter paint;
  size_t width = 100;
  bool wide = false;  // adds scores, feasible nodes and the use of every node
};

// The report as tables: placements, evictions, pods that stay pending and why, and what is requested of the cluster.
std::string ReportText(const PlacementReport& report, const ReportStyle& style);

}  // namespace berth::simulator
