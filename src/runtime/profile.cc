// SPDX-License-Identifier: Apache-2.0
#include "runtime/profile.h"

namespace berth::runtime {

using framework::ExtensionPoint;
using framework::Status;

Result<std::unique_ptr<Profile>> Profile::Build(config::ProfilePlan plan, const framework::Registry& registry,
                                                const Services& services) {
  std::unique_ptr<Profile> profile(new Profile(std::move(plan), services));
  BERTH_RETURN_IF_ERROR(profile->plugins_.Build(registry, *profile));
  return profile;
}

framework::PointSet Profile::EnabledAt(std::string_view plugin) const {
  framework::PointSet points;
  for (const ExtensionPoint point : framework::kExtensionPoints) {
    for (const config::PlannedPlugin& planned : plan().at(point)) {
      if (planned.name == plugin) points.Add(point);
    }
  }
  return points;
}

Status Profile::RunPreEnqueue(const api::Pod& pod) const {
  for (const uint32_t index : plugins_.At(ExtensionPoint::PreEnqueue)) {
    Status status = plugins_[index].instance.pre_enqueue->PreEnqueue(pod);
    if (!status.ok()) return status.By(plugins_[index].name);
  }
  return Status::Success();
}

bool Profile::QueueSortLess(const framework::QueuedPodInfo& a, const framework::QueuedPodInfo& b) const {
  const auto& sorters = plugins_.At(ExtensionPoint::QueueSort);
  return !sorters.empty() && plugins_[sorters.front()].instance.queue_sort->Less(a, b);
}

}  // namespace berth::runtime
