// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/string_map.h"
#include "framework/status.h"
#include "framework/waiting_pods.h"

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace berth::runtime {

// The pods that Permit plugins hold back, and the verdicts that arrive for them. Thread-safe: a pod is added by the
// engine, waited for on the binding pool, and allowed or rejected from anywhere.
class WaitingPodTable final : public framework::WaitingPods {
 public:
  // `waits` names the plugins that wait and how long each does. The pod must not be waiting yet.
  void Add(framework::PodInfoPtr pod, const std::map<std::string, Duration>& waits);
  // Blocks until every plugin has allowed the pod, one has rejected it, or the shortest wait is over; then forgets it.
  // Success at once for a pod that does not wait.
  framework::Status Wait(std::string_view pod_uid);

  void ForEach(const std::function<void(framework::WaitingPod&)>& visit) override;
  bool With(std::string_view pod_uid, const std::function<void(framework::WaitingPod&)>& visit) override;

 private:
  class Entry;
  std::shared_ptr<Entry> Find(std::string_view pod_uid);

  std::mutex mutex_;  // guards entries_; never held while an entry's own lock is taken by a caller's visit
  StringMap<std::shared_ptr<Entry>> entries_;
};

}  // namespace berth::runtime
