// SPDX-License-Identifier: Apache-2.0
// The whole scheduler over the memory store: throughput, latency from event to decision, and cost.
#include "config/defaults.h"
#include "config/plan.h"
#include "documents.h"
#include "live_bytes.h"
#include "plugins/registry.h"
#include "report.h"
#include "scheduler/scheduler.h"
#include "store/memory/memory_store.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace berth::bench {
namespace {

using std::chrono::steady_clock;

double Seconds(steady_clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

double Percentile(std::vector<double> samples, double p) {
  std::ranges::sort(samples);
  return samples[static_cast<size_t>(p * static_cast<double>(samples.size() - 1))];
}

template <typename F>
void WaitFor(F&& done) {
  while (!done()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

// A store and a scheduler over it, with the default profile and every node scored.
struct RunningScheduler {
  SystemClock clock;
  store::MemoryStore store{clock};
  framework::Registry registry = plugins::InTreeRegistry();
  std::unique_ptr<scheduler::Scheduler> scheduler;

  void Build(scheduler::SchedulerOptions options, bool threads) {
    auto plans = config::PlanProfiles(config::DefaultConfiguration(registry), registry);
    scheduler = std::move(
        scheduler::Scheduler::Create(std::move(plans).value(), registry, store, clock, options, threads).value());
  }
  scheduler::EngineCounts Counts() const {
    scheduler::EngineCounts counts;
    scheduler->Ask([&](scheduler::Engine& engine) { counts = engine.counts(); });
    return counts;
  }
  size_t Waiting() const {
    size_t waiting = 0;
    scheduler->Ask([&](scheduler::Engine& engine) {
      const queue::SchedulingQueue::Sizes sizes = engine.queue().sizes();
      waiting = sizes.active + sizes.backoff + sizes.unschedulable + sizes.gated;
    });
    return waiting;
  }
};

// Pods are queued first, while another holder has the lease; time is measured from the release of the lease to the last
// binding in the store.
double PodsPerSecond(std::string_view workload, size_t nodes, size_t pods) {
  RunningScheduler running;
  CreateAll(running.store, nodes, CreateNode);
  CreateAll(running.store, pods, [&](size_t i) { return CreatePod(workload, i); });
  const store::Lease blocker = running.store.AcquireLease("bench", "bench", std::chrono::hours(1)).value();
  scheduler::SchedulerOptions options;
  options.leader.emplace();
  options.leader->lease = "bench";
  options.leader->holder = "berth";
  options.leader->retry_period = std::chrono::milliseconds(1);
  running.Build(options, true);
  running.scheduler->Start();
  WaitFor([&] { return running.Waiting() == pods; });
  const auto start = steady_clock::now();
  BERTH_CHECK(running.store.ReleaseLease(blocker).has_value());
  WaitFor([&] { return running.Counts().bound >= pods; });
  const double seconds = Seconds(steady_clock::now() - start);
  running.scheduler->Stop();
  return static_cast<double>(pods) / seconds;
}

void MeasureThroughput(size_t nodes, size_t pods, std::vector<Figure>& figures) {
  for (const std::string_view workload :
       {"basic", "distinct", "node affinity", "zone spread", "required affinity", "required anti-affinity"}) {
    // With anti-affinity every pod takes a whole node; the others fit even when they must share a zone.
    const size_t room = workload == "required anti-affinity" ? nodes * 4 / 5 : nodes * 8;
    const size_t count = std::min(pods, room);
    figures.push_back({std::string(workload), nodes, "pods/s", PodsPerSecond(workload, nodes, count)});
  }
}

// Many pods each wait for a node with a specific label; then one node after the other gets such a label.
void MeasureWaking(size_t nodes, size_t waiting, std::vector<Figure>& figures) {
  RunningScheduler running;
  CreateAll(running.store, nodes, CreateNode);
  CreateAll(running.store, waiting, [](size_t i) { return CreatePod("labelled", i); });
  running.Build({}, true);
  std::atomic<int64_t> decided = 0;
  running.scheduler->engine().log().SetSink([&](const scheduler::DecisionRecord& record) {
    if (record.outcome == scheduler::Decision::Outcome::Placed) {
      decided = steady_clock::now().time_since_epoch().count();
    }
  });
  running.scheduler->Start();
  WaitFor([&] { return running.Counts().unschedulable >= waiting; });
  // Every pod was tried and its status written; let the backoff expire, so that only the event matters.
  WaitFor([&] {
    size_t unanswered = 1;
    running.scheduler->Ask([&](scheduler::Engine& engine) { unanswered = engine.commands().unanswered(); });
    return unanswered == 0;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(2'500));
  std::vector<double> micros;
  constexpr size_t kEvents = 500;
  for (size_t i = 0; i < kEvents; ++i) {
    store::Transaction transaction;
    store::Operation update = CreateNode(i);
    update.type = store::Operation::Type::Update;
    update.value = LabelledNode(i, "wanted", std::to_string(i * (waiting / kEvents)));
    transaction.operations.push_back(std::move(update));
    decided = 0;
    const auto start = steady_clock::now();
    BERTH_CHECK(running.store.Commit(std::move(transaction)).value().committed);
    // Spin instead of sleeping, to keep the processor's wake-up latency out of the measurement.
    while (decided == 0) std::this_thread::yield();
    micros.push_back(static_cast<double>(decided - start.time_since_epoch().count()) / 1e3);
    for (const auto end = steady_clock::now() + std::chrono::milliseconds(2); steady_clock::now() < end;) {
      std::this_thread::yield();
    }
  }
  running.scheduler->Stop();
  const std::string row = fmt::format("event to decision, {} waiting", waiting);
  figures.push_back({row, nodes, "p50 us", Percentile(micros, 0.5)});
  figures.push_back({row, nodes, "p99 us", Percentile(micros, 0.99)});
}

// The scheduler's memory for pending pods, without the store's own copy.
void MeasureMemory(std::string_view workload, size_t nodes, size_t pods, std::vector<Figure>& figures) {
  RunningScheduler running;
  CreateAll(running.store, pods, [&](size_t i) { return CreatePod(workload, i); });
  const store::Lease blocker = running.store.AcquireLease("bench", "bench", std::chrono::hours(1)).value();
  scheduler::SchedulerOptions options;
  options.leader.emplace();
  options.leader->lease = blocker.name;
  running.Build(options, false);
  const int64_t before = LiveBytes();
  while (running.Waiting() < pods) running.scheduler->Pump();
  figures.push_back({fmt::format("{} {} pods pending", pods, workload), nodes, "MB",
                     static_cast<double>(LiveBytes() - before) / 1e6});
}

void MeasureStart(size_t nodes, size_t pods, std::vector<Figure>& figures) {
  RunningScheduler running;
  CreateAll(running.store, nodes, CreateNode);
  CreateAll(running.store, pods,
            [&](size_t i) { return CreatePod("distinct", i, fmt::format("node-{:06}", i % nodes)); });
  const auto start = steady_clock::now();
  running.Build({}, true);
  running.scheduler->Start();
  WaitFor([&] {
    bool synced = false;
    running.scheduler->Ask([&](scheduler::Engine& engine) { synced = engine.synced(); });
    return synced;
  });
  figures.push_back({fmt::format("start with {} pods", pods), nodes, "s", Seconds(steady_clock::now() - start)});
  running.scheduler->Stop();
}

// Heap allocations of the engine's part: pop, decide, assume, submit.
void CountAllocations(size_t nodes, std::vector<Figure>& figures) {
  for (const std::string_view workload :
       {"basic", "distinct", "node affinity", "zone spread", "required affinity", "required anti-affinity"}) {
    RunningScheduler running;
    constexpr size_t kPods = 1'000;
    CreateAll(running.store, nodes, CreateNode);
    CreateAll(running.store, 2 * kPods, [&](size_t i) { return CreatePod(workload, i); });
    scheduler::SchedulerOptions options;
    options.engine.log_capacity = 100;
    options.leader.emplace();  // the lease is held by another until everything is queued
    options.leader->lease = "bench";
    const store::Lease blocker = running.store.AcquireLease("bench", "bench", std::chrono::hours(1)).value();
    running.Build(options, false);
    while (running.Waiting() < 2 * kPods) running.scheduler->Pump();
    scheduler::Engine& engine = running.scheduler->engine();
    // Warm up what is reused: buffers, indexes, spare attempts.
    for (size_t i = 0; i < kPods; ++i) engine.ScheduleOne();
    while (engine.attempts_under_way() > 0) running.scheduler->Pump();
    const uint64_t before = Allocations();
    for (size_t i = 0; i < kPods; ++i) engine.ScheduleOne();
    figures.push_back({std::string(workload), nodes, "allocations",
                       static_cast<double>(Allocations() - before) / static_cast<double>(kPods)});
  }
}

// The exponent of growth of the time per pod: 0 constant, 1 linear, 2 quadratic.
double Exponent(double from, double to, double slow, double fast) {
  return std::log(fast / slow) / std::log(to / from);
}

void PrintGrowth(const std::vector<Figure>& figures, const std::vector<size_t>& nodes) {
  if (nodes.size() < 2) return;
  fmt::print("\ntime per pod grows with the nodes by the exponent\n");
  for (const Figure& small : figures) {
    if (small.metric != "pods/s" || small.nodes != nodes.front()) continue;
    for (const Figure& large : figures) {
      if (large.metric != small.metric || large.name != small.name || large.nodes != nodes.back()) continue;
      fmt::print(
          "  {:<24} {:.2f}\n", small.name,
          Exponent(static_cast<double>(small.nodes), static_cast<double>(large.nodes), large.value, small.value));
    }
  }
}

void PrintGrowthWithPods(size_t nodes, size_t pods) {
  fmt::print("time per pod grows with the pods ({} to {}) by the exponent\n", pods / 8, pods);
  for (const std::string_view workload : {"basic", "zone spread"}) {
    const double few = PodsPerSecond(workload, nodes, pods / 8);
    const double many = PodsPerSecond(workload, nodes, pods);
    fmt::print("  {:<24} {:.2f}\n", workload,
               Exponent(static_cast<double>(pods) / 8, static_cast<double>(pods), many, few));
  }
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
  using namespace berth::bench;
  CLI::App app{"Times the whole scheduling loop over the memory store"};
  std::vector<size_t> nodes = {1000, 5000, 20000};
  size_t pods = 20'000;
  size_t waiting = 10'000;
  bool quick = false;
  std::string json;
  app.add_option("--nodes", nodes, "Cluster sizes for the throughput rows; the other rows use 5000");
  app.add_option("--pods", pods, "Pods per workload");
  app.add_option("--waiting", waiting, "Unschedulable pods that wait while one is woken");
  app.add_flag("--quick", quick, "Throughput only");
  app.add_option("--json", json, "Also write one JSON line per figure to this file");
  CLI11_PARSE(app, argc, argv);
  std::vector<Figure> figures;
  const auto step = [](std::string_view what) { fmt::print(stderr, "{} …\n", what); };
  for (const size_t count : nodes) {
    step(fmt::format("throughput with {} nodes", count));
    MeasureThroughput(count, pods, figures);
  }
  if (!quick) {
    constexpr size_t kNodes = 5'000;
    step("allocations");
    CountAllocations(kNodes, figures);
    step("waking");
    MeasureWaking(kNodes, waiting, figures);
    step("start");
    MeasureStart(kNodes, 50'000, figures);
    step("memory");
    for (const std::string_view workload : {"basic", "distinct"}) MeasureMemory(workload, kNodes, 100'000, figures);
  }
  PrintTable(figures);
  PrintGrowth(figures, nodes);
  if (!quick) PrintGrowthWithPods(5'000, pods);
  if (!json.empty() && !WriteJson(figures, json)) {
    fmt::print(stderr, "bench_loop: cannot write {}\n", json);
    return 1;
  }
  return 0;
}
