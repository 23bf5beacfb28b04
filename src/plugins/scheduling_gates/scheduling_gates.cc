// SPDX-License-Identifier: Apache-2.0
#include "plugins/scheduling_gates/scheduling_gates.h"

#include "framework/event_objects.h"
#include "framework/node_info.h"

#include <fmt/ranges.h>

namespace berth::plugins {
namespace {

using namespace framework;

Result<QueueingHint> AfterGatesEliminated(const PodInfo& pod, const api::Object*, const api::Object* after) {
  const api::Pod* changed = ObjectAs<api::Pod>(after);
  return changed == nullptr || PodUid(*changed) == PodUid(*pod) ? QueueingHint::Queue : QueueingHint::QueueSkip;
}

class SchedulingGates final : public PreEnqueuePlugin, public EnqueueExtensions {
 public:
  Status PreEnqueue(const api::Pod& pod) const override {
    if (pod.spec->scheduling_gates.empty()) return Status::Success();
    return Status::Unresolvable(
        fmt::format("waiting for scheduling gates: [{}]", fmt::join(pod.spec->scheduling_gates, " ")));
  }

  std::vector<ClusterEventWithHint> EventsToRegister() const override {
    return {{{EventResource::Pod, kUpdatePodSchedulingGatesEliminated}, AfterGatesEliminated}};
  }
};

}  // namespace

PluginEntry SchedulingGatesEntry() { return Entry<SchedulingGates>(kSchedulingGates); }

}  // namespace berth::plugins
