// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/mutex.h"
#include "base/string_map.h"
#include "framework/status.h"
#include "framework/waiting_pods.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::runtime {

// The pods that Permit plugins hold back, and the verdicts that arrive for them. Nobody waits in here: a verdict is
// announced, and whoever owns the pod takes it.
//
// Thread-safe: a pod is added, taken and timed out by the engine, and allowed or rejected from anywhere. Lock order:
// the table's lock before an entry's; neither is held while a visitor or the listener runs.
class WaitingPodTable final : public framework::WaitingPods {
 public:
  // Told the pod's uid once, when its verdict is there; on the thread that gave it, or inside Expire.
  using Listener = std::function<void(std::string_view pod_uid)>;

  explicit WaitingPodTable(const Clock& clock, Listener listener = nullptr)
      : clock_(&clock), listener_(std::move(listener)) {}

  // `waits` names the plugins that wait and how long each does. The pod must not be waiting yet.
  void Add(framework::PodInfoPtr pod, const std::map<std::string, Duration>& waits);
  // The verdict, if there is one; the pod is then forgotten. Success for a pod that does not wait.
  std::optional<framework::Status> Take(std::string_view pod_uid);
  // Rejects the pods whose shortest wait is over.
  void Expire();
  // Expire has nothing to do before; none when no pod waits.
  std::optional<Timestamp> NextExpiry() const;
  size_t size() const;

  void ForEach(const std::function<void(framework::WaitingPod&)>& visit) override;
  bool With(std::string_view pod_uid, const std::function<void(framework::WaitingPod&)>& visit) override;

 private:
  class Entry;
  std::shared_ptr<Entry> Find(std::string_view pod_uid) const;
  // Looks at the clock. When it was set back, every wait goes on as if it had not been.
  Timestamp Now() BERTH_REQUIRES(mutex_);

  const Clock* clock_;
  const Listener listener_;
  mutable Mutex mutex_;
  StringMap<std::shared_ptr<Entry>> entries_ BERTH_GUARDED_BY(mutex_);
  // When each pod's shortest wait ends at the earliest: looked at again when it is due.
  std::multimap<Timestamp, std::weak_ptr<Entry>> expiries_ BERTH_GUARDED_BY(mutex_);
  Timestamp last_seen_ BERTH_GUARDED_BY(mutex_) = Timestamp::min();
};

}  // namespace berth::runtime
