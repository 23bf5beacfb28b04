// SPDX-License-Identifier: Apache-2.0
#include "queue/change_events.h"

#include "framework/pod_info.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <type_traits>

namespace berth::queue {
namespace {

using framework::ClusterEvent;
using framework::EventResource;
using Events = std::vector<ClusterEvent>;

// Reasons, messages and times of conditions come and go without meaning.
std::map<std::string_view, std::string_view> ConditionStatuses(const api::Node& node) {
  std::map<std::string_view, std::string_view> statuses;
  for (const api::Condition& condition : node.conditions) statuses[condition.type] = condition.status;
  return statuses;
}

Events NodeUpdate(const api::Node& before, const api::Node& after, const ChangeRules& rules) {
  Events events;
  const auto note = [&](bool changed, framework::ActionType action) {
    if (changed) events.push_back({EventResource::Node, action});
  };
  note(before.unschedulable && !after.unschedulable, framework::kUpdateNodeTaint);
  note(before.allocatable != after.allocatable, framework::kUpdateNodeAllocatable);
  note(before.meta.labels != after.meta.labels, framework::kUpdateNodeLabel);
  note(!api::Unchanged(before.taints, after.taints), framework::kUpdateNodeTaint);
  note(ConditionStatuses(before) != ConditionStatuses(after), framework::kUpdateNodeCondition);
  note(before.meta.annotations != after.meta.annotations, framework::kUpdateNodeAnnotation);
  note(rules.declared_features && before.declared_features != after.declared_features,
       framework::kUpdateNodeDeclaredFeature);
  return events;
}

// Pod-level resources count whatever their gate says, as upstream counts them here.
bool AsksForLess(const api::Pod& before, const api::Pod& after, const ChangeRules& rules) {
  const framework::PodRequestOptions options{.use_status = rules.resizes,
                                             .skip_pod_status = !rules.resizes_at_pod_level};
  const api::ResourceList old_requests = framework::PodRequests(before, options);
  const api::ResourceList new_requests = framework::PodRequests(after, options);
  return std::ranges::any_of(old_requests, [&](const auto& entry) {
    const api::Quantity* amount = new_requests.Find(entry.first);
    return amount == nullptr || entry.second.MilliValue() > amount->MilliValue();
  });
}

bool SameGeneratedClaims(const api::Pod& before, const api::Pod& after) {
  const auto& a = before.status->generated_claims;
  const auto& b = after.status->generated_claims;
  return a == nullptr || b == nullptr ? a == b : *a == *b;
}

Events PodUpdate(const api::Pod& before, const api::Pod& after, const ChangeRules& rules) {
  Events events;
  const EventResource resource = after.node_name.empty() ? EventResource::UnschedulablePod : EventResource::AssignedPod;
  const auto note = [&](bool changed, framework::ActionType action) {
    if (changed) events.push_back({resource, action});
  };
  const api::PodSpec& old_spec = *before.spec;
  const api::PodSpec& new_spec = *after.spec;
  note(before.meta.labels != after.meta.labels, framework::kUpdatePodLabel);
  note(AsksForLess(before, after, rules), framework::kUpdatePodScaleDown);
  note(!old_spec.scheduling_gates.empty() && new_spec.scheduling_gates.empty(),
       framework::kUpdatePodSchedulingGatesEliminated);
  // Tolerations can only be added.
  note(old_spec.tolerations.size() != new_spec.tolerations.size(), framework::kUpdatePodToleration);
  note(rules.generated_claims && !SameGeneratedClaims(before, after), framework::kUpdatePodGeneratedResourceClaim);
  // Wakes only those who registered for every update of pods.
  if (events.empty()) events.push_back({resource, framework::kUpdate});
  return events;
}

Events PodEvents(const api::Pod* before, const api::Pod* after, const ChangeRules& rules) {
  const bool was_assigned = before != nullptr && !before->node_name.empty();
  const bool is_assigned = after != nullptr && !after->node_name.empty();
  if (before != nullptr && after != nullptr && was_assigned == is_assigned) return PodUpdate(*before, *after, rules);
  if (is_assigned) return {{EventResource::AssignedPod, framework::kAdd}};
  if (was_assigned) return {{EventResource::AssignedPod, framework::kDelete}};
  return {};
}

// None for kinds whose changes wake nobody.
template <typename T>
constexpr std::optional<EventResource> kResourceOf = std::nullopt;
template <>
constexpr std::optional<EventResource> kResourceOf<api::Pod> = EventResource::Pod;
template <>
constexpr std::optional<EventResource> kResourceOf<api::Node> = EventResource::Node;
template <>
constexpr std::optional<EventResource> kResourceOf<api::PersistentVolume> = EventResource::PersistentVolume;
template <>
constexpr std::optional<EventResource> kResourceOf<api::PersistentVolumeClaim> = EventResource::PersistentVolumeClaim;
template <>
constexpr std::optional<EventResource> kResourceOf<api::CsiNode> = EventResource::CsiNode;
template <>
constexpr std::optional<EventResource> kResourceOf<api::CsiDriver> = EventResource::CsiDriver;
template <>
constexpr std::optional<EventResource> kResourceOf<api::VolumeAttachment> = EventResource::VolumeAttachment;
template <>
constexpr std::optional<EventResource> kResourceOf<api::CsiStorageCapacity> = EventResource::CsiStorageCapacity;
template <>
constexpr std::optional<EventResource> kResourceOf<api::StorageClass> = EventResource::StorageClass;
template <>
constexpr std::optional<EventResource> kResourceOf<api::CustomObject> = EventResource::Custom;

std::optional<EventResource> ResourceOf(const api::Object& object) {
  return std::visit([]<typename T>(const std::shared_ptr<const T>&) { return kResourceOf<T>; }, object);
}

template <typename T>
const T* As(const api::Object* object) {
  return object == nullptr ? nullptr : std::get<std::shared_ptr<const T>>(*object).get();
}

Events CustomEvents(const api::CustomObject* before, const api::CustomObject* after) {
  const framework::ActionType action =
      before == nullptr ? framework::kAdd : (after == nullptr ? framework::kDelete : framework::kUpdate);
  return {{EventResource::Custom, action, (after != nullptr ? after : before)->kind}};
}

std::string_view Name(EventResource resource) {
  // In the order of the enumeration.
  static constexpr std::array<std::string_view, 17> kNames = {
      "Pod",
      "AssignedPod",
      "UnschedulablePod",
      "Node",
      "PersistentVolume",
      "PersistentVolumeClaim",
      "storage.k8s.io/CSINode",
      "storage.k8s.io/CSIDriver",
      "storage.k8s.io/VolumeAttachment",
      "storage.k8s.io/CSIStorageCapacity",
      "storage.k8s.io/StorageClass",
      "resource.k8s.io/ResourceClaim",
      "resource.k8s.io/ResourceSlice",
      "resource.k8s.io/DeviceClass",
      "scheduling.k8s.io/PodGroup",
      "",  // a custom kind has its own name
      "*",
  };
  static_assert(static_cast<size_t>(EventResource::WildCard) + 1 == kNames.size());
  return kNames.at(static_cast<size_t>(resource));
}

// Empty for a mixture that no single change is.
std::string_view Name(uint32_t actions) {
  switch (actions) {
    case framework::kAdd: return "Add";
    case framework::kDelete: return "Delete";
    case framework::kUpdateNodeAllocatable: return "UpdateNodeAllocatable";
    case framework::kUpdateNodeLabel: return "UpdateNodeLabel";
    case framework::kUpdateNodeTaint: return "UpdateNodeTaint";
    case framework::kUpdateNodeCondition: return "UpdateNodeCondition";
    case framework::kUpdateNodeAnnotation: return "UpdateNodeAnnotation";
    case framework::kUpdateNodeDeclaredFeature: return "UpdateNodeDeclaredFeature";
    case framework::kUpdatePodLabel: return "UpdatePodLabel";
    case framework::kUpdatePodScaleDown: return "UpdatePodScaleDown";
    case framework::kUpdatePodToleration: return "UpdatePodToleration";
    case framework::kUpdatePodSchedulingGatesEliminated: return "UpdatePodSchedulingGatesEliminated";
    case framework::kUpdatePodGeneratedResourceClaim: return "UpdatePodGeneratedResourceClaim";
    case framework::kUpdate: return "Update";
    case framework::kAll: return "All";
    default: return "";
  }
}

}  // namespace

std::vector<ClusterEvent> EventsOf(const api::Object* before, const api::Object* after, const ChangeRules& rules) {
  if (before == nullptr && after == nullptr) return {};
  const std::optional<EventResource> resource = ResourceOf(after != nullptr ? *after : *before);
  if (!resource) return {};
  if (*resource == EventResource::Pod) return PodEvents(As<api::Pod>(before), As<api::Pod>(after), rules);
  if (*resource == EventResource::Custom) {
    return CustomEvents(As<api::CustomObject>(before), As<api::CustomObject>(after));
  }
  if (before == nullptr) return {{*resource, framework::kAdd}};
  if (after == nullptr) return {{*resource, framework::kDelete}};
  if (*resource == EventResource::Node) return NodeUpdate(*As<api::Node>(before), *As<api::Node>(after), rules);
  return {{*resource, framework::kUpdate}};
}

bool IsPodUpdated(const api::Pod& before, const api::Pod& after) {
  const api::ObjectMeta& a = before.meta;
  const api::ObjectMeta& b = after.meta;
  return before.spec != after.spec || before.node_name != after.node_name || a.labels != b.labels ||
         a.annotations != b.annotations || a.owners != b.owners || a.deleted != b.deleted ||
         !SameGeneratedClaims(before, after);
}

std::string_view KindOf(const ClusterEvent& event) {
  switch (event.resource) {
    case EventResource::Custom: return event.kind;
    case EventResource::AssignedPod:
    case EventResource::UnschedulablePod: return api::KindOf<api::Pod>();
    default: break;
  }
  std::string_view kind;
  [&]<typename... Ts>(std::type_identity<api::AnyOf<Ts...>>) {
    const auto look_at = [&]<typename T>(std::type_identity<T>) {
      if constexpr (!std::is_same_v<T, api::CustomObject>) {
        if (kResourceOf<T> == event.resource) kind = api::KindOf<T>();
      }
    };
    (look_at(std::type_identity<Ts>()), ...);
  }(std::type_identity<api::Object>());
  return kind;
}

bool Matches(const ClusterEvent& registered, const ClusterEvent& incoming) {
  const bool any_resource = registered.resource == EventResource::WildCard;
  if (any_resource && registered.actions == framework::kAll) return true;
  const bool pods = registered.resource == EventResource::Pod && (incoming.resource == EventResource::AssignedPod ||
                                                                  incoming.resource == EventResource::UnschedulablePod);
  if (!any_resource && !pods && registered.resource != incoming.resource) return false;
  if (registered.resource == EventResource::Custom && registered.kind != incoming.kind) return false;
  // Comparing the sets of bits as numbers keeps a general update from those who registered for special ones only. It
  // is upstream's rule, also where it is odd: a set of low bits never sees a higher one.
  return (registered.actions & incoming.actions) != 0 && incoming.actions <= registered.actions;
}

std::string Label(const ClusterEvent& event) {
  const std::string_view resource = event.resource == EventResource::Custom ? event.kind : Name(event.resource);
  return std::string(resource).append(Name(event.actions));
}

}  // namespace berth::queue
