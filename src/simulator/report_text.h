// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/placement_report.h"
#include "text/style.h"

#include <string>

namespace berth::simulator {

// The report as tables: placements, evictions, pods that stay pending and why, and the cluster's utilisation.
std::string ReportText(const PlacementReport& report, const text::Style& style);

}  // namespace berth::simulator
