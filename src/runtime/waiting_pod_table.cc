// SPDX-License-Identifier: Apache-2.0
#include "runtime/waiting_pod_table.h"

#include "config/go_duration.h"
#include "framework/node_info.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace berth::runtime {

using framework::PodInfo;
using framework::PodInfoPtr;
using framework::Status;
using framework::WaitingPod;

class WaitingPodTable::Entry final : public WaitingPod {
 public:
  Entry(PodInfoPtr pod, const std::map<std::string, Duration>& waits) : pod_(std::move(pod)) {
    const auto now = std::chrono::steady_clock::now();
    for (const auto& [plugin, timeout] : waits) deadlines_[plugin] = {now + timeout, timeout};
  }

  const PodInfo& pod() const override { return *pod_; }

  std::vector<std::string> pending_plugins() const override {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> plugins;
    for (const auto& [plugin, deadline] : deadlines_) plugins.push_back(plugin);
    return plugins;
  }

  void Allow(std::string_view plugin) override {
    const std::lock_guard lock(mutex_);
    if (const auto it = deadlines_.find(plugin); it != deadlines_.end()) deadlines_.erase(it);
    if (deadlines_.empty() && !verdict_) verdict_ = Status::Success();
    changed_.notify_all();
  }

  void Reject(std::string_view plugin, std::string message) override {
    const std::lock_guard lock(mutex_);
    if (!verdict_) verdict_ = Status::Unschedulable(std::move(message)).By(plugin);
    changed_.notify_all();
  }

  Status Wait() {
    std::unique_lock lock(mutex_);
    while (!verdict_) {
      const auto first = std::min_element(deadlines_.begin(), deadlines_.end(),
                                          [](const auto& a, const auto& b) { return a.second.at < b.second.at; });
      const std::string plugin = first->first;
      const Deadline deadline = first->second;
      if (changed_.wait_until(lock, deadline.at) == std::cv_status::timeout && !verdict_) {
        verdict_ = Status::Unschedulable(fmt::format("rejected due to timeout after waiting {} at plugin {}",
                                                     config::FormatGoDuration(deadline.timeout), plugin))
                       .By(plugin);
      }
    }
    return *verdict_;
  }

 private:
  struct Deadline {
    std::chrono::steady_clock::time_point at;
    Duration timeout;
  };
  const PodInfoPtr pod_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::map<std::string, Deadline, std::less<>> deadlines_;
  std::optional<Status> verdict_;
};

void WaitingPodTable::Add(PodInfoPtr pod, const std::map<std::string, Duration>& waits) {
  std::string uid(framework::PodUid(*pod->pod));
  auto entry = std::make_shared<Entry>(std::move(pod), waits);
  const std::lock_guard lock(mutex_);
  BERTH_CHECK(entries_.emplace(std::move(uid), std::move(entry)).second);
}

Status WaitingPodTable::Wait(std::string_view pod_uid) {
  const std::shared_ptr<Entry> entry = Find(pod_uid);
  if (entry == nullptr) return Status::Success();
  Status verdict = entry->Wait();
  const std::lock_guard lock(mutex_);
  entries_.erase(entries_.find(pod_uid));
  return verdict;
}

void WaitingPodTable::ForEach(const std::function<void(WaitingPod&)>& visit) {
  std::vector<std::shared_ptr<Entry>> entries;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [uid, entry] : entries_) entries.push_back(entry);
  }
  for (const auto& entry : entries) visit(*entry);
}

bool WaitingPodTable::With(std::string_view pod_uid, const std::function<void(WaitingPod&)>& visit) {
  const std::shared_ptr<Entry> entry = Find(pod_uid);
  if (entry == nullptr) return false;
  visit(*entry);
  return true;
}

std::shared_ptr<WaitingPodTable::Entry> WaitingPodTable::Find(std::string_view pod_uid) {
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(pod_uid);
  return it == entries_.end() ? nullptr : it->second;
}

}  // namespace berth::runtime
