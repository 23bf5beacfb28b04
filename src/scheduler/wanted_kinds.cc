// SPDX-License-Identifier: Apache-2.0
#include "scheduler/wanted_kinds.h"

#include "api/object.h"
#include "config/declared_kinds.h"
#include "queue/change_events.h"

#include <cstdint>
#include <set>

#include <fmt/format.h>

namespace berth::scheduler {
namespace {

// What plugins could tell only once they were built.
Result<void> AddKindsOfBuilt(const runtime::ProfilePlugins& plugins, std::set<std::string>& kinds) {
  for (size_t i = 0; i < plugins.size(); ++i) {
    for (const std::string& kind : plugins[i].instance.kinds) {
      if (const std::string why = config::WhyNoKind(kind); !why.empty()) {
        return InvalidError(fmt::format("plugin \"{}\" cannot read what it asks for: {}", plugins[i].name, why));
      }
      kinds.insert(kind);
    }
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> WantedKinds(std::span<const std::unique_ptr<runtime::Profile>> profiles,
                                             const framework::Registry& registry, const queue::SchedulingQueue& queue) {
  std::set<std::string> kinds = {std::string(api::KindOf<api::Pod>()), std::string(api::KindOf<api::Node>())};
  for (uint32_t i = 0; i < profiles.size(); ++i) {
    BERTH_ASSIGN_OR_RETURN(const std::vector<std::string> declared,
                           config::DeclaredKinds(std::span(&profiles[i]->plan(), 1), registry));
    kinds.insert(declared.begin(), declared.end());
    BERTH_RETURN_IF_ERROR(AddKindsOfBuilt(profiles[i]->plugins(), kinds));
    for (const queue::QueueProfile::Plugin& plugin : queue.profile(i).plugins) {
      for (const framework::ClusterEventWithHint& registered : plugin.events) {
        const std::string_view kind = queue::KindOf(registered.event);
        if (kind.empty()) continue;
        if (const std::string why = config::WhyNoKind(kind); !why.empty()) {
          return InvalidError(fmt::format("plugin \"{}\" cannot hear of what it registers for: {}", plugin.name, why));
        }
        if (registered.event.resource == framework::EventResource::Custom && api::FindKind(kind) != nullptr) {
          return InvalidError(fmt::format(
              "plugin \"{}\" registers for events of \"{}\" as a custom kind, which it is not", plugin.name, kind));
        }
        kinds.emplace(kind);
      }
    }
  }
  return std::vector<std::string>(kinds.begin(), kinds.end());
}

}  // namespace berth::scheduler
