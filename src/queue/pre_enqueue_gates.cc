// SPDX-License-Identifier: Apache-2.0
#include "queue/pre_enqueue_gates.h"

#include <chrono>
#include <string_view>

namespace berth::queue {
namespace {

using framework::Code;

constexpr std::string_view kPreEnqueue = "PreEnqueue";
// One run in ten is measured plugin by plugin.
constexpr uint64_t kMeasuredRuns = 10;

std::chrono::steady_clock::time_point Now() { return std::chrono::steady_clock::now(); }

}  // namespace

PreEnqueueGates::PreEnqueueGates(const std::vector<QueueProfile>& profiles, metrics::SchedulerMetrics* metrics)
    : profiles_(profiles), metrics_(metrics) {
  for (const QueueProfile& profile : profiles) {
    std::vector<size_t>& gates = gates_.emplace_back();
    for (size_t i = 0; i < profile.plugins.size(); ++i) {
      if (profile.plugins[i].pre_enqueue != nullptr) gates.push_back(i);
    }
  }
}

bool PreEnqueueGates::LetPass(QueuedPod& pod) {
  if (metrics_ == nullptr) return AskAll(pod) == Code::Success;
  ++runs_;
  const auto start = Now();
  const Code code = AskAll(pod);
  metrics_->ExtensionPoint(kPreEnqueue, framework::CodeName(code), profiles_[pod.profile].scheduler_name,
                           Now() - start);
  return code == Code::Success;
}

Code PreEnqueueGates::AskAll(QueuedPod& pod) {
  const int16_t gated_last = pod.gating_plugin;
  if (gated_last >= 0) {
    const Code code = Ask(pod, static_cast<size_t>(gated_last));
    if (code != Code::Success) return code;
  }
  for (const size_t plugin : gates_[pod.profile]) {
    if (gated_last >= 0 && plugin == static_cast<size_t>(gated_last)) continue;
    const Code code = Ask(pod, plugin);
    if (code != Code::Success) return code;
  }
  pod.gating_plugin = -1;
  return Code::Success;
}

Code PreEnqueueGates::Ask(QueuedPod& pod, size_t plugin) const {
  const QueueProfile& profile = profiles_[pod.profile];
  const Code code = metrics_ != nullptr && runs_ % kMeasuredRuns == 0
                        ? AskMeasured(pod, plugin)
                        : profile.plugins[plugin].pre_enqueue->PreEnqueue(*pod.pod->pod).code();
  if (code == Code::Success) return code;
  if (metrics_ != nullptr && !pod.rejectors.test(plugin)) {
    metrics_->AddUnschedulable(profile.plugins[plugin].name, profile.scheduler_name, +1);
  }
  pod.rejectors.set(plugin);
  pod.gating_plugin = static_cast<int16_t>(plugin);
  return code;
}

Code PreEnqueueGates::AskMeasured(const QueuedPod& pod, size_t plugin) const {
  const QueueProfile::Plugin& asked = profiles_[pod.profile].plugins[plugin];
  const auto start = Now();
  const Code code = asked.pre_enqueue->PreEnqueue(*pod.pod->pod).code();
  metrics_->PluginRun(asked.name, kPreEnqueue, framework::CodeName(code), Now() - start);
  return code;
}

}  // namespace berth::queue
