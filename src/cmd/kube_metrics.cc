// SPDX-License-Identifier: Apache-2.0
#include "cmd/kube_metrics.h"

#include "cmd/metric_label_flags.h"
#include "features/known_gates.h"

#include <map>
#include <string_view>

namespace berth::cmd {
namespace {

std::string_view StageLabel(features::Stage stage) {
  switch (stage) {
    case features::Stage::Alpha: return "ALPHA";
    case features::Stage::Beta: return "BETA";
    case features::Stage::Deprecated: return "DEPRECATED";
    case features::Stage::PreAlpha: return "PREALPHA";
    case features::Stage::GA: break;
  }
  return "";
}

}  // namespace

std::vector<metrics::FeatureState> FeatureStatesOf(const features::FeatureGates& gates) {
  std::vector<metrics::FeatureState> states;
  for (const features::GateState& gate : gates.All()) {
    states.push_back({std::string(gate.name), std::string(StageLabel(gate.stage)), gate.on});
  }
  return states;
}

Result<metrics::ExpositionFilter> ExpositionFilterOf(const MetricsFlags& flags) {
  using Labels = std::map<std::string, std::string>;
  BERTH_ASSIGN_OR_RETURN(const Labels allowed, AllowedMetricLabels(flags));
  return metrics::ExpositionFilter(flags.disabled_metrics, allowed);
}

}  // namespace berth::cmd
