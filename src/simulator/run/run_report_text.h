// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/report_text.h"
#include "simulator/run/run_report.h"
#include "text/style.h"

#include <string>

namespace berth::simulator {

// What came of a scenario as tables: pods by workload, the timeline, what was requested, why pods waited, and what
// happened to nodes. Wide tells of every pending pod and every node event.
std::string RunReportText(const RunReport& report, const text::Style& style);

}  // namespace berth::simulator
