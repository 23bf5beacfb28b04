// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "framework/registry.h"
#include "log/logger.h"
#include "plugin_host/host_handle.h"
#include "plugin_host/hosted_cycle.h"
#include "plugin_host/scheduler_end.h"
#include "plugin_host/side_work.h"

#include <berth/plugin/v1/plugin.pb.h>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace berth::plugin_host {

// What a program serves.
struct HostedOptions {
  const framework::Registry* registry = nullptr;
  std::string plugin;  // the name in the registry, whatever it is called in the scheduler's configuration
  plugin::v1::Dependence dependence = plugin::v1::ANYTHING;
  // The keys by which a QueueSort plugin's order can be had; without it those of PrioritySort.
  std::function<plugin::v1::SortKey(const framework::PodInfo& pod)> sort_key = {};
  log::Logger log = {};
};

// A plugin of a registry that serves one session: whatever the scheduler asks is answered as the plugin would answer
// in the scheduler. One thread at a time.
class HostedPlugin {
 public:
  // The error says why it cannot serve this session.
  static Result<std::unique_ptr<HostedPlugin>> Make(const plugin::v1::Hello& hello, const HostedOptions& options,
                                                    SchedulerEnd& scheduler);

  plugin::v1::Welcome Welcome() const;
  // Takes changes of the cluster in. When that fails every later call does, too.
  void Take(const plugin::v1::Objects& objects);
  void Take(const plugin::v1::Note& note);
  plugin::v1::Answer AnswerTo(const plugin::v1::Call& call);

 private:
  HostedPlugin(const HostedOptions& options, HostHandle::Options handle, SchedulerEnd& scheduler)
      : options_(options), scheduler_(scheduler), handle_(std::move(handle), scheduler) {}

  // The cycle of the call; one that is forgotten at once where there is none.
  HostedCycle& CycleOf(const plugin::v1::Call& call);
  framework::PodInfoPtr PodOf(uint64_t id) const;
  void EndCycle(uint64_t number);

  // Each fills the answer's step, or its error.
  void Dispatch(const plugin::v1::Call& call, plugin::v1::Answer& answer);
  void PreEnqueue(const plugin::v1::PreEnqueueCall& call, plugin::v1::Answer& answer);
  void SortKeys(const plugin::v1::SortKeyCall& call, plugin::v1::Answer& answer) const;
  void Hint(const plugin::v1::HintCall& call, plugin::v1::Answer& answer) const;
  void AtNode(const plugin::v1::Call& call, plugin::v1::Answer& answer);
  void Permit(const plugin::v1::Call& call, std::string_view node, plugin::v1::Answer& answer);
  void Bind(const plugin::v1::Call& call, plugin::v1::Answer& answer);
  void Unreserve(const plugin::v1::Unreserve& note);
  void PostBind(const plugin::v1::PostBind& note);
  std::string NodeName(uint32_t id) const;  // empty when there is none

  const HostedOptions options_;
  SchedulerEnd& scheduler_;
  HostHandle handle_;
  const framework::PluginEntry* entry_ = nullptr;
  framework::PluginInstance instance_;
  std::vector<framework::ClusterEventWithHint> events_;
  bool pre_filters_ = false;  // the configuration enables it there
  std::string broken_;        // why the mirror is of no use
  std::unordered_map<uint64_t, std::shared_ptr<HostedCycle>> cycles_;
  std::shared_ptr<HostedCycle> passing_cycle_;
  SideWork side_work_;
};

}  // namespace berth::plugin_host
