// SPDX-License-Identifier: Apache-2.0
// The time of one decision and the memory of a node and a pod: one core, the default profile, every node scored.
#include "scheduler/decide.h"

#include "cluster/cluster_state.h"
#include "config/defaults.h"
#include "config/plan.h"
#include "framework/pod_classes.h"
#include "framework/silent_roles.h"
#include "live_bytes.h"
#include "metrics/scheduler_metrics.h"
#include "plugins/registry.h"
#include "queue/nominated_pods.h"
#include "report.h"
#include "runtime/profile.h"
#include "runtime/waiting_pod_table.h"
#include "workloads.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace berth::bench {
namespace {

using framework::PodInfoPtr;
using std::chrono::steady_clock;

// A cluster and the default profile over it.
struct Engine {
  framework::ResourceNames names;
  framework::PodClasses classes{names};
  cluster::ClusterState cluster{names};
  queue::NominatedPods nominated;
  framework::SilentRoles nowhere;
  SystemClock clock;
  runtime::WaitingPodTable waiting{clock};
  metrics::SchedulerMetrics metrics;
  std::unique_ptr<runtime::Profile> profile;
  runtime::Cycle cycle;
  Rng rng{1};

  explicit Engine(bool metered) {
    const framework::Registry registry = plugins::InTreeRegistry();
    auto plans = config::PlanProfiles(config::DefaultConfiguration(registry), registry);
    runtime::Services services;
    services.cluster = &cluster;
    services.lister = &cluster.objects();
    services.resource_names = &names;
    services.nominator = &nominated;
    services.waiting_pods = &waiting;
    services.evictor = &nowhere;
    services.events = &nowhere;
    services.clock = &clock;
    if (metered) services.metrics = &metrics;
    profile = std::move(runtime::Profile::Build(std::move(plans.value().front()), registry, services).value());
  }
};

double Micros(steady_clock::duration duration) { return std::chrono::duration<double, std::micro>(duration).count(); }

double Percentile(std::vector<double> samples, double p) {
  const auto at = samples.begin() + static_cast<std::ptrdiff_t>(p * static_cast<double>(samples.size() - 1));
  std::nth_element(samples.begin(), at, samples.end());
  return *at;
}

void Measure(size_t nodes, size_t pods, const std::vector<std::string>& workloads, bool metered,
             std::vector<Figure>& figures) {
  for (const std::string_view name : WorkloadNames()) {
    if (!workloads.empty() && std::find(workloads.begin(), workloads.end(), name) == workloads.end()) continue;
    Engine engine(metered);
    for (size_t i = 0; i < nodes; ++i) engine.cluster.SetNode(MakeNode(i));
    // Start with a pod on every fifth node, as in a cluster in use.
    Workload running("basic");
    for (size_t i = 0; i < nodes; i += 5) {
      engine.cluster.PlacePod(engine.classes.InfoOf(running.Next()),
                              engine.cluster.node(static_cast<framework::NodeId>(i)).name());
    }
    Workload workload(name);
    std::vector<PodInfoPtr> arrivals;
    // With anti-affinity every pod takes a whole node, so use fewer pods than nodes.
    const size_t count = std::min(pods, nodes / 2) + 10;
    for (size_t i = 0; i < count; ++i) arrivals.push_back(engine.classes.InfoOf(workload.Next()));

    std::vector<double> decide;
    std::vector<double> assume;
    size_t placed = 0;
    uint64_t allocations = 0;
    for (size_t i = 0; i < arrivals.size(); ++i) {
      const uint64_t before = Allocations();
      const auto start = steady_clock::now();
      const scheduler::Decision decision = scheduler::Decide(*engine.profile, *arrivals[i], engine.cycle, engine.rng);
      const auto decided = steady_clock::now();
      if (i >= 10) allocations += Allocations() - before;
      if (decision.outcome == scheduler::Decision::Outcome::Placed) {
        engine.cluster.PlacePod(arrivals[i], engine.cluster.node(decision.node).name());
        ++placed;
      }
      const auto assumed = steady_clock::now();
      if (i < 10) continue;  // the first ones build indexes
      decide.push_back(Micros(decided - start));
      assume.push_back(Micros(assumed - decided));
    }
    const std::string row(name);
    figures.push_back({row, nodes, "decide p50 us", Percentile(decide, 0.5)});
    figures.push_back({row, nodes, "decide p99 us", Percentile(decide, 0.99)});
    figures.push_back({row, nodes, "assume p50 us", Percentile(assume, 0.5)});
    figures.push_back(
        {row, nodes, "allocations", static_cast<double>(allocations) / static_cast<double>(decide.size())});
    if ((placed == 0) != (name == "unschedulable"))
      fmt::print(stderr, "{}: {} of {} placed\n", name, placed, arrivals.size());
  }
}

// The memory of a node and a pod, split into the typed view decoded from a document and what the engine keeps in
// addition (rows, columns, indexes, derived amounts).
void Weigh(size_t nodes, std::vector<Figure>& figures) {
  Engine engine(false);
  const auto weigh = [&](const std::string& metric, size_t count, const auto& make) {
    const int64_t before = LiveBytes();
    make();
    figures.push_back(
        {"memory", nodes, metric, static_cast<double>(LiveBytes() - before) / static_cast<double>(count)});
  };
  std::vector<api::NodePtr> node_views(nodes);
  weigh("view B/node", nodes, [&] {
    for (size_t i = 0; i < nodes; ++i) node_views[i] = MakeNode(i);
  });
  weigh("engine B/node", nodes, [&] {
    for (const api::NodePtr& node : node_views) engine.cluster.SetNode(node);
  });
  Workload workload("basic");
  std::vector<api::PodPtr> pod_views(nodes * 10);
  weigh("view B/pod", pod_views.size(), [&] {
    for (api::PodPtr& pod : pod_views) pod = workload.Next();
  });
  weigh("engine B/pod", pod_views.size(), [&] {
    for (size_t i = 0; i < pod_views.size(); ++i) {
      engine.cluster.PlacePod(engine.classes.InfoOf(pod_views[i]), node_views[i % nodes]->meta.name);
    }
  });
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
  CLI::App app{"Times single decisions"};
  std::vector<size_t> nodes = {1000, 5000, 20000, 100000};
  size_t pods = 2000;
  std::vector<std::string> workloads;
  bool metered = false;
  std::string json;
  app.add_option("--nodes", nodes, "Cluster sizes");
  app.add_option("--pods", pods, "Pods timed per workload");
  app.add_option("--workloads", workloads, "Only these workloads");
  app.add_flag("--metrics", metered, "Count metrics meanwhile");
  app.add_option("--json", json, "Also write one JSON line per figure to this file");
  CLI11_PARSE(app, argc, argv);
  std::vector<berth::bench::Figure> figures;
  for (const size_t count : nodes) {
    berth::bench::Measure(count, count >= 100'000 ? std::min<size_t>(pods, 500) : pods, workloads, metered, figures);
    berth::bench::Weigh(count, figures);
  }
  berth::bench::PrintTable(figures);
  if (!json.empty() && !berth::bench::WriteJson(figures, json)) {
    fmt::print(stderr, "bench_decide: cannot write {}\n", json);
    return 1;
  }
  return 0;
}
