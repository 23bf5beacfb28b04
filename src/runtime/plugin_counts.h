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
  void RemoteCalled(const RemoteCall& call) override {
    if (metrics_ != nullptr) metrics_->RemoteCall(call.plugin, call.step, call.result, call.took);
  }
  void RemoteState(std::string_view plugin, std::string_view profile, bool connected, bool suspended) override {
    if (metrics_ != nullptr) metrics_->SetRemoteState(plugin, profile, connected, suspended);
  }
  void RemoteBytes(std::string_view plugin, uint64_t sent, uint64_t received) override {
    if (metrics_ != nullptr) metrics_->RemoteBytes(plugin, sent, received);
  }
  void RemoteStray(std::string_view plugin, std::string_view kind) override {
    if (metrics_ != nullptr) metrics_->RemoteStray(plugin, kind);
  }

 private:
  metrics::SchedulerMetrics* const metrics_;
};

}  // namespace berth::runtime
