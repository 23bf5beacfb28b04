// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "base/result.h"
#include "framework/pod_info.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace berth::framework {

// The kinds of object whose changes can make a waiting pod schedulable.
enum class EventResource : uint8_t {
  Pod,
  AssignedPod,       // a Pod that has a node; matches registrations on Pod
  UnschedulablePod,  // the waiting pod itself; matches registrations on Pod
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  CsiNode,
  CsiDriver,
  VolumeAttachment,
  CsiStorageCapacity,
  StorageClass,
  ResourceClaim,
  ResourceSlice,
  DeviceClass,
  PodGroup,
  Custom,  // a kind that Berth has no type for: ClusterEvent::kind names it
  WildCard,
};

// What happened to it: bits, so that a plugin registers for several at once. Numbered as upstream.
enum ActionType : uint32_t {
  kAdd = 1U << 0U,
  kDelete = 1U << 1U,
  kUpdateNodeAllocatable = 1U << 2U,
  kUpdateNodeLabel = 1U << 3U,
  kUpdateNodeTaint = 1U << 4U,
  kUpdateNodeCondition = 1U << 5U,
  kUpdateNodeAnnotation = 1U << 6U,
  kUpdateNodeDeclaredFeature = 1U << 7U,
  kUpdatePodLabel = 1U << 8U,
  kUpdatePodScaleDown = 1U << 9U,
  kUpdatePodToleration = 1U << 10U,
  kUpdatePodSchedulingGatesEliminated = 1U << 11U,
  kUpdatePodGeneratedResourceClaim = 1U << 12U,
  kUpdate = 0x1ffcU,
  kAll = 0x1fffU,
};

struct ClusterEvent {
  EventResource resource = EventResource::WildCard;
  uint32_t actions = kAll;     // of custom kinds: kAdd, kUpdate and kDelete
  std::string_view kind = {};  // with Custom: "Tenant.example.com"; not owned, so a plugin uses a constant
};

enum class QueueingHint : uint8_t { QueueSkip, Queue };

// Says whether a change from `before` to `after` (either may be null) can make the rejected pod schedulable.
// An error counts as Queue. Called for every waiting pod at every such change, on the engine thread: what follows from
// the pod's spec is taken from its traits, not computed again.
using QueueingHintFn =
    std::function<Result<QueueingHint>(const PodInfo& pod, const api::Object* before, const api::Object* after)>;

// Finds the few pods worth asking among the many that wait. Whenever the hint says Queue, or fails, the change offers
// one of the keys that the pod needs; the other way round need not hold, so a hash makes a good key.
struct HintKeys {
  // Appends what the pod needs, or says false: then it is asked at every change. Reads of the pod what by_template
  // allows, and nothing that changes while it waits.
  std::function<bool(const PodInfo& pod, std::vector<uint64_t>& keys)> needed;
  // Appends what the change offers, or says false: then every pod is asked.
  std::function<bool(const api::Object* before, const api::Object* after, std::vector<uint64_t>& keys)> offered;

  // Whether the pod is to be asked about the change: for one of each, where no index is worth it.
  bool MayHelp(const PodInfo& pod, const api::Object* before, const api::Object* after) const {
    std::vector<uint64_t> need;
    std::vector<uint64_t> offer;
    if (!needed(pod, need) || !offered(before, after, offer)) return true;
    return std::find_first_of(need.begin(), need.end(), offer.begin(), offer.end()) != need.end();
  }
};

struct ClusterEventWithHint {
  ClusterEvent event;
  QueueingHintFn hint;  // none means Queue
  // The hint reads nothing of the pod but its namespace, labels and spec, so pods of one template share one answer.
  bool by_template = false;
  std::shared_ptr<const HintKeys> keys = nullptr;  // none means that every pod is asked; only for hints by template
};

}  // namespace berth::framework
