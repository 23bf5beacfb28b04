// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/mutex.h"
#include "framework/binding_work.h"
#include "framework/status.h"
#include "plugin_host/scheduler_end.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace berth::plugin_host {

// PreBind or Bind of one pod: the scheduler's calls become wakes of the plugin. Patches and bindings are the
// scheduler's work and go into the answers; other work is done here, and the scheduler is told when it is done.
//
// Call is for the session's thread.
class HostedBinding {
 public:
  // Calls the plugin's PreBind or Bind.
  using Step = std::function<framework::BindingProgress(const framework::Wake& wake, framework::BindWork& work)>;

  HostedBinding(const Clock& clock, SchedulerEnd& scheduler);
  // Asks its threads to stop, and waits for them.
  ~HostedBinding();
  HostedBinding(const HostedBinding&) = delete;
  HostedBinding& operator=(const HostedBinding&) = delete;

  plugin::v1::BindingAnswer Call(uint64_t call_id, const plugin::v1::BindingCall& call, const Step& step);

 private:
  class Work;
  // Done here, and not told the plugin yet. Outlived by nothing: threads and other processes may still hold it.
  struct Local {
    Mutex mutex;
    std::vector<std::pair<framework::WorkTicket, Result<std::string>>> done BERTH_GUARDED_BY(mutex);
    size_t under_way BERTH_GUARDED_BY(mutex) = 0;
    uint64_t waiting_call BERTH_GUARDED_BY(mutex) = 0;          // was answered with `will_wake`; 0 when none was
    SchedulerEnd* scheduler BERTH_GUARDED_BY(mutex) = nullptr;  // null when the attempt is over

    void Finish(framework::WorkTicket ticket, Result<std::string> answer) BERTH_EXCLUDES(mutex);
  };

  framework::Wake WakeFor(const plugin::v1::BindingCall& call) const;
  void DescribeProgress(plugin::v1::BindingAnswer& answer) const;

  const Clock& clock_;
  framework::BindingProgress progress_ = framework::BindingProgress::Wait();  // what the plugin said last
  framework::WorkTicket last_ticket_ = 0;
  std::vector<framework::WorkTicket> asked_;  // of the scheduler, in order
  std::shared_ptr<Local> local_ = std::make_shared<Local>();
  std::vector<std::jthread> threads_;
};

}  // namespace berth::plugin_host
