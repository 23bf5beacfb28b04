// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugin_check/plugin_report.h"
#include "text/style.h"

#include <span>
#include <string>

namespace berth::plugin_check {

// The reports as tables. With `style.wide`, every pod and every reason.
std::string ReportText(std::span<const PluginReport> reports, const text::Style& style);

}  // namespace berth::plugin_check
