// SPDX-License-Identifier: Apache-2.0
#include "runtime/waiting_pod_table.h"

#include "config/fields/go_duration.h"
#include "framework/node_info.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::runtime {

using framework::PodInfo;
using framework::PodInfoPtr;
using framework::Status;
using framework::WaitingPod;

class WaitingPodTable::Entry final : public WaitingPod {
 public:
  Entry(PodInfoPtr pod, const std::map<std::string, Duration>& waits, Timestamp now, const Listener& listener)
      : pod_(std::move(pod)), listener_(listener) {
    for (const auto& [plugin, timeout] : waits) deadlines_[plugin] = {now + timeout, timeout};
  }

  const PodInfo& pod() const override { return *pod_; }

  std::vector<std::string> pending_plugins() const override {
    const MutexLock lock(mutex_);
    std::vector<std::string> plugins;
    for (const auto& [plugin, deadline] : deadlines_) plugins.push_back(plugin);
    return plugins;
  }

  void Allow(std::string_view plugin) override {
    {
      const MutexLock lock(mutex_);
      if (const auto it = deadlines_.find(plugin); it != deadlines_.end()) deadlines_.erase(it);
      if (!deadlines_.empty() || verdict_) return;
      verdict_ = Status::Success();
    }
    Announce();
  }

  void Reject(std::string_view plugin, std::string message) override {
    {
      const MutexLock lock(mutex_);
      if (verdict_) return;
      verdict_ = Status::Unschedulable(std::move(message)).By(plugin);
    }
    Announce();
  }

  bool Preempt(std::string_view plugin, std::string message) override {
    {
      const MutexLock lock(mutex_);
      if (verdict_) return false;
      verdict_ = Status::FromError(std::move(message)).By(plugin);
    }
    Announce();
    return true;
  }

  std::optional<Status> verdict() const {
    const MutexLock lock(mutex_);
    return verdict_;
  }

  // When the shortest wait ends; none once there is a verdict.
  std::optional<Timestamp> expiry() const {
    const MutexLock lock(mutex_);
    if (verdict_ || deadlines_.empty()) return std::nullopt;
    return First()->second.at;
  }

  void MoveBack(Duration by) {
    const MutexLock lock(mutex_);
    for (auto& [plugin, deadline] : deadlines_) deadline.at -= by;
  }

  void Expire(Timestamp now) {
    {
      const MutexLock lock(mutex_);
      if (verdict_ || deadlines_.empty()) return;
      const auto first = First();
      if (first->second.at > now) return;
      verdict_ = Status::Unschedulable(fmt::format("rejected due to timeout after waiting {} at plugin {}",
                                                   config::FormatGoDuration(first->second.timeout), first->first))
                     .By(first->first);
    }
    Announce();
  }

 private:
  struct Deadline {
    Timestamp at;
    Duration timeout;
  };
  using Deadlines = std::map<std::string, Deadline, std::less<>>;

  Deadlines::const_iterator First() const BERTH_REQUIRES(mutex_) {
    return std::min_element(deadlines_.begin(), deadlines_.end(),
                            [](const auto& a, const auto& b) { return a.second.at < b.second.at; });
  }
  void Announce() const BERTH_EXCLUDES(mutex_) {
    if (listener_) listener_(framework::PodUid(*pod_->pod));
  }

  const PodInfoPtr pod_;
  const Listener& listener_;  // the table's, which outlives its entries
  mutable Mutex mutex_;
  Deadlines deadlines_ BERTH_GUARDED_BY(mutex_);
  std::optional<Status> verdict_ BERTH_GUARDED_BY(mutex_);
};

void WaitingPodTable::Add(PodInfoPtr pod, const std::map<std::string, Duration>& waits) {
  std::string uid(framework::PodUid(*pod->pod));
  const MutexLock lock(mutex_);
  auto entry = std::make_shared<Entry>(std::move(pod), waits, Now(), listener_);
  const std::optional<Timestamp> expiry = entry->expiry();
  if (expiry) expiries_.emplace(*expiry, entry);
  BERTH_CHECK(entries_.emplace(std::move(uid), std::move(entry)).second);
}

std::optional<Status> WaitingPodTable::Take(std::string_view pod_uid) {
  const std::shared_ptr<Entry> entry = Find(pod_uid);
  if (entry == nullptr) return Status::Success();
  std::optional<Status> verdict = entry->verdict();
  if (!verdict) return std::nullopt;
  const MutexLock lock(mutex_);
  entries_.erase(entries_.find(pod_uid));
  return verdict;
}

void WaitingPodTable::Expire() {
  Timestamp now;
  std::vector<std::shared_ptr<Entry>> due;
  {
    const MutexLock lock(mutex_);
    now = Now();
    while (!expiries_.empty() && expiries_.begin()->first <= now) {
      if (auto entry = expiries_.begin()->second.lock()) due.push_back(std::move(entry));
      expiries_.erase(expiries_.begin());
    }
  }
  for (const auto& entry : due) {
    entry->Expire(now);
    // The plugin with the shortest wait may have allowed the pod meanwhile: the next one's wait counts.
    if (const std::optional<Timestamp> expiry = entry->expiry()) {
      const MutexLock lock(mutex_);
      expiries_.emplace(*expiry, entry);
    }
  }
}

Timestamp WaitingPodTable::Now() {
  const Timestamp now = clock_->Now();
  if (now < last_seen_) {
    const Duration back = last_seen_ - now;
    std::multimap<Timestamp, std::weak_ptr<Entry>> moved;
    for (auto& [at, waiting] : expiries_) {
      if (const auto entry = waiting.lock()) entry->MoveBack(back);
      moved.emplace(at - back, std::move(waiting));
    }
    expiries_ = std::move(moved);
  }
  last_seen_ = now;
  return now;
}

std::optional<Timestamp> WaitingPodTable::NextExpiry() const {
  const MutexLock lock(mutex_);
  if (expiries_.empty()) return std::nullopt;
  return expiries_.begin()->first;
}

size_t WaitingPodTable::size() const {
  const MutexLock lock(mutex_);
  return entries_.size();
}

void WaitingPodTable::ForEach(const std::function<void(WaitingPod&)>& visit) {
  std::vector<std::shared_ptr<Entry>> entries;
  {
    const MutexLock lock(mutex_);
    for (const auto& [uid, entry] : entries_) entries.push_back(entry);
  }
  // In order of uid, so that what visitors do to several pods happens in one order.
  std::ranges::sort(entries, {}, [](const auto& entry) { return framework::PodUid(*entry->pod().pod); });
  for (const auto& entry : entries) visit(*entry);
}

bool WaitingPodTable::With(std::string_view pod_uid, const std::function<void(WaitingPod&)>& visit) {
  const std::shared_ptr<Entry> entry = Find(pod_uid);
  if (entry == nullptr) return false;
  visit(*entry);
  return true;
}

std::shared_ptr<WaitingPodTable::Entry> WaitingPodTable::Find(std::string_view pod_uid) const {
  const MutexLock lock(mutex_);
  const auto it = entries_.find(pod_uid);
  return it == entries_.end() ? nullptr : it->second;
}

}  // namespace berth::runtime
