// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"
#include "base/recency_list.h"
#include "base/string_map.h"
#include "framework/node_info.h"
#include "framework/pod_info.h"
#include "remote/objects_writer.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace berth::remote {

// The pods that a plugin has been told of, with the numbers they have there. Pods on nodes stay; of the others those
// that were not mentioned for the longest time are forgotten. One thread.
class ToldPods {
 public:
  using Id = uint64_t;
  static constexpr size_t kMostPending = 65'536;

  // `most_pending`: how many pods that are on no node are remembered.
  explicit ToldPods(size_t most_pending = kMostPending) : most_pending_(most_pending) {}

  struct Pod {
    Id id = 0;
    api::PodPtr object;
    framework::PodClassPtr pod_class;             // null when the pod is known without it
    framework::NodeId node = framework::kNoNode;  // it was told to be on
  };

  // The pod's number; it is told, or told anew, unless it was told as it is. What is told of a pod on a node is the
  // node's business.
  Id Mention(const framework::PodInfo& pod, ObjectsWriter& out) { return Mention(pod.pod, pod.pod_class, out); }
  // The same for a pod that is lent for now, and whose class is not known.
  Id Mention(const api::Pod& pod, ObjectsWriter& out);
  // Tells a pod on a node anew, if there is anything new to tell; says whether there was.
  bool Renew(const framework::PodInfo& pod, ObjectsWriter& out);

  // The node that the mentioned pod was told to be on; kNoNode when on none.
  framework::NodeId NodeOf(const framework::PodInfo& pod) const {
    return pods_[slot_of_uid_.at(framework::PodUid(*pod.pod))].node;
  }
  // The pod must have been mentioned.
  void Place(const framework::PodInfo& pod, framework::NodeId node, ObjectsWriter& out);
  // Does nothing when it is known to be elsewhere by now.
  void Unplace(const framework::PodInfo& pod, framework::NodeId node, ObjectsWriter& out);

  // Null when no pod has that number, or it is forgotten.
  const Pod* Find(Id id) const;
  size_t size() const { return slot_of_uid_.size(); }

 private:
  using Slot = uint32_t;
  struct ClassNumber {
    uint64_t number = 0;
    size_t pods = 0;
  };

  Id Mention(const api::PodPtr& pod, const framework::PodClassPtr& pod_class, ObjectsWriter& out);
  Slot SlotOf(std::string_view uid);
  void Tell(Slot slot, const api::PodPtr& pod, const framework::PodClassPtr& pod_class, ObjectsWriter& out);
  uint64_t EnterClass(const framework::PodClassPtr& pod_class);
  void LeaveClass(const framework::PodClassPtr& pod_class);
  void ForgetOldest(ObjectsWriter& out);

  const size_t most_pending_;
  std::vector<Pod> pods_;  // by slot
  std::vector<Slot> free_;
  std::unordered_map<std::string_view, Slot> slot_of_uid_;  // by the uid inside the pod
  std::unordered_map<Id, Slot> slot_of_id_;
  RecencyList pending_;
  size_t pending_count_ = 0;
  std::unordered_map<const framework::PodClass*, ClassNumber> classes_;
  Id last_id_ = 0;
  uint64_t last_class_ = 0;
};

}  // namespace berth::remote
