// SPDX-License-Identifier: Apache-2.0
#include "config/declared_kinds.h"

#include "api/kinds.h"

#include <set>

#include <fmt/format.h>

namespace berth::config {

std::string WhyNoKind(std::string_view kind) {
  if (api::FindKind(kind) != nullptr) return "";
  if (!api::IsCustomKind(kind)) {
    return fmt::format("\"{}\" is no known kind; others are named with their group, as in \"Tenant.example.com\"",
                       kind);
  }
  const size_t dot = kind.find('.');
  const std::string_view name = kind.substr(0, dot);
  const api::KindInfo* known = api::FindKind(name);
  if (known == nullptr || known->group != kind.substr(dot + 1)) return "";
  return fmt::format("\"{}\" is known as \"{}\"", kind, name);
}

Result<std::vector<std::string>> DeclaredKinds(std::span<const ProfilePlan> plans,
                                               const framework::Registry& registry) {
  std::set<std::string> kinds;
  for (const ProfilePlan& plan : plans) {
    for (const std::vector<PlannedPlugin>& point : plan.points) {
      for (const PlannedPlugin& planned : point) {
        const framework::PluginEntry* entry = registry.Find(planned.name);
        if (entry == nullptr) continue;
        for (const std::string& kind : entry->kinds) {
          if (const std::string why = WhyNoKind(kind); !why.empty()) {
            return InvalidError(fmt::format("plugin \"{}\" cannot read what it declares: {}", planned.name, why));
          }
          kinds.insert(kind);
        }
      }
    }
  }
  return std::vector<std::string>(kinds.begin(), kinds.end());
}

Result<std::vector<std::string>> DeclaredCustomKinds(std::span<const ProfilePlan> plans,
                                                     const framework::Registry& registry) {
  BERTH_ASSIGN_OR_RETURN(std::vector<std::string> kinds, DeclaredKinds(plans, registry));
  std::erase_if(kinds, [](const std::string& kind) { return api::FindKind(kind) != nullptr; });
  return kinds;
}

}  // namespace berth::config
