// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "cmd/kube_flags.h"
#include "features/feature_gates.h"
#include "metrics/exposition_filter.h"
#include "metrics/process_metrics.h"

#include <string>
#include <vector>

namespace berth::cmd {

// The gates as kubernetes_feature_enabled tells them.
std::vector<metrics::FeatureState> FeatureStatesOf(const features::FeatureGates& gates);

// What the flags leave out of expositions.
Result<metrics::ExpositionFilter> ExpositionFilterOf(const MetricsFlags& flags);

}  // namespace berth::cmd
