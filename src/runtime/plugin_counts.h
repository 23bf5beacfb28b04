// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/plugin_metrics.h"
#include "metrics/scheduler_metrics.h"

#include <string_view>

namespace berth::runtime {

// Passes on what plugins count. Any thread.
class PluginCounts final : public framework::PluginMetrics {
 public:
  // `metrics` may be null: then nothing is counted.
  explicit PluginCounts(metrics::SchedulerMetrics* metrics) : metrics_(metrics) {}
  void VolumeStageFailed(std::string_view stage) override {
    if (metrics_ != nullptr) metrics_->VolumeStageError(stage);
  }

 private:
  metrics::SchedulerMetrics* const metrics_;
};

}  // namespace berth::runtime
