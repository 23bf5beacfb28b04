// SPDX-License-Identifier: Apache-2.0
// Reserve to PostBind, without PreBind (pre_bind_run.h): from a chosen node to a bound pod.
#include "runtime/plugin_meter.h"
#include "runtime/profile.h"
#include "runtime/step_failure.h"

#include <algorithm>

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

}  // namespace

Status Profile::Reserve(CycleState& state, const PodInfo& pod, std::string_view node) const {
  const PluginMeter meter = MeterFor(state, "Reserve");
  for (const uint32_t index : At(ExtensionPoint::Reserve)) {
    Status status =
        meter.Run(plugins_[index].name, [&] { return plugins_[index].instance.reserve->Reserve(state, pod, node); });
    if (!status.ok()) return StepFailure("Reserve", plugins_[index].name, status);
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
    return StepFailure("Permit", plugins_[index].name, result.status);
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

void Profile::PlanAllOfPreBind(PreBindPlan& plan) const {
  plan.skipped.assign(plugins_.size(), false);
  plan.parallel.assign(plugins_.size(), false);
  plan.has_work = HasPluginsAt(ExtensionPoint::PreBind);
}

void Profile::PostBind(CycleState& state, const PodInfo& pod, std::string_view node) const {
  const PluginMeter meter = MeterFor(state, "PostBind");
  for (const uint32_t index : At(ExtensionPoint::PostBind)) {
    meter.Run(plugins_[index].name, [&] { plugins_[index].instance.post_bind->PostBind(state, pod, node); });
  }
}

bool Profile::BindsAsDefault() const {
  const std::vector<uint32_t>& plugins = At(ExtensionPoint::Bind);
  return !plugins.empty() && plugins_[plugins.front()].instance.bind->BindsAsDefault();
}

Status Profile::DefaultBindFailure(const Status& status) const {
  return StepFailure("Bind", plugins_[At(ExtensionPoint::Bind).front()].name, status);
}

}  // namespace berth::runtime
