// SPDX-License-Identifier: Apache-2.0
#include "plugin_host/permit_table.h"

#include "framework/node_info.h"

#include <optional>

namespace berth::plugin_host {

void PermitTable::Add(const framework::PodInfoPtr& pod, uint64_t pod_id, uint64_t cycle, Duration timeout) {
  const std::string uid(framework::PodUid(*pod->pod));
  Forget(uid);
  {
    const MutexLock lock(mutex_);
    waiting_[uid] = {pod_id, cycle};
  }
  table_.Add(pod, {{plugin_, timeout}});
}

void PermitTable::Forget(std::string_view uid) {
  {
    const MutexLock lock(mutex_);
    const auto it = waiting_.find(uid);
    if (it == waiting_.end()) return;
    waiting_.erase(it);
  }
  table_.With(uid, [](framework::WaitingPod& pod) { pod.Reject("", "the attempt is over"); });
}

void PermitTable::Decided(std::string_view uid) {
  const std::optional<framework::Status> verdict = table_.Take(uid);
  plugin::v1::PluginMessage message;
  {
    const MutexLock lock(mutex_);
    const auto it = waiting_.find(uid);
    if (it == waiting_.end() || !verdict) return;
    plugin::v1::PermitVerdict& told = *message.mutable_permit();
    told.set_pod(it->second.pod);
    told.set_cycle(it->second.cycle);
    told.set_allow(verdict->ok());
    told.set_reason(verdict->Message());
    waiting_.erase(it);
  }
  scheduler_.Send(message);
}

}  // namespace berth::plugin_host
