// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/report_text.h"
#include "simulator/run/run_report.h"
#include "text/style.h"

#include <string>

namespace berth::simulator {

// The outcome of a scenario as tables: pods by workload, the timeline, utilisation, why pods waited, and what happened
// to nodes. Wide lists every pending pod and every node event.
std::string RunReportText(const RunReport& report, const text::Style& style);

}  // namespace berth::simulator
