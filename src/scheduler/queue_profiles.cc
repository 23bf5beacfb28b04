// SPDX-License-Identifier: Apache-2.0
#include "scheduler/queue_profiles.h"

#include "framework/extender.h"

#include <algorithm>
#include <string_view>

namespace berth::scheduler {
namespace {

using framework::ClusterEventWithHint;
using framework::EventResource;
using framework::ExtensionPoint;
using framework::PluginInstance;
using Events = std::vector<ClusterEventWithHint>;

// Rejections at other points do not make a pod wait for events. What the plugin can do counts, not where it is enabled.
bool CanKeepPodsWaiting(const PluginInstance& plugin) {
  return plugin.pre_enqueue != nullptr || plugin.pre_filter != nullptr || plugin.filter != nullptr ||
         plugin.reserve != nullptr || plugin.permit != nullptr;
}

// Upstream's list for plugins that do not say: volume attachments, resource slices and pod groups are not in it.
Events EventsOfTheUndecided() {
  Events events;
  for (const EventResource resource :
       {EventResource::Pod, EventResource::Node, EventResource::PersistentVolume, EventResource::PersistentVolumeClaim,
        EventResource::CsiNode, EventResource::CsiDriver, EventResource::CsiStorageCapacity,
        EventResource::StorageClass, EventResource::ResourceClaim, EventResource::DeviceClass}) {
    events.push_back({.event = {resource, framework::kAll}, .hint = {}, .by_template = true});
  }
  return events;
}

bool Registers(const Events& events, framework::ActionType action) {
  return std::ranges::any_of(events, [&](const ClusterEventWithHint& registered) {
    return registered.event.resource == EventResource::Node && (registered.event.actions & action) != 0;
  });
}

Events EventsOf(const PluginInstance& plugin) {
  if (plugin.enqueue_extensions == nullptr) return EventsOfTheUndecided();
  Events events = plugin.enqueue_extensions->EventsToRegister();
  // As upstream: a plugin that registered for new nodes is also told when a node's taints change, because upstream used
  // to ignore new nodes whose taints the pod did not tolerate.
  if (Registers(events, framework::kAdd) && !Registers(events, framework::kUpdateNodeTaint)) {
    events.push_back({.event = {EventResource::Node, framework::kUpdateNodeTaint}, .hint = {}, .by_template = true});
  }
  return events;
}

}  // namespace

queue::QueueProfile QueueProfileOf(const runtime::Profile& profile) {
  queue::QueueProfile result{.scheduler_name = profile.plan().scheduler_name, .plugins = {}};
  const std::vector<std::string_view> gates = profile.plugins().NamesAt(ExtensionPoint::PreEnqueue);
  for (const ExtensionPoint point : framework::kExtensionPoints) {
    for (const std::string_view name : profile.plugins().NamesAt(point)) {
      const PluginInstance& plugin = *profile.plugins().Find(name);
      const bool known =
          std::ranges::any_of(result.plugins, [&](const queue::QueueProfile::Plugin& p) { return p.name == name; });
      if (known || !CanKeepPodsWaiting(plugin)) continue;
      const bool gate = std::ranges::find(gates, name) != gates.end();
      result.plugins.push_back({std::string(name), gate ? plugin.pre_enqueue : nullptr, EventsOf(plugin)});
    }
  }
  return result;
}

std::vector<queue::QueueProfile> QueueProfilesOf(std::span<const std::unique_ptr<runtime::Profile>> profiles,
                                                 bool has_extenders) {
  std::vector<queue::QueueProfile> result;
  for (const auto& profile : profiles) {
    result.push_back(QueueProfileOf(*profile));
    // Nobody knows what would change their minds.
    if (has_extenders) {
      result.back().plugins.push_back({std::string(framework::kExtenderName), nullptr, EventsOfTheUndecided()});
    }
  }
  return result;
}

}  // namespace berth::scheduler
