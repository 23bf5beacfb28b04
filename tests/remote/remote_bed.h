// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/scheduler_metrics.h"
#include "remote/remote_plugin_args.h"
#include "remote/scripted_plugin.h"
#include "runtime/profile.h"
#include "support/builders.h"
#include "support/test_bed.h"

#include <string>
#include <thread>
#include <utility>

namespace berth::test {

// A cluster of three nodes, and a profile whose only plugin is a scripted one, called "far".
struct RemoteBed {
  // Quick enough for a test, long enough for a busy machine where an answer is expected.
  static remote::RemotePluginArgs Args() {
    remote::RemotePluginArgs args;
    args.timeout = std::chrono::seconds(20);
    args.start_timeout = std::chrono::seconds(20);
    return args;
  }

  explicit RemoteBed(framework::PointSet points, remote::RemotePluginArgs plugin_args = Args())
      : plugin(points), args(std::move(plugin_args)) {
    for (const char* name : {"n0", "n1", "n2"}) bed.cluster.SetNode(MakeNode(name));
    pod = MakePod("p").Priority(10).Info(bed.names);
  }

  // Connects, or waits in vain.
  void Build(const std::function<framework::PluginInstance(framework::Handle&)>& fallback = {}) {
    const framework::Registry registry({plugin.Entry("far", args, fallback)});
    bed.metrics = &metrics;
    bed.AddProfile(PlanOf(registry), registry);
  }

  runtime::Profile& profile() { return bed.profile(); }
  framework::Status PreFilter() {
    bed.cluster.BeginCycle();
    cycle.Reset();
    return profile().filtering().RunPreFilter(cycle, *pod);
  }
  framework::Status Filter() {
    framework::Status status = PreFilter();
    return status.ok() ? profile().filtering().RunFilter(cycle, *pod) : status;
  }
  const framework::Status& VerdictOn(std::string_view node) { return cycle.verdicts.Of(bed.cluster.FindNode(node)); }
  bool Counts(const std::string& metric) const { return metrics.Expose().find(metric) != std::string::npos; }

  metrics::SchedulerMetrics metrics;
  ScriptedPlugin plugin;
  remote::RemotePluginArgs args;
  TestBed bed;
  framework::PodInfoPtr pod;
  runtime::Cycle cycle;
};

// Waits until it is so; every test that uses it would hang otherwise.
template <typename F>
void WaitUntil(F&& holds) {
  while (!holds()) std::this_thread::yield();
}

}  // namespace berth::test
