// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "base/worker_pool.h"
#include "config/profile_plan.h"
#include "features/feature_gates.h"
#include "framework/cycle_state.h"
#include "framework/handle.h"
#include "framework/indexed_cluster.h"
#include "framework/plugin.h"
#include "framework/registry.h"
#include "framework/score_column.h"
#include "framework/verdicts.h"
#include "log/logger.h"
#include "runtime/cycle.h"
#include "runtime/plugin_counts.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::metrics {
class Counter;
class SchedulerMetrics;
}  // namespace berth::metrics

namespace berth::runtime {

class PluginMeter;
class PreBindRun;

// What a profile's plugins are lent besides the profile itself. Everything outlives the profile.
struct Services {
  framework::IndexedCluster* cluster = nullptr;
  const framework::Lister* lister = nullptr;
  const framework::ObjectReader* objects = nullptr;  // null: there is no home to read from
  framework::ResourceNames* resource_names = nullptr;
  framework::Nominator* nominator = nullptr;
  framework::WaitingPods* waiting_pods = nullptr;
  framework::Evictor* evictor = nullptr;
  framework::EventRecorder* events = nullptr;
  const Clock* clock = nullptr;
  metrics::SchedulerMetrics* metrics = nullptr;  // null: nothing is counted
  // Shares out plain Filters and Scores over nodes; without it they run one node after the other.
  WorkerPool* workers = nullptr;
  log::Logger log = {};  // what plugins say; discarded unless one is lent
};

// The plugins of one profile, built and in order, and upstream's rules for running them at each extension point: which
// codes mean what, who is skipped, what is said when something fails.
//
// PreEnqueue to Bind and Unreserve run on the engine thread, which shares plain Filters and Scores with its workers;
// PostBind runs on the work pool.
//
// profile.cc builds it; filter_steps.cc, score_steps.cc and binding_steps.cc run its points, metered_steps.cc counts.
class Profile final : public framework::Handle, public framework::PluginRunner {
 public:
  // Builds every plugin of the plan. The error names the plugin that could not be built.
  static Result<std::unique_ptr<Profile>> Build(config::ProfilePlan plan, const framework::Registry& registry,
                                                const Services& services);

  const config::ProfilePlan& plan() const { return plan_; }
  // Names of the plugins at a point, in order.
  std::vector<std::string_view> PluginsAt(framework::ExtensionPoint point) const;
  bool HasPluginsAt(framework::ExtensionPoint point) const { return !At(point).empty(); }
  // The plugin's place in a Cycle's skip sets.
  size_t IndexOf(std::string_view plugin) const;
  const framework::PluginInstance* FindPlugin(std::string_view name) const;  // null when the profile does not have it
  // For the engine thread, between the points that run on several. Plugins do not see it: their Handle offers
  // cluster().
  framework::IndexedCluster& indexed_cluster() const { return *services_.cluster; }

  // The first plugin that gates the pod, or Success.
  framework::Status RunPreEnqueue(const api::Pod& pod) const;
  bool QueueSortLess(const framework::QueuedPodInfo& a, const framework::QueuedPodInfo& b) const;

  // Each step fills its part of `cycle`. A status that is neither Success nor a rejection is an error that ends the
  // cycle.
  framework::Status RunPreFilter(Cycle& cycle, const framework::PodInfo& pod) const;
  framework::Status RunFilter(Cycle& cycle, const framework::PodInfo& pod) const;
  // Whether pods of one template share their verdicts as long as nothing changes: every plugin that could reject says
  // so.
  bool VerdictsFollowFromTemplate(const framework::PodInfo& pod) const;
  framework::PostFilterResult RunPostFilter(Cycle& cycle, const framework::PodInfo& pod) const;
  framework::Status RunPreScore(Cycle& cycle, const framework::PodInfo& pod) const;
  // With `detail`, keeps what each plugin said: raw and weighted scores.
  framework::Status RunScore(Cycle& cycle, const framework::PodInfo& pod,
                             std::vector<PluginScores>* detail = nullptr) const;

  // One plugin's Filter over all nodes, as if it were alone, into `verdicts`.
  framework::Status RunFilterAlone(size_t filter_index, const Cycle& cycle, const framework::PodInfo& pod,
                                   framework::Verdicts& verdicts) const;

  framework::Status RunReserve(framework::CycleState& state, const framework::PodInfo& pod,
                               std::string_view node) const;
  void RunUnreserve(framework::CycleState& state, const framework::PodInfo& pod, std::string_view node) const;
  // On Wait, `waits` tells which plugins wait and for how long.
  framework::Status RunPermit(framework::CycleState& state, const framework::PodInfo& pod, std::string_view node,
                              std::map<std::string, Duration>& waits) const;
  // Success if any PreBind plugin has work to do, Skip if none has. `plan` tells PreBindRun which plugins have work,
  // and which may run in parallel.
  framework::Status RunPreBindPreFlight(framework::CycleState& state, const framework::PodInfo& pod,
                                        std::string_view node, PreBindPlan& plan) const;
  // The plan when nobody was asked: every PreBind runs, one after the other.
  void PlanAllOfPreBind(PreBindPlan& plan) const;
  void RunPostBind(framework::CycleState& state, const framework::PodInfo& pod, std::string_view node) const;
  // Whether binding is nothing but writing the binding: then the caller may do so itself instead of running Bind.
  bool BindsAsDefault() const;
  // How Bind would have failed then.
  framework::Status DefaultBindFailure(const framework::Status& status) const;
  // Tells the metrics of a step that somebody else carried out, or that had nothing to do.
  void NoteStep(std::string_view point, framework::Code code, Duration took) const;

  // framework::PluginRunner
  framework::Status RunFilterPluginsWithNominatedPods(const framework::CycleState& state, const framework::PodInfo& pod,
                                                      const framework::NodeInfo& node) const override;
  framework::Status RunPreFilterAddPod(framework::CycleState& state, const framework::PodInfo& pod,
                                       const framework::PodInfo& added, const framework::NodeInfo& node) const override;
  framework::Status RunPreFilterRemovePod(framework::CycleState& state, const framework::PodInfo& pod,
                                          const framework::PodInfo& removed,
                                          const framework::NodeInfo& node) const override;

  // framework::Handle
  std::string_view profile_name() const override { return plan_.scheduler_name; }
  const features::FeatureGates& features() const override { return plan_.features; }
  const log::Logger& log() const override { return services_.log; }
  const framework::ClusterView& cluster() const override { return *services_.cluster; }
  const framework::Lister& lister() const override { return *services_.lister; }
  const framework::ObjectReader& objects() const override {
    return services_.objects != nullptr ? *services_.objects : no_objects_;
  }
  framework::ResourceNames& resource_names() override { return *services_.resource_names; }
  framework::Nominator& nominator() override { return *services_.nominator; }
  framework::PluginRunner& plugin_runner() override { return *this; }
  framework::WaitingPods& waiting_pods() override { return *services_.waiting_pods; }
  framework::Evictor& evictor() override { return *services_.evictor; }
  framework::EventRecorder& events() override { return *services_.events; }
  framework::PluginMetrics& metrics() override { return counts_; }
  const Clock& clock() const override { return *services_.clock; }

 private:
  // These run one step of the profile, over many calls.
  friend class PreBindRun;
  friend class BindRun;
  struct Plugin {
    std::string name;
    framework::PluginInstance instance;
    // By point: in how many cycles the plugin had its say there. Null where that is not counted.
    std::array<metrics::Counter*, framework::kExtensionPoints.size()> evaluations = {};
  };
  Profile(config::ProfilePlan plan, const Services& services)
      : plan_(std::move(plan)), services_(services), counts_(services.metrics) {}

  const std::vector<uint32_t>& At(framework::ExtensionPoint point) const { return points_[static_cast<size_t>(point)]; }
  metrics::Counter* Evaluations(const Plugin& plugin, framework::ExtensionPoint point) const {
    return plugin.evaluations[static_cast<size_t>(point)];
  }
  void FindEvaluationCounters();
  PluginMeter MeterFor(const Cycle& cycle, std::string_view point) const;
  PluginMeter MeterFor(const framework::CycleState& state, std::string_view point) const;
  // Tells the metrics how long the step took and how it ended.
  template <typename Step>
  auto Metered(std::string_view point, const Step& step) const;

  // What Run… do, not counting how long it takes.
  framework::Status PreFilter(Cycle& cycle, const framework::PodInfo& pod) const;
  framework::Status Filter(Cycle& cycle, const framework::PodInfo& pod) const;
  framework::PostFilterResult PostFilter(Cycle& cycle, const framework::PodInfo& pod) const;
  framework::Status PreScore(Cycle& cycle, const framework::PodInfo& pod) const;
  framework::Status Score(Cycle& cycle, const framework::PodInfo& pod, std::vector<PluginScores>* detail) const;
  framework::Status Reserve(framework::CycleState& state, const framework::PodInfo& pod, std::string_view node) const;
  void Unreserve(framework::CycleState& state, const framework::PodInfo& pod, std::string_view node) const;
  framework::Status Permit(framework::CycleState& state, const framework::PodInfo& pod, std::string_view node,
                           std::map<std::string, Duration>& waits) const;
  framework::Status PreBindPreFlight(framework::CycleState& state, const framework::PodInfo& pod, std::string_view node,
                                     PreBindPlan& plan) const;
  void PostBind(framework::CycleState& state, const framework::PodInfo& pod, std::string_view node) const;

  framework::Status FilterWith(const Plugin& plugin, const framework::CycleState& state, const framework::PodInfo& pod,
                               PlainVerdicts& scratch, framework::Verdicts& verdicts) const;
  framework::Status FilterOneNode(const framework::CycleState& state, const SkipSet& skipped,
                                  const framework::PodInfo& pod, const framework::NodeInfo& node) const;
  framework::Status JudgeNominatedNodes(Cycle& cycle, const framework::PodInfo& pod) const;
  framework::Status ScoreWith(const Plugin& plugin, const framework::CycleState& state, const framework::PodInfo& pod,
                              framework::ScoreColumn& scores) const;

  config::ProfilePlan plan_;
  Services services_;
  PluginCounts counts_;
  const framework::NoObjects no_objects_;
  std::vector<Plugin> plugins_;
  std::array<std::vector<uint32_t>, framework::kExtensionPoints.size()> points_;  // indexes into plugins_
  std::vector<int32_t> weights_;                                                  // parallel to the Score list
};

}  // namespace berth::runtime
