// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "base/worker_pool.h"
#include "config/profile_plan.h"
#include "framework/cycle_state.h"
#include "framework/handle.h"
#include "framework/indexed_cluster.h"
#include "framework/plugin.h"
#include "framework/registry.h"
#include "framework/status.h"
#include "log/logger.h"
#include "metrics/scheduler_metrics.h"
#include "runtime/cycle.h"
#include "runtime/plugin_meter.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::runtime {

// What a profile's plugins are lent besides the profile itself. Everything outlives the profile.
struct Services {
  framework::IndexedCluster* cluster = nullptr;
  const framework::Lister* lister = nullptr;
  const framework::ObjectReader* objects = nullptr;  // null: there is no home to read from
  framework::ResourceNames* resource_names = nullptr;
  framework::Nominator* nominator = nullptr;
  framework::WaitingPods* waiting_pods = nullptr;
  framework::Evictor* evictor = nullptr;
  framework::PreemptionReview* preemption_review = nullptr;  // null: nobody reviews
  framework::EventRecorder* events = nullptr;
  framework::Activator* activator = nullptr;  // null: there is no queue
  const Clock* clock = nullptr;
  metrics::SchedulerMetrics* metrics = nullptr;  // null: nothing is counted
  // Shares out plain Filters and Scores over nodes; without it they run one node after the other.
  WorkerPool* workers = nullptr;
  log::Logger log = {};  // what plugins say; discarded unless one is lent
};

struct ProfilePlugin {
  std::string name;
  framework::PluginInstance instance;
  // By point: in how many cycles the plugin had its say there. Null where that is not counted.
  std::array<metrics::Counter*, framework::kExtensionPoints.size()> evaluations = {};

  metrics::Counter* EvaluationsAt(framework::ExtensionPoint point) const {
    return evaluations[static_cast<size_t>(point)];
  }
};

// The plugins of one profile, which of them run at which point and in which order, and how their runs are counted. The
// classes that run the points read it. Nothing changes after Build; from then on, any thread.
class ProfilePlugins {
 public:
  ProfilePlugins(config::ProfilePlan plan, const Services& services) : plan_(std::move(plan)), services_(services) {}
  // Those that run the points refer to it.
  ProfilePlugins(const ProfilePlugins&) = delete;
  ProfilePlugins& operator=(const ProfilePlugins&) = delete;

  // Builds every plugin of the plan, once; each keeps `handle`. The error names the plugin that could not be built.
  Result<void> Build(const framework::Registry& registry, framework::Handle& handle);

  const config::ProfilePlan& plan() const { return plan_; }
  const Services& services() const { return services_; }

  size_t size() const { return plugins_.size(); }
  const ProfilePlugin& operator[](size_t index) const { return plugins_[index]; }
  // The indexes of the plugins at a point, in order.
  const std::vector<uint32_t>& At(framework::ExtensionPoint point) const { return points_[static_cast<size_t>(point)]; }
  bool HasAnyAt(framework::ExtensionPoint point) const { return !At(point).empty(); }
  // The names of the plugins at a point, in order.
  std::vector<std::string_view> NamesAt(framework::ExtensionPoint point) const;
  // The weights of the plugins at Score, parallel to At(Score).
  const std::vector<int32_t>& score_weights() const { return score_weights_; }
  // The plugin's index, which is also its place in a Cycle's skip sets; size() when the profile does not have it.
  size_t IndexOf(std::string_view name) const;
  const framework::PluginInstance* Find(std::string_view name) const;  // null when the profile does not have it

  // Times the plugins of one step if this cycle is one whose plugins are timed.
  PluginMeter MeterFor(const Cycle& cycle, std::string_view point) const;
  PluginMeter MeterFor(const framework::CycleState& state, std::string_view point) const;
  // Runs a step and tells the metrics how long it took and how it ended.
  template <typename Step>
  auto Metered(std::string_view point, const Step& step) const {
    if (services_.metrics == nullptr) return step();
    return Timed(step, [&](framework::Code code, Duration took) { NoteStep(point, code, took); });
  }
  // Tells the metrics of a step that somebody else carried out, or that had nothing to do.
  void NoteStep(std::string_view point, framework::Code code, Duration took) const;

 private:
  // The index of the plugin, which is built unless an earlier point has done so.
  Result<uint32_t> BuildOnce(const std::string& name, framework::ExtensionPoint point,
                             const framework::Registry& registry, framework::Handle& handle);
  void FindEvaluationCounters();

  config::ProfilePlan plan_;
  Services services_;
  std::vector<ProfilePlugin> plugins_;
  std::array<std::vector<uint32_t>, framework::kExtensionPoints.size()> points_;  // indexes into plugins_
  std::vector<int32_t> score_weights_;
};

}  // namespace berth::runtime
