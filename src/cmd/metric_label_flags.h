// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "cmd/kube_flags.h"
#include "config/fields/field_errors.h"

#include <map>
#include <string>

namespace berth::cmd {

// What is wrong with the flags about metrics, in kube-scheduler's words. `has_labels`: --allow-metric-labels was given.
config::Messages MetricsFlagsProblems(const MetricsFlags& flags, bool has_labels);

// The values that labels of metrics may have, "metric,label" to "value,value": from the flag, or else from the file
// that the other flag names.
Result<std::map<std::string, std::string>> AllowedMetricLabels(const MetricsFlags& flags);

}  // namespace berth::cmd
