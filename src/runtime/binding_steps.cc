// SPDX-License-Identifier: Apache-2.0
#include "runtime/binding_steps.h"

#include "runtime/plugin_meter.h"
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

Status BindingSteps::RunReserve(CycleState& state, const PodInfo& pod, std::string_view node) const {
  return plugins_.Metered("Reserve", [&] { return Reserve(state, pod, node); });
}

Status BindingSteps::Reserve(CycleState& state, const PodInfo& pod, std::string_view node) const {
  const PluginMeter meter = plugins_.MeterFor(state, "Reserve");
  for (const uint32_t index : plugins_.At(ExtensionPoint::Reserve)) {
    Status status =
        meter.Run(plugins_[index].name, [&] { return plugins_[index].instance.reserve->Reserve(state, pod, node); });
    if (!status.ok()) return StepFailure("Reserve", plugins_[index].name, status);
  }
  return Status::Success();
}

void BindingSteps::RunUnreserve(CycleState& state, const PodInfo& pod, std::string_view node) const {
  plugins_.Metered("Unreserve", [&] { Unreserve(state, pod, node); });
}

void BindingSteps::Unreserve(CycleState& state, const PodInfo& pod, std::string_view node) const {
  const auto& indexes = plugins_.At(ExtensionPoint::Reserve);
  const PluginMeter meter = plugins_.MeterFor(state, "Unreserve");
  for (auto it = indexes.rbegin(); it != indexes.rend(); ++it) {
    meter.Run(plugins_[*it].name, [&] { plugins_[*it].instance.reserve->Unreserve(state, pod, node); });
  }
}

Status BindingSteps::RunPermit(CycleState& state, const PodInfo& pod, std::string_view node,
                               std::map<std::string, Duration>& waits) const {
  return plugins_.Metered("Permit", [&] { return Permit(state, pod, node, waits); });
}

Status BindingSteps::Permit(CycleState& state, const PodInfo& pod, std::string_view node,
                            std::map<std::string, Duration>& waits) const {
  waits.clear();
  const PluginMeter meter = plugins_.MeterFor(state, "Permit");
  for (const uint32_t index : plugins_.At(ExtensionPoint::Permit)) {
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

Status BindingSteps::RunPreBindPreFlight(CycleState& state, const PodInfo& pod, std::string_view node,
                                         PreBindPlan& plan) const {
  return plugins_.Metered("PreBindPreFlight", [&] { return PreBindPreFlight(state, pod, node, plan); });
}

Status BindingSteps::PreBindPreFlight(CycleState& state, const PodInfo& pod, std::string_view node,
                                      PreBindPlan& plan) const {
  plan.skipped.assign(plugins_.size(), false);
  plan.parallel.assign(plugins_.size(), false);
  bool has_work = false;
  const PluginMeter meter = plugins_.MeterFor(state, "PreBindPreFlight");
  for (const uint32_t index : plugins_.At(ExtensionPoint::PreBind)) {
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

void BindingSteps::PlanAllOfPreBind(PreBindPlan& plan) const {
  plan.skipped.assign(plugins_.size(), false);
  plan.parallel.assign(plugins_.size(), false);
  plan.has_work = plugins_.HasAnyAt(ExtensionPoint::PreBind);
}

void BindingSteps::RunPostBind(CycleState& state, const PodInfo& pod, std::string_view node) const {
  plugins_.Metered("PostBind", [&] { PostBind(state, pod, node); });
}

void BindingSteps::PostBind(CycleState& state, const PodInfo& pod, std::string_view node) const {
  const PluginMeter meter = plugins_.MeterFor(state, "PostBind");
  for (const uint32_t index : plugins_.At(ExtensionPoint::PostBind)) {
    meter.Run(plugins_[index].name, [&] { plugins_[index].instance.post_bind->PostBind(state, pod, node); });
  }
}

bool BindingSteps::BindsAsDefault() const {
  const std::vector<uint32_t>& indexes = plugins_.At(ExtensionPoint::Bind);
  return !indexes.empty() && plugins_[indexes.front()].instance.bind->BindsAsDefault();
}

Status BindingSteps::DefaultBindFailure(const Status& status) const {
  return StepFailure("Bind", plugins_[plugins_.At(ExtensionPoint::Bind).front()].name, status);
}

}  // namespace berth::runtime
