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

bool IsCounted(std::string_view name) {
  return name == api::kResourceCpu || name == api::kResourceMemory || name == api::kResourceEphemeralStorage ||
         api::IsScalarResource(name);
}

// Whether some resource the pod asks for satisfies `test(name)`.
template <typename Test>
bool AnyRequested(const api::ResourceList& requests, Test&& test) {
  return std::any_of(requests.begin(), requests.end(), [&](const auto& request) {
    return !request.second.IsZero() && IsCounted(request.first) && test(request.first);
  });
}

Result<QueueingHint> AfterPodChange(const api::Pod& pod, const api::Object* before, const api::Object* after) {
  const api::Pod* old_pod = ObjectAs<api::Pod>(before);
  const api::Pod* new_pod = ObjectAs<api::Pod>(after);
  if (new_pod == nullptr) {
    // A pod that neither ran nor was promised a node frees nothing by going.
    const bool held_room =
        old_pod != nullptr && !(old_pod->node_name.empty() && old_pod->status->nominated_node_name.empty());
    return held_room ? QueueingHint::Queue : QueueingHint::QueueSkip;
  }
  if (PodUid(*new_pod) == PodUid(pod)) return QueueingHint::Queue;
  if (new_pod->node_name.empty() || old_pod == nullptr) return QueueingHint::QueueSkip;
  const api::ResourceList held = PodRequests(*old_pod, {.use_status = true});
  const api::ResourceList holds = PodRequests(*new_pod, {.use_status = true});
  const bool frees = AnyRequested(PodRequests(pod, {.use_status = true}),
                                  [&](std::string_view name) { return AmountOf(held, name) > AmountOf(holds, name); });
  return frees ? QueueingHint::Queue : QueueingHint::QueueSkip;
}

Result<QueueingHint> AfterNodeChange(const api::Pod& pod, const api::Object* before, const api::Object* after) {
  const api::Node* old_node = ObjectAs<api::Node>(before);
  const api::Node* new_node = ObjectAs<api::Node>(after);
  if (new_node == nullptr) return QueueingHint::QueueSkip;
  const api::ResourceList requests = PodRequests(pod, {});
  const int64_t pods_allowed = AmountOf(new_node->allocatable, api::kResourcePods);
  const bool too_small = pods_allowed < 1 || AnyRequested(requests, [&](std::string_view name) {
                           return AmountOf(requests, name) > AmountOf(new_node->allocatable, name);
                         });
  if (too_small) return QueueingHint::QueueSkip;
  if (old_node == nullptr) return QueueingHint::Queue;
  const bool grew = pods_allowed > AmountOf(old_node->allocatable, api::kResourcePods) ||
                    AnyRequested(requests, [&](std::string_view name) {
                      return AmountOf(new_node->allocatable, name) > AmountOf(old_node->allocatable, name);
                    });
  return grew ? QueueingHint::Queue : QueueingHint::QueueSkip;
}

}  // namespace

std::vector<ClusterEventWithHint> FitEvents() {
  // Device classes are registered as upstream registers them; without a reader for them every one counts.
  return {{{EventResource::Pod, kDelete | kUpdatePodScaleDown}, AfterPodChange},
          {{EventResource::Node, kAdd | kUpdateNodeAllocatable}, AfterNodeChange},
          {{EventResource::DeviceClass, kAdd | kUpdate}, nullptr}};
}

}  // namespace berth::plugins
