// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/mutex.h"
#include "base/string_map.h"
#include "framework/pod_info.h"
#include "plugin_host/scheduler_end.h"
#include "runtime/waiting_pod_table.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::plugin_host {

// The pods that the plugin holds back at Permit. What it decides about one is told to the scheduler, which also sees to
// it that no pod waits for too long. Thread-safe.
class PermitTable {
 public:
  PermitTable(std::string plugin, const Clock& clock, SchedulerEnd& scheduler)
      : plugin_(std::move(plugin)),
        scheduler_(scheduler),
        table_(clock, [this](std::string_view uid) { Decided(uid); }) {}

  framework::WaitingPods& pods() { return table_; }
  // The plugin has answered Wait.
  void Add(const framework::PodInfoPtr& pod, uint64_t pod_id, uint64_t cycle, Duration timeout) BERTH_EXCLUDES(mutex_);
  // The attempt is over.
  void Forget(std::string_view uid) BERTH_EXCLUDES(mutex_);

 private:
  struct Waiting {
    uint64_t pod = 0;
    uint64_t cycle = 0;
  };
  void Decided(std::string_view uid) BERTH_EXCLUDES(mutex_);

  const std::string plugin_;
  SchedulerEnd& scheduler_;
  Mutex mutex_;
  StringMap<Waiting> waiting_ BERTH_GUARDED_BY(mutex_);  // by uid: those whose verdict the scheduler wants
  runtime::WaitingPodTable table_;
};

}  // namespace berth::plugin_host
