// SPDX-License-Identifier: Apache-2.0
// The cost of recording metrics: one thread, label sets that already exist.
#include "live_bytes.h"
#include "metrics/scheduler_metrics.h"
#include "metrics/stopwatch.h"
#include "report.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace berth::bench {
namespace {

using metrics::Stopwatch;

constexpr int kBatches = 200;
constexpr int64_t kCalls = 20'000;

// As many label sets as a profile of twenty plugins has, so that lookups are realistic.
void Fill(metrics::SchedulerMetrics& metrics) {
  for (const std::string_view point : {"PreFilter", "Filter", "PreScore", "Score"}) {
    for (int plugin = 0; plugin < 20; ++plugin) {
      const std::string name = fmt::format("NodeResourcesPlugin{}", plugin);
      metrics.PluginRun(name, point, "Success", Duration(1));
      metrics.PluginEvaluated(name, point, "default-scheduler");
    }
    metrics.ExtensionPoint(point, "Success", "default-scheduler", Duration(1));
  }
}

// Takes the fastest of many batches, as other work on the machine can only slow it down. Each call gets a duration of
// up to 20 us to record.
template <typename Call>
void Time(const std::string& name, std::vector<Figure>& figures, const Call& call) {
  call(0);
  const uint64_t before = Allocations();
  Duration best = Duration::max();
  for (int batch = 0; batch < kBatches; ++batch) {
    const Stopwatch watch;
    for (int64_t i = 0; i < kCalls; ++i) call(i);
    best = std::min(best, watch.Elapsed());
  }
  const uint64_t allocations = Allocations() - before;
  figures.push_back({name, 0, "ns/call", static_cast<double>(best.count()) / static_cast<double>(kCalls)});
  figures.push_back({name, 0, "allocations", static_cast<double>(allocations)});
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
  CLI::App app{"Times the counting of metrics"};
  std::string json;
  app.add_option("--json", json, "Also write one JSON line per figure to this file");
  CLI11_PARSE(app, argc, argv);
  using berth::Duration;
  std::vector<berth::bench::Figure> figures;
  berth::metrics::SchedulerMetrics metrics;
  berth::bench::Fill(metrics);
  using berth::bench::Time;
  Time("Algorithm, no label", figures, [&](int64_t i) { metrics.Algorithm(Duration(i)); });
  Time("SetPending, 1 label", figures,
       [&](int64_t i) { metrics.SetPending(berth::metrics::QueueName::Active, static_cast<size_t>(i)); });
  Time("Attempt, 2 x 2 labels", figures,
       [&](int64_t i) { metrics.Attempt(berth::metrics::AttemptResult::Scheduled, "default-scheduler", Duration(i)); });
  Time("ExtensionPoint, 3", figures,
       [&](int64_t i) { metrics.ExtensionPoint("PreScore", "Success", "default-scheduler", Duration(i)); });
  Time("PluginRun, 3", figures,
       [&](int64_t i) { metrics.PluginRun("NodeResourcesPlugin7", "Filter", "Success", Duration(i)); });
  Time("PluginEvaluated, 3", figures,
       [&](int64_t) { metrics.PluginEvaluated("NodeResourcesPlugin7", "Filter", "default-scheduler"); });
  berth::metrics::Counter& counter = metrics.PluginEvaluations("NodeResourcesPlugin7", "Filter", "default-scheduler");
  Time("a kept counter", figures, [&](int64_t) { counter.Increment(); });
  berth::metrics::Stopwatch watch;
  Time("Algorithm, with Lap", figures, [&](int64_t) { metrics.Algorithm(watch.Lap()); });
  berth::bench::PrintTable(figures);
  if (!json.empty() && !berth::bench::WriteJson(figures, json)) {
    fmt::print(stderr, "bench_metrics: cannot write {}\n", json);
    return 1;
  }
  return 0;
}
