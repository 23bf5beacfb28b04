// SPDX-License-Identifier: Apache-2.0
#include "plugins/gang_scheduling/gang_scheduling.h"

namespace berth::plugins {
namespace {

using namespace framework;

class GangScheduling final : public PreEnqueuePlugin, public PermitPlugin, public EnqueueExtensions {
 public:
  Status PreEnqueue(const api::Pod&) const override { return Status::Success(); }
  PermitResult Permit(CycleState&, const PodInfo&, std::string_view) override { return {}; }
  std::vector<ClusterEventWithHint> EventsToRegister() const override { return {}; }
};

}  // namespace

PluginEntry GangSchedulingEntry() { return Entry<GangScheduling>(kGangScheduling); }

}  // namespace berth::plugins
