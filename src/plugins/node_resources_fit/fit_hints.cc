// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_resources_fit/fit_hints.h"

#include "framework/event_objects.h"
#include "framework/node_info.h"
#include "framework/pod_info.h"

#include <algorithm>

namespace berth::plugins {
namespace {

using namespace framework;

int64_t AmountOf(const api::ResourceList& list, std::string_view name) {
  const api::Quantity* amount = list.Find(name);
  if (amount == nullptr) return 0;
  return name == api::kResourceCpu ? amount->MilliValue() : amount->Value();
}

// Whether some resource of which `requests` has any satisfies `test(name, amount)`.
template <typename Test>
bool AnyOf(const ResourceAmounts& requests, const ResourceNames& names, Test&& test) {
  const auto passes = [&](std::string_view name, int64_t amount) { return amount != 0 && test(name, amount); };
  return passes(api::kResourceCpu, requests.cpu) || passes(api::kResourceMemory, requests.memory) ||
         passes(api::kResourceEphemeralStorage, requests.ephemeral_storage) ||
         std::any_of(requests.scalars.begin(), requests.scalars.end(),
                     [&](const auto& scalar) { return passes(names.Name(scalar.first), scalar.second); });
}

// A pod that neither ran nor was promised a node frees nothing by going.
Result<QueueingHint> AfterPodDeleted(const PodInfo&, const api::Object* before, const api::Object*) {
  const auto* deleted = ObjectAs<api::Pod>(before);
  if (deleted == nullptr) return QueueingHint::Queue;
  const bool held_room = !deleted->node_name.empty() || !deleted->status->nominated_node_name.empty();
  return held_room ? QueueingHint::Queue : QueueingHint::QueueSkip;
}

Result<QueueingHint> AfterPodScaledDown(const ResourceNames& names, const PodRules& rules, const PodInfo& pod,
                                        const api::Pod* old_pod, const api::Pod* new_pod) {
  if (old_pod == nullptr || new_pod == nullptr) return QueueingHint::Queue;
  if (PodUid(*new_pod) == PodUid(*pod)) return QueueingHint::Queue;
  if (new_pod->node_name.empty()) return QueueingHint::QueueSkip;
  const PodRequestOptions options{.use_status = true, .skip_pod_status = !rules.resizes_at_pod_level};
  const api::ResourceList held = PodRequests(*old_pod, options);
  const api::ResourceList holds = PodRequests(*new_pod, options);
  const bool frees = AnyOf(pod.traits->requests, names, [&](std::string_view name, int64_t) {
    return AmountOf(held, name) > AmountOf(holds, name);
  });
  return frees ? QueueingHint::Queue : QueueingHint::QueueSkip;
}

Result<QueueingHint> AfterNodeChange(const ResourceNames& names, const PodInfo& pod, const api::Node* old_node,
                                     const api::Node* new_node) {
  if (new_node == nullptr) return QueueingHint::QueueSkip;
  const ResourceAmounts& requests = pod.traits->spec_requests;
  const int64_t pods_allowed = AmountOf(new_node->allocatable, api::kResourcePods);
  const bool too_small = pods_allowed < 1 || AnyOf(requests, names, [&](std::string_view name, int64_t amount) {
                           return amount > AmountOf(new_node->allocatable, name);
                         });
  if (too_small) return QueueingHint::QueueSkip;
  if (old_node == nullptr) return QueueingHint::Queue;
  const bool grew = pods_allowed > AmountOf(old_node->allocatable, api::kResourcePods) ||
                    AnyOf(requests, names, [&](std::string_view name, int64_t) {
                      return AmountOf(new_node->allocatable, name) > AmountOf(old_node->allocatable, name);
                    });
  return grew ? QueueingHint::Queue : QueueingHint::QueueSkip;
}

}  // namespace

std::vector<ClusterEventWithHint> FitEvents(const ResourceNames& names, const PodRules& rules) {
  // Device classes are registered as upstream registers them; without a reader for them every one counts.
  std::vector<ClusterEventWithHint> events = {
      {{EventResource::Pod, kDelete}, AfterPodDeleted, /*by_template=*/true},
      {{EventResource::Node, kAdd | kUpdateNodeAllocatable},
       [&names](const PodInfo& pod, const api::Object* before, const api::Object* after) {
         return AfterNodeChange(names, pod, ObjectAs<api::Node>(before), ObjectAs<api::Node>(after));
       },
       /*by_template=*/true},
      {{EventResource::DeviceClass, kAdd | kUpdate}, nullptr, /*by_template=*/true}};
  if (!rules.resizes) return events;
  events.insert(events.begin() + 1,
                {{EventResource::Pod, kUpdatePodScaleDown},
                 [&names, rules](const PodInfo& pod, const api::Object* before, const api::Object* after) {
                   return AfterPodScaledDown(names, rules, pod, ObjectAs<api::Pod>(before), ObjectAs<api::Pod>(after));
                 }});
  return events;
}

}  // namespace berth::plugins
