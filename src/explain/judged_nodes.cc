// SPDX-License-Identifier: Apache-2.0
#include "explain/judged_nodes.h"

#include "explain/lack_text.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::explain {
namespace {

using framework::ClusterView;
using framework::Code;
using framework::ExtensionPoint;
using framework::NodeId;
using framework::NodeInfo;
using framework::PodInfo;
using framework::Status;
using framework::Verdicts;
using runtime::Cycle;
using runtime::Profile;

std::string NarrowingPlugins(const Cycle& cycle) { return fmt::format("{}", fmt::join(cycle.narrowing_plugins, ", ")); }

// Rejections counted by the first plugin to reject a node; those without a plugin come from PreFilter.
struct FirstRejections {
  size_t nodes = 0;
  std::map<std::string, size_t> reasons;
};

std::map<std::string, FirstRejections, std::less<>> CountByPlugin(const ClusterView& cluster,
                                                                  const Verdicts& verdicts) {
  std::map<std::string, FirstRejections, std::less<>> counted;
  cluster.live_nodes().ForEach([&](size_t slot) {
    const Status& status = verdicts.Of(static_cast<NodeId>(slot));
    if (status.ok()) return;
    FirstRejections& rejections = counted[std::string(status.plugin())];
    ++rejections.nodes;
    for (const std::string& reason : status.reasons()) ++rejections.reasons[reason];
  });
  return counted;
}

FunnelStep StepOf(std::string plugin, std::string_view point, const FirstRejections& rejections, size_t& left) {
  left -= rejections.nodes;
  FunnelStep step{std::move(plugin), std::string(point), rejections.nodes, left, {}};
  step.reasons.assign(rejections.reasons.begin(), rejections.reasons.end());
  std::stable_sort(step.reasons.begin(), step.reasons.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return step;
}

bool IsCounted(const framework::Lack& lack) {
  return std::holds_alternative<Shortfall>(lack) || std::holds_alternative<framework::LimitReached>(lack);
}

// Collects the plugins' objections to the nodes of one cycle.
class Objections {
 public:
  Objections(const Profile& profile, const Cycle& cycle, const PodInfo& pod)
      : profile_(profile), cycle_(cycle), pod_(pod) {}

  void Add(const NodeInfo& node, const Status& status, RejectedNode& rejected) const {
    Objection objection = ObjectionOf(status);
    if (const framework::DescribeRejectionPlugin* describer = DescriberOf(status.plugin())) {
      framework::RejectionDescription description = describer->DescribeRejection(cycle_.state, pod_, node, status);
      for (const framework::Lack& lack : description.lacks) {
        objection.lacks.push_back(LackText(lack));
        objection.says_what_helps = objection.says_what_helps || IsCounted(lack);
        if (const auto* shortfall = std::get_if<Shortfall>(&lack)) rejected.shortfalls.push_back(*shortfall);
      }
      objection.says_what_helps = objection.says_what_helps || !description.remedies.empty();
      objection.remedies = std::move(description.remedies);
    }
    rejected.objections.push_back(std::move(objection));
    rejected.preemption_may_help = rejected.preemption_may_help && status.code() == Code::Unschedulable;
  }

  // Adds rejections that no Filter run on its own explains: nodes that PreFilter excluded, and nodes that are too small
  // once pods nominated to them are counted.
  void AddFromCycle(const NodeInfo& node, const Status& status, RejectedNode& rejected) const {
    if (status.ok()) return;
    if (status.plugin().empty()) {
      const bool said = std::ranges::any_of(cycle_.narrowing_plugins,
                                            [&](const std::string& plugin) { return Mentions(rejected, plugin); });
      if (!said) Add(node, status.By(NarrowingPlugins(cycle_)), rejected);
    } else if (!Mentions(rejected, status.plugin())) {
      Objection objection = ObjectionOf(status);
      objection.lacks.push_back(fmt::format("{} once pods nominated to the node are counted", status.Message()));
      // DescribeRejection would describe the node without those pods: no description or advice is better than a wrong
      // one.
      objection.says_what_helps = DescriberOf(status.plugin()) != nullptr;
      rejected.objections.push_back(std::move(objection));
      rejected.preemption_may_help = rejected.preemption_may_help && status.code() == Code::Unschedulable;
    }
  }

 private:
  static Objection ObjectionOf(const Status& status) {
    Objection objection;
    objection.plugin = status.plugin();
    objection.code = CodeName(status.code());
    objection.reasons = status.reasons();
    return objection;
  }

  static bool Mentions(const RejectedNode& rejected, std::string_view plugin) {
    return std::ranges::any_of(rejected.objections,
                               [&](const Objection& objection) { return objection.plugin == plugin; });
  }

  const framework::DescribeRejectionPlugin* DescriberOf(std::string_view plugin) const {
    const framework::PluginInstance* instance = profile_.plugins().Find(plugin);
    return instance == nullptr ? nullptr : instance->describe_rejection;
  }

  const Profile& profile_;
  const Cycle& cycle_;
  const PodInfo& pod_;
};

// How far the node is from fitting the pod: the worst shortage as a share of the request.
double WorstShortage(const RejectedNode& node) {
  double worst = 0;
  for (const Shortfall& shortfall : node.shortfalls) {
    if (shortfall.requested <= 0) continue;
    worst = std::max(worst, static_cast<double>(shortfall.missing()) / static_cast<double>(shortfall.requested));
  }
  return worst;
}

}  // namespace

std::vector<FunnelStep> FunnelOf(const Profile& profile, const Cycle& cycle) {
  const auto counted = CountByPlugin(profile.cluster(), cycle.verdicts);
  const auto rejections_of = [&](std::string_view plugin) {
    const auto it = counted.find(plugin);
    return it == counted.end() ? FirstRejections() : it->second;
  };
  size_t left = profile.cluster().node_count();
  std::vector<FunnelStep> funnel;
  if (cycle.narrowed_to) funnel.push_back(StepOf(NarrowingPlugins(cycle), "PreFilter", rejections_of(""), left));
  const runtime::SkipSet& skipped = cycle.state.Read(runtime::kSkippedFilters)->by_plugin;
  for (const std::string_view plugin : profile.plugins().NamesAt(ExtensionPoint::Filter)) {
    if (skipped[profile.plugins().IndexOf(plugin)]) continue;
    funnel.push_back(StepOf(std::string(plugin), "Filter", rejections_of(plugin), left));
  }
  return funnel;
}

std::vector<RejectedNode> RejectedNodes(const Profile& profile, const Cycle& cycle, const PodInfo& pod) {
  const ClusterView& cluster = profile.cluster();
  std::vector<RejectedNode> by_slot(cluster.node_slots());
  for (RejectedNode& node : by_slot) node.preemption_may_help = true;
  const Objections objections(profile, cycle, pod);
  const size_t filters = profile.plugins().At(ExtensionPoint::Filter).size();
  for (size_t filter = 0; filter < filters; ++filter) {
    Verdicts verdicts;
    if (!profile.filtering().RunFilterAlone(filter, cycle, pod, verdicts).ok()) continue;
    cluster.live_nodes().ForEach([&](size_t slot) {
      const auto id = static_cast<NodeId>(slot);
      if (!verdicts.Passes(id)) objections.Add(cluster.node(id), verdicts.Of(id), by_slot[slot]);
    });
  }
  std::vector<RejectedNode> rejected;
  cluster.live_nodes().ForEach([&](size_t slot) {
    const auto id = static_cast<NodeId>(slot);
    objections.AddFromCycle(cluster.node(id), cycle.verdicts.Of(id), by_slot[slot]);
    if (by_slot[slot].objections.empty()) return;
    by_slot[slot].name = cluster.node(id).name();
    rejected.push_back(std::move(by_slot[slot]));
  });
  const auto distance = [](const RejectedNode& node) {
    return std::make_tuple(node.objections.size(), !node.preemption_may_help, WorstShortage(node), node.name);
  };
  std::sort(rejected.begin(), rejected.end(),
            [&](const RejectedNode& a, const RejectedNode& b) { return distance(a) < distance(b); });
  return rejected;
}

}  // namespace berth::explain
