// SPDX-License-Identifier: Apache-2.0
// Reserve to PostBind: from a chosen node to a bound pod.
#include "base/mutex.h"
#include "runtime/plugin_meter.h"
#include "runtime/profile.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

namespace berth::runtime {

using framework::Code;
using framework::CycleState;
using framework::ExtensionPoint;
using framework::PermitResult;
using framework::PodInfo;
using framework::PreFlightResult;
using framework::Status;

namespace {

constexpr Duration kMaxPermitWait = std::chrono::minutes(15);

// A rejection stays one, by the plugin that gave it; anything else becomes an error that names the step.
Status Failure(std::string_view step, const std::string& plugin, const Status& status) {
  if (status.is_rejected()) return status.By(plugin);
  return Status::FromError(fmt::format("running {} plugin \"{}\": {}", step, plugin, status.Message())).By(plugin);
}

}  // namespace

Status Profile::Reserve(CycleState& state, const PodInfo& pod, std::string_view node) const {
  const PluginMeter meter = MeterFor(state, "Reserve");
  for (const uint32_t index : At(ExtensionPoint::Reserve)) {
    Status status =
        meter.Run(plugins_[index].name, [&] { return plugins_[index].instance.reserve->Reserve(state, pod, node); });
    if (!status.ok()) return Failure("Reserve", plugins_[index].name, status);
  }
  return Status::Success();
}

void Profile::Unreserve(CycleState& state, const PodInfo& pod, std::string_view node) const {
  const auto& plugins = At(ExtensionPoint::Reserve);
  const PluginMeter meter = MeterFor(state, "Unreserve");
  for (auto it = plugins.rbegin(); it != plugins.rend(); ++it) {
    meter.Run(plugins_[*it].name, [&] { plugins_[*it].instance.reserve->Unreserve(state, pod, node); });
  }
}

Status Profile::Permit(CycleState& state, const PodInfo& pod, std::string_view node,
                       std::map<std::string, Duration>& waits) const {
  waits.clear();
  const PluginMeter meter = MeterFor(state, "Permit");
  for (const uint32_t index : At(ExtensionPoint::Permit)) {
    PermitResult result =
        meter.Run(plugins_[index].name, [&] { return plugins_[index].instance.permit->Permit(state, pod, node); });
    if (result.status.ok()) continue;
    if (result.status.code() == Code::Wait) {
      waits[plugins_[index].name] = std::min(result.timeout, kMaxPermitWait);
      continue;
    }
    return Failure("Permit", plugins_[index].name, result.status);
  }
  if (waits.empty()) return Status::Success();
  return {Code::Wait,
          {fmt::format("one or more plugins asked to wait and no plugin rejected pod \"{}\"", pod->meta.name)}};
}

Status Profile::PreBindPreFlight(CycleState& state, const PodInfo& pod, std::string_view node,
                                 PreBindPlan& plan) const {
  plan.skipped.assign(plugins_.size(), false);
  plan.parallel.assign(plugins_.size(), false);
  bool has_work = false;
  const PluginMeter meter = MeterFor(state, "PreBindPreFlight");
  for (const uint32_t index : At(ExtensionPoint::PreBind)) {
    const PreFlightResult result = meter.Run(
        plugins_[index].name, [&] { return plugins_[index].instance.pre_bind->PreBindPreFlight(state, pod, node); });
    plan.parallel[index] = result.allow_parallel;
    if (result.status.is_skip()) {
      plan.skipped[index] = true;
    } else if (result.status.ok()) {
      has_work = true;
    } else if (result.status.code() == Code::Error) {
      return Status::FromError(
                 fmt::format("running PreBindPreFlight \"{}\": {}", plugins_[index].name, result.status.Message()))
          .By(plugins_[index].name);
    } else {
      return Status::FromError(fmt::format("PreBindPreFlight {} returned \"{}\", which is unsupported. It is supposed "
                                           "to return Success, Skip, or Error status",
                                           plugins_[index].name, CodeName(result.status.code())))
          .By(plugins_[index].name);
    }
  }
  return has_work ? Status::Success() : Status::Skip();
}

Status Profile::PreBind(CycleState& state, const PodInfo& pod, std::string_view node, const PreBindPlan& plan,
                        const std::stop_token& stop) const {
  const std::vector<uint32_t>& plugins = At(ExtensionPoint::PreBind);
  for (size_t begin = 0; begin < plugins.size();) {
    // Plugins that allow it form a group with the next one, also when they have nothing to do themselves.
    size_t end = begin + 1;
    while (end < plugins.size() && plan.parallel[plugins[end - 1]] && plan.parallel[plugins[end]]) ++end;
    std::vector<uint32_t> group;
    for (size_t i = begin; i < end; ++i) {
      if (!plan.skipped[plugins[i]]) group.push_back(plugins[i]);
    }
    if (Status status = RunPreBindGroup(group, state, pod, node, stop); !status.ok()) return status;
    begin = end;
  }
  return Status::Success();
}

Status Profile::RunPreBindGroup(std::span<const uint32_t> group, CycleState& state, const PodInfo& pod,
                                std::string_view node, const std::stop_token& stop) const {
  if (group.empty()) return Status::Success();
  std::stop_source group_stop;
  const std::stop_callback pass_on(stop, [&] { group_stop.request_stop(); });
  Mutex mutex;
  Status first_failure;  // guarded by mutex: the first to fail speaks for the group
  const PluginMeter meter = MeterFor(state, "PreBind");
  const auto run = [&](uint32_t index) {
    Status status = meter.Run(plugins_[index].name, [&] {
      return plugins_[index].instance.pre_bind->PreBind(state, pod, node, group_stop.get_token());
    });
    if (status.ok()) return;
    {
      const MutexLock lock(mutex);
      if (first_failure.ok()) first_failure = Failure("PreBind", plugins_[index].name, status);
    }
    group_stop.request_stop();
  };
  {
    std::vector<std::jthread> others;
    for (const uint32_t index : group.subspan(1)) others.emplace_back([&run, index] { run(index); });
    run(group.front());
  }
  return first_failure;
}

Status Profile::Bind(CycleState& state, const PodInfo& pod, std::string_view node) const {
  const PluginMeter meter = MeterFor(state, "Bind");
  for (const uint32_t index : At(ExtensionPoint::Bind)) {
    Status status =
        meter.Run(plugins_[index].name, [&] { return plugins_[index].instance.bind->Bind(state, pod, node); });
    if (status.is_skip()) continue;
    if (!status.ok()) return Failure("Bind", plugins_[index].name, status);
    return status;
  }
  return Status::Skip();
}

void Profile::PostBind(CycleState& state, const PodInfo& pod, std::string_view node) const {
  const PluginMeter meter = MeterFor(state, "PostBind");
  for (const uint32_t index : At(ExtensionPoint::PostBind)) {
    meter.Run(plugins_[index].name, [&] { plugins_[index].instance.post_bind->PostBind(state, pod, node); });
  }
}

bool Profile::BindsThroughWriter() const {
  const std::vector<uint32_t>& plugins = At(ExtensionPoint::Bind);
  return !plugins.empty() && plugins_[plugins.front()].instance.bind->BindsThroughWriter() &&
         At(ExtensionPoint::PostBind).empty();
}

}  // namespace berth::runtime
