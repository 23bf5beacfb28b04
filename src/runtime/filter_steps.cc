// SPDX-License-Identifier: Apache-2.0
#include "runtime/filter_steps.h"

#include "framework/node_scan.h"
#include "runtime/plugin_meter.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::runtime {

using framework::Code;
using framework::CycleState;
using framework::ExtensionPoint;
using framework::kNoNode;
using framework::NodeId;
using framework::NodeInfo;
using framework::PodInfo;
using framework::PodInfoPtr;
using framework::PostFilterResult;
using framework::PreFilterResult;
using framework::Status;
using framework::Verdicts;

namespace {

void Intersect(std::optional<std::set<std::string>>& all, std::set<std::string> other) {
  if (!all) {
    all = std::move(other);
  } else {
    std::erase_if(*all, [&](const std::string& name) { return !other.contains(name); });
  }
}

}  // namespace

Status FilterSteps::RunPreFilter(Cycle& cycle, const PodInfo& pod) const {
  if (plugins_.services().metrics != nullptr && cycle.timed()) cycle.state.Write(kTimedCycle);
  return plugins_.Metered("PreFilter", [&] { return PreFilter(cycle, pod); });
}

Status FilterSteps::PreFilter(Cycle& cycle, const PodInfo& pod) const {
  auto& skipped = cycle.state.Write(kSkippedFilters).by_plugin;
  skipped.assign(plugins_.size(), false);
  const PluginMeter meter = plugins_.MeterFor(cycle, "PreFilter");
  Status rejection;
  for (const uint32_t index : plugins_.At(ExtensionPoint::PreFilter)) {
    const ProfilePlugin& plugin = plugins_[index];
    const std::string& name = plugin.name;
    PreFilterResult result = meter.Run(name, plugin.EvaluationsAt(ExtensionPoint::PreFilter), [&] {
      return plugin.instance.pre_filter->PreFilter(cycle.state, pod, *plugins_.services().cluster);
    });
    if (result.status.is_skip()) {
      skipped[index] = true;
      continue;
    }
    if (result.status.code() == Code::UnschedulableAndUnresolvable) {
      cycle.narrowing_plugins.clear();  // as upstream, only the plugin that said no counts as having rejected the pod
      return result.status.By(name);
    }
    if (result.status.code() == Code::Unschedulable) {
      // Preemption may follow and needs the state of every plugin, so the rest still runs.
      rejection = result.status.By(name);
      continue;
    }
    if (!result.status.ok()) {
      return Status::FromError(fmt::format("running PreFilter plugin \"{}\": {}", name, result.status.Message()))
          .By(name);
    }
    if (!result.node_names) continue;
    cycle.narrowing_plugins.insert(name);
    Intersect(cycle.narrowed_to, std::move(*result.node_names));
    if (cycle.narrowed_to->empty()) {
      return Status::Unresolvable(
          cycle.narrowing_plugins.size() == 1
              ? fmt::format("node(s) didn't satisfy plugin {}", *cycle.narrowing_plugins.begin())
              : fmt::format("node(s) didn't satisfy plugin(s) [{}] simultaneously",
                            fmt::join(cycle.narrowing_plugins, " ")));
    }
  }
  return rejection;
}

Status FilterSteps::RunFilter(Cycle& cycle, const PodInfo& pod) const {
  return plugins_.Metered("Filter", [&] { return Filter(cycle, pod); });
}

Status FilterSteps::Filter(Cycle& cycle, const PodInfo& pod) const {
  Verdicts& verdicts = cycle.verdicts;
  verdicts.Reset(cluster().live_nodes());
  if (cycle.narrowed_to) {
    Bitset named(cluster().node_slots());
    for (const std::string& name : *cycle.narrowed_to) {
      if (const NodeId id = cluster().FindNode(name); id != kNoNode) named.Set(id);
    }
    verdicts.set_plugin({});
    verdicts.RejectOutside(
        named, verdicts.Intern(Status::Unresolvable(
                   fmt::format("node(s) didn't satisfy plugin(s) [{}]", fmt::join(cycle.narrowing_plugins, " ")))));
  }
  const SkipSet& skipped = cycle.state.Read(kSkippedFilters)->by_plugin;
  const PluginMeter meter = plugins_.MeterFor(cycle, "Filter");
  for (const uint32_t index : plugins_.At(ExtensionPoint::Filter)) {
    if (skipped[index]) continue;
    const ProfilePlugin& plugin = plugins_[index];
    Status status = meter.Run(plugin.name, plugin.EvaluationsAt(ExtensionPoint::Filter),
                              [&] { return FilterWith(plugin, cycle.state, pod, cycle.plain, verdicts); });
    if (!status.ok()) return status;
  }
  if (Status status = JudgeNominatedNodes(cycle, pod); !status.ok()) return status;
  framework::ListNodes(verdicts.passing(), cycle.feasible);
  return Status::Success();
}

Status FilterSteps::RunFilterAlone(size_t filter_index, const Cycle& cycle, const PodInfo& pod,
                                   Verdicts& verdicts) const {
  verdicts.Reset(cluster().live_nodes());
  const uint32_t index = plugins_.At(ExtensionPoint::Filter)[filter_index];
  if (cycle.state.Read(kSkippedFilters)->by_plugin[index]) return Status::Skip();
  PlainVerdicts scratch;
  return FilterWith(plugins_[index], cycle.state, pod, scratch, verdicts);
}

Status FilterSteps::FilterWith(const ProfilePlugin& plugin, const CycleState& state, const PodInfo& pod,
                               PlainVerdicts& scratch, Verdicts& verdicts) const {
  verdicts.set_plugin(plugin.name);
  Status status = plugin.instance.filter_all != nullptr
                      ? plugin.instance.filter_all->FilterAll(state, pod, cluster(), verdicts)
                      : FilterNodes({state, pod, cluster(), plugins_.services().workers}, *plugin.instance.filter,
                                    scratch, verdicts);
  if (status.ok()) return status;
  return Status::FromError(fmt::format("running \"{}\" filter plugin: {}", plugin.name, status.Message()))
      .By(plugin.name);
}

Status FilterSteps::FilterOneNode(const CycleState& state, const SkipSet& skipped, const PodInfo& pod,
                                  const NodeInfo& node) const {
  for (const uint32_t index : plugins_.At(ExtensionPoint::Filter)) {
    if (skipped[index]) continue;
    Status status = plugins_[index].instance.filter->Filter(state, pod, node);
    if (status.ok()) continue;
    if (status.is_rejected()) return status.By(plugins_[index].name);
    return Status::FromError(fmt::format("running \"{}\" filter plugin: {}", plugins_[index].name, status.Message()))
        .By(plugins_[index].name);
  }
  return Status::Success();
}

// Nodes that were promised to pods of equal or higher priority must fit the pod with these on board, too.
Status FilterSteps::JudgeNominatedNodes(Cycle& cycle, const PodInfo& pod) const {
  for (const std::string& name : plugins_.services().nominator->NodesWithNominations()) {
    const NodeId id = cluster().FindNode(name);
    if (id == kNoNode || (cycle.narrowed_to && !cycle.narrowed_to->contains(name))) continue;
    Status status = RunFilterPluginsWithNominatedPods(cycle.state, pod, cluster().node(id));
    if (!status.ok() && !status.is_rejected()) return status;
    cycle.verdicts.set_plugin({});
    cycle.verdicts.Replace(id, status);
  }
  return Status::Success();
}

Status FilterSteps::RunFilterPluginsWithNominatedPods(const CycleState& state, const PodInfo& pod,
                                                      const NodeInfo& node) const {
  const SkipSet& skipped = state.Read(kSkippedFilters)->by_plugin;
  std::optional<NodeInfo> crowded;
  CycleState crowded_state;
  for (const PodInfoPtr& nominated : plugins_.services().nominator->PodsFor(node.name())) {
    const bool yields = nominated->pod->priority() < pod->priority();
    if (yields || framework::PodUid(*nominated->pod) == framework::PodUid(*pod)) continue;
    if (!crowded) {
      crowded = node;
      crowded_state = state.Clone();
    }
    crowded->AddPod(nominated);
    if (Status status = RunPreFilterAddPod(crowded_state, pod, *nominated, *crowded); !status.ok()) return status;
  }
  if (crowded) {
    if (Status status = FilterOneNode(crowded_state, skipped, pod, *crowded); !status.ok()) return status;
  }
  // They may go elsewhere in the end, so the pod must fit without them as well.
  return FilterOneNode(state, skipped, pod, node);
}

Status FilterSteps::RunPreFilterAddPod(CycleState& state, const PodInfo& pod, const PodInfo& added,
                                       const NodeInfo& node) const {
  const SkipSet& skipped = state.Read(kSkippedFilters)->by_plugin;
  for (const uint32_t index : plugins_.At(ExtensionPoint::PreFilter)) {
    const auto* extensions = plugins_[index].instance.pre_filter_extensions;
    if (extensions == nullptr || skipped[index]) continue;
    if (Status status = extensions->AddPod(state, pod, added, node); !status.ok()) {
      return Status::FromError(
          fmt::format("running AddPod on PreFilter plugin \"{}\": {}", plugins_[index].name, status.Message()));
    }
  }
  return Status::Success();
}

Status FilterSteps::RunPreFilterRemovePod(CycleState& state, const PodInfo& pod, const PodInfo& removed,
                                          const NodeInfo& node) const {
  const SkipSet& skipped = state.Read(kSkippedFilters)->by_plugin;
  for (const uint32_t index : plugins_.At(ExtensionPoint::PreFilter)) {
    const auto* extensions = plugins_[index].instance.pre_filter_extensions;
    if (extensions == nullptr || skipped[index]) continue;
    if (Status status = extensions->RemovePod(state, pod, removed, node); !status.ok()) {
      return Status::FromError(
          fmt::format("running RemovePod on PreFilter plugin \"{}\": {}", plugins_[index].name, status.Message()));
    }
  }
  return Status::Success();
}

bool FilterSteps::VerdictsFollowFromTemplate(const PodInfo& pod) const {
  for (const ExtensionPoint point : {ExtensionPoint::PreFilter, ExtensionPoint::Filter, ExtensionPoint::PostFilter}) {
    for (const uint32_t index : plugins_.At(point)) {
      const framework::VerdictsByTemplate* plugin = plugins_[index].instance.verdicts_by_template;
      if (plugin == nullptr || !plugin->FollowFromTemplate(pod)) return false;
    }
  }
  return true;
}

PostFilterResult FilterSteps::RunPostFilter(Cycle& cycle, const PodInfo& pod) const {
  return plugins_.Metered("PostFilter", [&] { return PostFilter(cycle, pod); });
}

PostFilterResult FilterSteps::PostFilter(Cycle& cycle, const PodInfo& pod) const {
  PostFilterResult outcome;
  std::vector<std::string> reasons;
  std::string rejector;
  const PluginMeter meter = plugins_.MeterFor(cycle, "PostFilter");
  for (const uint32_t index : plugins_.At(ExtensionPoint::PostFilter)) {
    const std::string& name = plugins_[index].name;
    PostFilterResult result = meter.Run(name, [&] {
      return plugins_[index].instance.post_filter->PostFilter(cycle.state, pod, *plugins_.services().cluster,
                                                              cycle.verdicts);
    });
    if (result.status.ok() || result.status.code() == Code::Wait) return result;
    if (result.status.code() == Code::UnschedulableAndUnresolvable) {
      result.status = result.status.By(name);
      return result;
    }
    if (!result.status.is_rejected()) return {Status::FromError(result.status.Message()).By(name), {}, {}};
    if (result.mode != PostFilterResult::Mode::NoOp) {
      outcome.mode = result.mode;
      outcome.nominated_node = result.nominated_node;
    }
    reasons.insert(reasons.end(), result.status.reasons().begin(), result.status.reasons().end());
    if (rejector.empty()) rejector = name;
  }
  outcome.status = Status(Code::Unschedulable, std::move(reasons)).By(rejector);
  return outcome;
}

}  // namespace berth::runtime
