// SPDX-License-Identifier: Apache-2.0
// Weeks in minutes: objects come and go whose names, labels and values never repeat, while the cluster stays as large
// as it was. What the scheduler holds must follow the cluster, not its history: the soak fails when the heap has grown
// between the first twentieth and the end. Times are printed, not judged.
#include "live_bytes.h"
#include "soaked_cluster.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace berth::soak {
namespace {

constexpr size_t kNodes = 200;
constexpr size_t kPodsAlive = 1'000;
// Growth beyond this is a leak: what is kept for reuse has long been made by then.
constexpr double kAllowedGrowth = 0.10;

std::string NodeName(size_t i) { return fmt::format("node-{:07}", i); }
std::string Zone(size_t i) { return fmt::format(R"("topology.kubernetes.io/zone":"zone-{}")", i % 5); }

// Constraints that stay the same from pod to pod: the indexes behind them live as long as the run.
std::string LastingConstraints() {
  return R"("topologySpreadConstraints":[{"maxSkew":5,"topologyKey":"topology.kubernetes.io/zone","whenUnsatisfiable":)"
         R"("ScheduleAnyway","labelSelector":{"matchLabels":{"app":"soak"}}},{"maxSkew":5,"topologyKey":)"
         R"("kubernetes.io/hostname","whenUnsatisfiable":"ScheduleAnyway","labelSelector":{"matchLabels":)"
         R"({"app":"soak"}}}],"affinity":{"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[)"
         R"({"weight":1,"podAffinityTerm":{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":)"
         R"({"app":"soak"}}}}]}})";
}

// One pod comes, and the oldest goes once there are enough.
void Turn(SoakedCluster& cluster, size_t i, const PodParts& parts) {
  cluster.AddPod(fmt::format("pod-{}", i), parts);
  if (i >= kPodsAlive) cluster.RemovePod(fmt::format("pod-{}", i - kPodsAlive));
}

// Jobs: every pod has labels of its own.
void RunJob(SoakedCluster& cluster, size_t i) {
  Turn(cluster, i,
       {fmt::format(R"("app":"soak","batch.kubernetes.io/job-name":"job-{0}","controller-uid":"6f1b-{0}",)"
                    R"("pod-template-hash":"{0:x}")",
                    i),
        LastingConstraints()});
}

// Taints whose value is the moment they were made at.
void Taint(SoakedCluster& cluster, size_t i) {
  const size_t node = i % kNodes;
  cluster.UpdateNode(NodeName(node), {Zone(node), fmt::format("2026-01-01T00.00.{:09}Z", i)});
  Turn(cluster, i, {R"("app":"soak")", {}});
}

// Nodes that are replaced, each by one with another host name and another version of the image. Their pods go when
// their time has come, as without it.
void ReplaceNode(SoakedCluster& cluster, size_t i) {
  cluster.RemoveNode(NodeName(i));
  cluster.AddNode(NodeName(i + kNodes), {Zone(i), {}, fmt::format("soak:{}", i)});
  Turn(cluster, i, {R"("app":"soak")", LastingConstraints()});
}

// Workloads of twenty pods, each with selectors of its own in every place where there are selectors.
void RunWorkload(SoakedCluster& cluster, size_t i) {
  constexpr size_t kReplicas = 20;
  const std::string selector = fmt::format(R"({{"matchLabels":{{"workload":"w-{}"}}}})", i);
  const PodParts parts{
      fmt::format(R"("workload":"w-{}")", i),
      fmt::format(
          R"("topologySpreadConstraints":[{{"maxSkew":1,"topologyKey":"topology.kubernetes.io/zone",)"
          R"("whenUnsatisfiable":"DoNotSchedule","labelSelector":{0}}}],"affinity":{{"podAntiAffinity":{{)"
          R"("preferredDuringSchedulingIgnoredDuringExecution":[{{"weight":1,"podAffinityTerm":{{"topologyKey":)"
          R"("kubernetes.io/hostname","labelSelector":{0}}}}}]}},"nodeAffinity":{{)"
          R"("requiredDuringSchedulingIgnoredDuringExecution":{{"nodeSelectorTerms":[{{"matchExpressions":[)"
          R"({{"key":"kubernetes.io/hostname","operator":"NotIn","values":["gone-{1}"]}}]}}]}},)"
          R"("preferredDuringSchedulingIgnoredDuringExecution":[{{"weight":1,"preference":{{"matchExpressions":[)"
          R"({{"key":"workload-{1}","operator":"DoesNotExist"}}]}}}}]}}}})",
          selector, i)};
  for (size_t replica = 0; replica < kReplicas; ++replica) Turn(cluster, i * kReplicas + replica, parts);
}

// Pods that each bring a claim with a volume of its own.
void RunWithClaim(SoakedCluster& cluster, size_t i) {
  const auto claim = [](size_t of) { return fmt::format("claim-{}", of); };
  cluster.AddClaim(claim(i));
  Turn(cluster, i,
       {R"("app":"soak")",
        fmt::format(R"("volumes":[{{"name":"data","persistentVolumeClaim":{{"claimName":"{}"}}}}])", claim(i))});
  if (i >= kPodsAlive) cluster.RemoveClaim(claim(i - kPodsAlive));
}

// Pods that wait for a node of their own, which never comes, until they are given up.
void WaitInVain(SoakedCluster& cluster, size_t i) {
  Turn(cluster, i, {fmt::format(R"("app":"in-vain-{}")", i), fmt::format(R"("nodeSelector":{{"wanted":"{}"}})", i)});
}

struct Scenario {
  std::string name;
  size_t full;
  size_t brief;
  size_t batch;  // steps between two settlements
  void (*step)(SoakedCluster&, size_t);
  bool places = true;  // every pod finds a node
};

const std::vector<Scenario>& Scenarios() {
  static const std::vector<Scenario> kScenarios = {
      {"jobs", 1'000'000, 100'000, 100, RunJob},     {"taints", 200'000, 50'000, 100, Taint},
      {"nodes", 100'000, 40'000, 20, ReplaceNode},   {"selectors", 5'000, 2'000, 5, RunWorkload},
      {"claims", 50'000, 30'000, 100, RunWithClaim}, {"waiting", 50'000, 30'000, 100, WaitInVain, false},
  };
  return kScenarios;
}

// Processor time of this process: what else the machine does has no part in it.
double ProcessorSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Where a run stands.
struct Mark {
  int64_t bytes = 0;
  double seconds = 0;
  uint64_t decisions = 0;
};

double MicrosPerDecision(const Mark& from, const Mark& to) {
  return (to.seconds - from.seconds) * 1e6 / static_cast<double>(to.decisions - from.decisions);
}

// Says whether the heap stayed as large as it was.
bool Run(const Scenario& scenario, size_t count) {
  const int64_t bytes_before = bench::LiveBytes();
  const double start = ProcessorSeconds();
  SoakedCluster cluster;
  for (size_t i = 0; i < kNodes; ++i) cluster.AddNode(NodeName(i), {Zone(i), {}});
  cluster.Settle();
  const auto mark = [&] {
    return Mark{bench::LiveBytes() - bytes_before, ProcessorSeconds() - start, cluster.decisions()};
  };

  const size_t twentieth = count / 20;
  Mark early;  // after the first twentieth, in which the cluster fills
  Mark second;
  Mark late;
  for (size_t i = 0; i < count; ++i) {
    scenario.step(cluster, i);
    const size_t done = i + 1;
    const bool is_mark = done == twentieth || done == 2 * twentieth || done == count - twentieth || done == count;
    if (done % scenario.batch == 0 || is_mark) cluster.Settle();
    if (done == twentieth) early = mark();
    if (done == 2 * twentieth) second = mark();
    if (done == count - twentieth) late = mark();
  }
  const Mark end = mark();
  const double growth = static_cast<double>(end.bytes - early.bytes) / static_cast<double>(early.bytes);
  const bool all_placed = cluster.failures() == 0;
  const bool passes = growth <= kAllowedGrowth && all_placed == scenario.places;
  fmt::print("{:<10} {:>9} {:>10.2f} {:>10.2f} {:>+8.1f}% {:>12.1f} {:>12.1f} {:>8.1f}  {}\n", scenario.name, count,
             static_cast<double>(early.bytes) / 1e6, static_cast<double>(end.bytes) / 1e6, growth * 100,
             MicrosPerDecision(early, second), MicrosPerDecision(late, end), end.seconds, passes ? "ok" : "FAILED");
  if (scenario.places && !all_placed) fmt::print("  {} attempts found no node\n", cluster.failures());
  std::fflush(stdout);
  return passes;
}

}  // namespace
}  // namespace berth::soak

int main(int argc, char** argv) {
  CLI::App app{"Lets a small cluster live through a long history, and fails when the heap grows with it"};
  bool full = false;
  size_t count = 0;
  std::vector<std::string> only;
  app.add_flag("--full", full, "Full lengths: 1,000,000 jobs, 200,000 taints, 100,000 nodes, 5,000 selectors");
  app.add_option("--count", count, "This many steps of each instead");
  app.add_option("--only", only, "Only these scenarios");
  CLI11_PARSE(app, argc, argv);
  fmt::print("{:<10} {:>9} {:>10} {:>10} {:>9} {:>12} {:>12} {:>8}\n", "scenario", "steps", "MB at 5 %", "MB at end",
             "growth", "us/pod early", "us/pod late", "s");
  bool passes = true;
  for (const berth::soak::Scenario& scenario : berth::soak::Scenarios()) {
    if (!only.empty() && std::ranges::find(only, scenario.name) == only.end()) continue;
    passes &= berth::soak::Run(scenario, count != 0 ? count : full ? scenario.full : scenario.brief);
  }
  return passes ? 0 : 1;
}
