// SPDX-License-Identifier: Apache-2.0
#include "plugins/pod_topology_spread/default_selector.h"

#include <algorithm>
#include <optional>

namespace berth::plugins::spread {
namespace {

bool ContainsAll(const api::Labels& labels, const api::Labels& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& entry) {
    const std::string* value = labels.Find(entry.first);
    return value != nullptr && *value == entry.second;
  });
}

void Merge(const api::Labels& from, api::Labels& into) {
  for (const auto& [key, value] : from) into.Set(key, value);
}

const std::optional<api::LabelSelector>* SelectorOfController(const api::Pod& pod, const api::OwnerReference& owner,
                                                              const framework::Lister& lister) {
  if (owner.api_version != "apps/v1") return nullptr;
  if (owner.kind == "ReplicaSet") {
    const api::ReplicaSet* set = lister.FindReplicaSet(pod.meta.namespace_, owner.name);
    return set != nullptr ? &set->selector : nullptr;
  }
  if (owner.kind == "StatefulSet") {
    const api::StatefulSet* set = lister.FindStatefulSet(pod.meta.namespace_, owner.name);
    return set != nullptr ? &set->selector : nullptr;
  }
  return nullptr;
}

}  // namespace

api::Selector DefaultSelector(const api::Pod& pod, const framework::Lister& lister) {
  api::Labels wanted;
  for (const api::Service* service : lister.Services(pod.meta.namespace_)) {
    if (ContainsAll(pod.meta.labels, service->selector)) Merge(service->selector, wanted);
  }
  const api::OwnerReference* owner = pod.meta.Controller();
  if (owner == nullptr) return api::Selector::FromLabels(wanted);

  if (owner->api_version == "v1" && owner->kind == "ReplicationController") {
    const api::ReplicationController* controller = lister.FindReplicationController(pod.meta.namespace_, owner->name);
    if (controller != nullptr) Merge(controller->selector, wanted);
    return api::Selector::FromLabels(wanted);
  }

  api::Selector selector = api::Selector::FromLabels(wanted);
  if (const auto* asked = SelectorOfController(pod, *owner, lister)) {
    if (const Result<api::Selector> parsed = api::Selector::From(*asked)) {
      for (const api::Selector::Requirement& requirement : parsed->requirements()) selector.Add(requirement);
    }
  }
  return selector;
}

}  // namespace berth::plugins::spread
