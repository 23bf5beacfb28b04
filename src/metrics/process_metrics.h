// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/build_info.h"

#include <string>
#include <vector>

namespace berth::metrics {

// A feature gate, in the terms of kubernetes_feature_enabled.
struct FeatureState {
  std::string name;
  std::string stage;  // "ALPHA", "BETA", "DEPRECATED", or empty: generally available
  bool on = false;
};

// What kube-scheduler exposes about its process: process_* as every Prometheus client does, kubernetes_build_info and
// kubernetes_feature_enabled. Nothing is counted; the system is asked each time. Immutable: any thread.
class ProcessMetrics {
 public:
  // `proc` is where procfs is mounted.
  ProcessMetrics(BuildInfo build, std::vector<FeatureState> features, std::string proc = "/proc");

  // Everything in Prometheus' text format.
  std::string Expose() const;

 private:
  const BuildInfo build_;
  const std::vector<FeatureState> features_;
  const std::string proc_;
};

}  // namespace berth::metrics
