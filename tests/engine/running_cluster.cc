// SPDX-License-Identifier: Apache-2.0
#include "engine/running_cluster.h"

#include "engine/engine_checks.h"
#include "engine/live_cluster.h"
#include "plugins/registry.h"

#include <thread>
#include <utility>

namespace berth::test {
namespace {

const SystemClock kRealClock;

}  // namespace

bool Eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

RunningCluster::RunningCluster() : RunningCluster(kRealClock) {}

RunningCluster::RunningCluster(const Clock& clock)
    : StoredCluster(clock), registry(plugins::InTreeRegistry()), plans(DefaultPlans(registry)), clock_(clock) {}

std::unique_ptr<scheduler::Scheduler> RunningCluster::NewScheduler(scheduler::SchedulerOptions options,
                                                                   store::Store* through) {
  store::Store& seen = through == nullptr ? store : *through;
  return std::move(scheduler::Scheduler::Create(plans, registry, seen, clock_, options, /*threads=*/true).value());
}

void RunningCluster::AddNodes(size_t count, const std::string& cpu) {
  std::vector<store::Operation> operations;
  for (size_t i = 0; i < count; ++i) operations.push_back(NodeOperation("n" + std::to_string(i), cpu));
  Write(std::move(operations));
}

void RunningCluster::AddPods(const std::string& prefix, size_t count, const PodWish& wish, size_t batch) {
  for (size_t begin = 0; begin < count; begin += batch) {
    std::vector<store::Operation> operations;
    for (size_t i = begin; i < std::min(count, begin + batch); ++i) {
      operations.push_back(PodOperation(prefix + std::to_string(i), wish));
    }
    Write(std::move(operations));
  }
}

bool RunningCluster::IsQuiet(scheduler::Scheduler& scheduler) {
  bool quiet = false;
  scheduler.Ask([&](scheduler::Engine& engine) { quiet = engine.synced() && engine.attempts_under_way() == 0; });
  return quiet;
}

std::string DisagreementsOf(scheduler::Scheduler& scheduler, const StoredCluster& cluster) {
  std::string wrong;
  scheduler.Ask([&](scheduler::Engine& engine) { wrong = Disagreements(engine, cluster); });
  return wrong;
}

}  // namespace berth::test
