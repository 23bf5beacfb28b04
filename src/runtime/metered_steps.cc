// SPDX-License-Identifier: Apache-2.0
// What is counted when a profile's plugins run: how long each step took and how it ended, and which plugins had a say.
#include "runtime/plugin_meter.h"
#include "runtime/profile.h"

namespace berth::runtime {

using framework::Code;
using framework::CycleState;
using framework::ExtensionPoint;
using framework::PodInfo;
using framework::PostFilterResult;
using framework::Status;

void Profile::FindEvaluationCounters() {
  if (services_.metrics == nullptr) return;
  for (const ExtensionPoint point :
       {ExtensionPoint::PreFilter, ExtensionPoint::Filter, ExtensionPoint::PreScore, ExtensionPoint::Score}) {
    for (const uint32_t index : At(point)) {
      plugins_[index].evaluations[static_cast<size_t>(point)] =
          &services_.metrics->PluginEvaluations(plugins_[index].name, PointName(point), profile_name());
    }
  }
}

PluginMeter Profile::MeterFor(const Cycle& cycle, std::string_view point) const {
  return {cycle.timed() ? services_.metrics : nullptr, point};
}

PluginMeter Profile::MeterFor(const CycleState& state, std::string_view point) const {
  const bool timed = services_.metrics != nullptr && state.Read(kTimedCycle) != nullptr;
  return {timed ? services_.metrics : nullptr, point};
}

template <typename Step>
auto Profile::Metered(std::string_view point, const Step& step) const {
  if (services_.metrics == nullptr) return step();
  return Timed(step, [&](Code code, Duration took) { StepTook(point, code, took); });
}

void Profile::StepTook(std::string_view point, Code code, Duration took) const {
  if (services_.metrics == nullptr) return;
  services_.metrics->ExtensionPoint(point, CodeName(code), profile_name(), took);
}

Status Profile::RunPreFilter(Cycle& cycle, const PodInfo& pod) const {
  if (services_.metrics != nullptr && cycle.timed()) cycle.state.Write(kTimedCycle);
  return Metered("PreFilter", [&] { return PreFilter(cycle, pod); });
}

Status Profile::RunFilter(Cycle& cycle, const PodInfo& pod) const {
  return Metered("Filter", [&] { return Filter(cycle, pod); });
}

PostFilterResult Profile::RunPostFilter(Cycle& cycle, const PodInfo& pod) const {
  return Metered("PostFilter", [&] { return PostFilter(cycle, pod); });
}

Status Profile::RunPreScore(Cycle& cycle, const PodInfo& pod) const {
  return Metered("PreScore", [&] { return PreScore(cycle, pod); });
}

Status Profile::RunScore(Cycle& cycle, const PodInfo& pod, std::vector<PluginScores>* detail) const {
  return Metered("Score", [&] { return Score(cycle, pod, detail); });
}

Status Profile::RunReserve(CycleState& state, const PodInfo& pod, std::string_view node) const {
  return Metered("Reserve", [&] { return Reserve(state, pod, node); });
}

void Profile::RunUnreserve(CycleState& state, const PodInfo& pod, std::string_view node) const {
  Metered("Unreserve", [&] { Unreserve(state, pod, node); });
}

Status Profile::RunPermit(CycleState& state, const PodInfo& pod, std::string_view node,
                          std::map<std::string, Duration>& waits) const {
  return Metered("Permit", [&] { return Permit(state, pod, node, waits); });
}

Status Profile::RunPreBindPreFlight(CycleState& state, const PodInfo& pod, std::string_view node,
                                    PreBindPlan& plan) const {
  return Metered("PreBindPreFlight", [&] { return PreBindPreFlight(state, pod, node, plan); });
}

Status Profile::RunBind(CycleState& state, const PodInfo& pod, std::string_view node) const {
  return Metered("Bind", [&] { return Bind(state, pod, node); });
}

void Profile::RunPostBind(CycleState& state, const PodInfo& pod, std::string_view node) const {
  Metered("PostBind", [&] { PostBind(state, pod, node); });
}

}  // namespace berth::runtime
