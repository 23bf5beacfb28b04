// SPDX-License-Identifier: Apache-2.0
#include "cmd/plugin_test_command.h"

#include "cmd/plugin_subjects.h"
#include "plugin_check/bench_text.h"
#include "plugin_check/plugin_check.h"
#include "plugin_check/report_text.h"
#include "text/style.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include <fmt/format.h>

namespace berth::cmd {
namespace {

using framework::PodInfoPtr;
using plugin_check::CheckCluster;
using plugin_check::MeasuredPlugin;
using plugin_check::PluginCheck;
using plugin_check::PluginReport;

// Recorded clusters may have no pod that waits; then this many that run are asked about, as if they did.
constexpr size_t kRunningPodsAsked = 100;

// Asks about every pod that waits, or about some that run, each taken off its node meanwhile.
void AskAboutPods(PluginCheck& check, CheckCluster& cluster) {
  for (const PodInfoPtr& pod : cluster.pending()) check.Ask(*pod);
  if (!cluster.pending().empty()) return;
  const size_t asked = std::min(cluster.running().size(), kRunningPodsAsked);
  for (size_t i = 0; i < asked; ++i) {
    const PodInfoPtr& pod = cluster.running()[i];
    cluster.cluster().RemovePod(framework::PodUid(**pod));
    check.Ask(*cluster.Unplaced(*pod));
    cluster.cluster().PlacePod(pod, (*pod)->node_name);
  }
}

std::vector<PodInfoPtr> PodsToMeasure(CheckCluster& cluster) {
  if (!cluster.pending().empty()) return cluster.pending();
  std::vector<PodInfoPtr> pods;
  for (const PodInfoPtr& pod : cluster.running()) {
    if (pods.size() < kRunningPodsAsked) pods.push_back(cluster.Unplaced(*pod));
  }
  return pods;
}

// Measures a plugin. One with columns is measured without them as well, as the runtime would call it then.
Result<std::vector<plugin_check::Cost>> Measure(const PluginSubject& subject, CheckCluster& cluster,
                                                const framework::Registry& registry,
                                                const plugin_check::BenchOptions& options) {
  const std::vector<PodInfoPtr> pods = PodsToMeasure(cluster);
  BERTH_ASSIGN_OR_RETURN(const auto profile, cluster.Build(subject.plan, registry));
  BERTH_ASSIGN_OR_RETURN(std::vector<plugin_check::Cost> costs,
                         plugin_check::PluginBench(*profile, subject.name, options).Measure(pods));
  const framework::PluginInstance& plugin = *profile->plugins().Find(subject.name);
  if (plugin.filter_all == nullptr && plugin.score_all == nullptr) return costs;
  BERTH_ASSIGN_OR_RETURN(const auto plain, cluster.Build(subject.plan, WithoutColumns(registry)));
  BERTH_ASSIGN_OR_RETURN(const std::vector<plugin_check::Cost> plain_costs,
                         plugin_check::PluginBench(*plain, subject.name, options).Measure(pods));
  for (const plugin_check::Cost& cost : plain_costs) {
    if (cost.by != "runtime") continue;
    const auto after = std::ranges::find_if(
        costs, [&](const auto& other) { return other.step == cost.step && other.form == "columnar"; });
    if (after != costs.end()) costs.insert(after, cost);
  }
  return costs;
}

PluginSubject LeastSubject() {
  PluginSubject least;
  least.name = plugin_check::kLeastPlugin;
  least.plan.scheduler_name = "default-scheduler";
  least.plan.at(framework::ExtensionPoint::Filter).push_back({least.name, 0});
  least.plan.at(framework::ExtensionPoint::Score).push_back({least.name, 1});
  return least;
}

int Complain(const Error& error, const PluginSubject& subject, const Streams& streams) {
  *streams.err << fmt::format("berth: {}: {}\n", subject.name, error.message);
  return kExitFailed;
}

}  // namespace

int RunPluginTest(const PluginTestOptions& options, const framework::Registry& registry, const Streams& streams) {
  const SystemClock clock;
  std::optional<PluginSubjects> subjects = LoadPluginSubjects(options, registry, clock, *streams.err);
  if (!subjects) return kExitFailed;
  if (subjects->cluster->pending().empty() && subjects->cluster->running().empty()) {
    *streams.err << "berth: there is no pod to ask about\n";
    return kExitFailed;
  }
  std::vector<PluginReport> reports;
  for (const PluginSubject& subject : subjects->plugins) {
    const auto profile = subjects->cluster->Build(subject.plan, registry);
    if (!profile) return Complain(profile.error(), subject, streams);
    PluginCheck check(**profile, subject.name, subjects->cluster->cluster(), options.random.seed);
    AskAboutPods(check, *subjects->cluster);
    reports.push_back(check.report());
  }
  const text::Style style{text::Painter(options.colour), streams.width, options.wide};
  *streams.out << ReportText(reports, style);
  const bool broken = std::ranges::any_of(reports, [](const auto& report) { return !report.findings.empty(); });
  return broken ? kExitFailed : kExitOk;
}

int RunPluginBench(const PluginTestOptions& options, const plugin_check::BenchOptions& bench,
                   const framework::Registry& registry, const Streams& streams) {
  const SystemClock clock;
  std::optional<PluginSubjects> subjects = LoadPluginSubjects(options, registry, clock, *streams.err);
  if (!subjects) return kExitFailed;
  std::vector<MeasuredPlugin> measured;
  for (const PluginSubject& subject : subjects->plugins) {
    Result<std::vector<plugin_check::Cost>> costs = Measure(subject, *subjects->cluster, registry, bench);
    if (!costs) return Complain(costs.error(), subject, streams);
    measured.push_back({subject.name, *std::move(costs)});
  }
  const PluginSubject least = LeastSubject();
  const framework::Registry least_alone({plugin_check::LeastPluginEntry()});
  Result<std::vector<plugin_check::Cost>> costs = Measure(least, *subjects->cluster, least_alone, bench);
  if (!costs) return Complain(costs.error(), least, streams);
  measured.push_back({least.name, *std::move(costs)});
  *streams.out << fmt::format("{} nodes, {} pods, one thread; the quickest of {} rounds\n\n",
                              subjects->cluster->cluster().node_count(), PodsToMeasure(*subjects->cluster).size(),
                              bench.rounds)
               << BenchText(measured, {text::Painter(options.colour), streams.width, options.wide});
  return kExitOk;
}

}  // namespace berth::cmd
