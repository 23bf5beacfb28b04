// SPDX-License-Identifier: Apache-2.0
#include "scheduler/pod_infos.h"

#include <cstddef>
#include <functional>

namespace berth::scheduler {

using framework::PodInfo;
using framework::PodInfoPtr;

PodInfoPtr PodInfos::InfoOf(const api::PodPtr& pod, const PodInfo* known) {
  if (known != nullptr && known->pod->spec == pod->spec && known->pod->status == pod->status) {
    return std::make_shared<const PodInfo>(PodInfo{pod, known->traits});
  }
  const size_t place = std::hash<const void*>()(pod->spec.get()) / alignof(std::max_align_t) % latest_.size();
  KnownTraits& shared = latest_[place];
  if (shared.spec == pod->spec && shared.status == pod->status && shared.namespace_ == pod->meta.namespace_) {
    return std::make_shared<const PodInfo>(PodInfo{pod, shared.traits});
  }
  PodInfoPtr info = framework::MakePodInfo(pod, names_, rules_);
  // Most of what a status tells has no part in the traits: equal ones stay one object, by which pods of a template are
  // known.
  const bool is_alike = shared.spec == pod->spec && shared.namespace_ == pod->meta.namespace_;
  if (is_alike && *shared.traits == *info->traits) {
    info = std::make_shared<const PodInfo>(PodInfo{pod, shared.traits});
  }
  shared = {pod->spec, pod->status, pod->meta.namespace_, info->traits};
  return info;
}

}  // namespace berth::scheduler
