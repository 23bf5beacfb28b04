// SPDX-License-Identifier: Apache-2.0
#include "remote/remembered_verdicts.h"

#include <algorithm>

namespace berth::remote {

uint32_t RememberedClass::NumberOf(const framework::Status& rejection) {
  const auto [known, is_new] = numbers_.try_emplace({rejection.code(), rejection.reasons()}, 0);
  if (is_new) {
    reasons.push_back(rejection);
    known->second = static_cast<uint32_t>(reasons.size());
  }
  return known->second;
}

void RememberedClass::ForgetVerdicts() {
  verdicts = {};
  reasons.clear();
  numbers_.clear();
}

RememberedClass* RememberedVerdicts::Find(uint64_t session, const wire::Welcome& welcome,
                                          const framework::PodInfo& pod) {
  if (welcome.dependence() != wire::CLASS_AND_NODE && welcome.dependence() != wire::CLASS_AND_NODE_OBJECT) {
    return nullptr;
  }
  if (session_ != session) {
    session_ = session;
    by_object_ = welcome.dependence() == wire::CLASS_AND_NODE_OBJECT;
    classes_.clear();
  }
  auto found = std::ranges::find(classes_, pod.pod_class, &RememberedClass::pod_class);
  if (found == classes_.end()) {
    if (classes_.size() < kClasses) {
      found = classes_.emplace(classes_.end());
    } else {
      found = std::ranges::min_element(classes_, {}, &RememberedClass::used);
      *found = {};
    }
    found->pod_class = pod.pod_class;
  }
  found->used = ++uses_;
  return &*found;
}

std::span<const uint64_t> RememberedVerdicts::Stamps(const framework::ClusterView& cluster) {
  const std::span<const uint64_t> rows = cluster.row_version();
  if (!by_object_) return rows;
  seen_rows_.resize(rows.size(), ~uint64_t{0});
  objects_.resize(rows.size());
  object_stamps_.resize(rows.size(), 0);
  cluster.live_nodes().ForEach([&](size_t id) {
    if (seen_rows_[id] == rows[id]) return;
    seen_rows_[id] = rows[id];
    const api::NodePtr& node = cluster.node(static_cast<framework::NodeId>(id)).node;
    if (objects_[id] == node) return;
    objects_[id] = node;
    object_stamps_[id] = ++last_stamp_;
  });
  return object_stamps_;
}

}  // namespace berth::remote
