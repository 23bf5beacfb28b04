// SPDX-License-Identifier: Apache-2.0
#include "runtime/profile.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::runtime {

using framework::ExtensionPoint;
using framework::PluginInstance;
using framework::Status;

Result<std::unique_ptr<Profile>> Profile::Build(config::ProfilePlan plan, const framework::Registry& registry,
                                                const Services& services) {
  std::unique_ptr<Profile> profile(new Profile(std::move(plan), services));
  for (const ExtensionPoint point : framework::kExtensionPoints) {
    for (const config::PlannedPlugin& planned : profile->plan_.at(point)) {
      auto at = std::find_if(profile->plugins_.begin(), profile->plugins_.end(),
                             [&](const Plugin& plugin) { return plugin.name == planned.name; });
      if (at == profile->plugins_.end()) {
        const framework::PluginEntry* entry = registry.Find(planned.name);
        if (entry == nullptr) {
          return NotFoundError(fmt::format("{}Plugin \"{}\" does not exist", PointName(point), planned.name));
        }
        const auto args = profile->plan_.args.find(planned.name);
        Result<PluginInstance> instance =
            entry->make(args == profile->plan_.args.end() ? nullptr : args->second.get(), *profile);
        if (!instance) {
          return InvalidError(fmt::format("initializing plugin \"{}\": {}", planned.name, instance.error().message));
        }
        profile->plugins_.push_back({planned.name, std::move(*instance)});
        at = profile->plugins_.end() - 1;
      }
      profile->points_[static_cast<size_t>(point)].push_back(static_cast<uint32_t>(at - profile->plugins_.begin()));
      if (point == ExtensionPoint::Score) profile->weights_.push_back(planned.weight);
    }
  }
  profile->FindEvaluationCounters();
  return profile;
}

std::vector<std::string_view> Profile::PluginsAt(ExtensionPoint point) const {
  std::vector<std::string_view> names;
  for (const uint32_t index : At(point)) names.emplace_back(plugins_[index].name);
  return names;
}

size_t Profile::IndexOf(std::string_view plugin) const {
  const auto it = std::find_if(plugins_.begin(), plugins_.end(), [&](const Plugin& p) { return p.name == plugin; });
  return static_cast<size_t>(it - plugins_.begin());
}

const PluginInstance* Profile::FindPlugin(std::string_view name) const {
  const size_t index = IndexOf(name);
  return index == plugins_.size() ? nullptr : &plugins_[index].instance;
}

Status Profile::RunPreEnqueue(const api::Pod& pod) const {
  for (const uint32_t index : At(ExtensionPoint::PreEnqueue)) {
    Status status = plugins_[index].instance.pre_enqueue->PreEnqueue(pod);
    if (!status.ok()) return status.By(plugins_[index].name);
  }
  return Status::Success();
}

bool Profile::QueueSortLess(const framework::QueuedPodInfo& a, const framework::QueuedPodInfo& b) const {
  const auto& sorters = At(ExtensionPoint::QueueSort);
  return !sorters.empty() && plugins_[sorters.front()].instance.queue_sort->Less(a, b);
}

}  // namespace berth::runtime
