// SPDX-License-Identifier: Apache-2.0
#include "cmd/kube_command.h"

#include "cmd/client_observer.h"
#include "cmd/kube_metrics.h"
#include "cmd/kube_process.h"
#include "cmd/kube_serving.h"
#include "cmd/kube_validate.h"
#include "cmd/kube_version.h"
#include "cmd/live_answers.h"
#include "cmd/signals.h"
#include "kube/access/find_cluster.h"
#include "metrics/client_metrics.h"
#include "metrics/process_metrics.h"
#include "serve/side_thread.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
#include <string_view>
#include <sys/resource.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace berth::cmd {
namespace {

// As Go programs do: whoever connects and says nothing must not use up what bindings are sent with.
void AllowAllFiles() {
  rlimit files = {};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

int Fail(const KubeStart& start, const std::string& why) {
  start.log.Named("setup").Error("command failed", {{"err", why}});
  return kExitFailed;
}

Result<KubeSetup> SetupOf(KubeStart& start) {
  const config::SchedulerConfiguration& config = start.configuration.loaded.config;
  BERTH_RETURN_IF_ERROR(CheckRates(config.client_connection));
  if (config.leader_election.leader_elect) BERTH_RETURN_IF_ERROR(CheckElection(config.leader_election));
  KubeSetup setup;
  setup.surroundings = kube::OfThisProcess();
  BERTH_ASSIGN_OR_RETURN(setup.access, kube::FindClusterForScheduler(config.client_connection.kubeconfig,
                                                                     start.flags.master, {}, setup.surroundings));
  setup.config = config;
  setup.plans = std::move(start.configuration.plans);
  setup.registry = start.configuration.loaded.registry;
  setup.max_unschedulable = start.flags.deprecated.pod_max_in_unschedulable_pods_duration;
  setup.host = HostName();
  setup.identity = LeaseIdentity(setup.host);
  setup.version = start.version;
  setup.seed = std::random_device()();
  setup.shadow = start.own.shadow;
  setup.strict_extender_order = start.own.strict_extender_order;
  setup.log = start.log;
  return setup;
}

// As upstream calls the lease, whatever its name.
constexpr std::string_view kLeaseInMetrics = "kube-scheduler";

// What is exposed beside the scheduler's own metrics.
std::vector<serve::MetricsSource> MetricsBeside(const KubeStart& start, const scheduler::Scheduler& scheduler,
                                                metrics::ClientMetrics& client) {
  const config::SchedulerConfiguration& config = start.configuration.loaded.config;
  const auto process =
      std::make_shared<metrics::ProcessMetrics>(KubeBuild(start.version), FeatureStatesOf(config.features));
  const bool elects = config.leader_election.leader_elect && !start.own.shadow;
  return {[process](std::string& out) { out += process->Expose(); },
          [&scheduler, &client, elects](std::string& out) {
            if (elects) client.SetLeading(kLeaseInMetrics, scheduler.leads());
            out += client.Expose();
          }};
}

enum class End : uint8_t { Asked, LostLease };

// Until SIGTERM or SIGINT, or until the lease is lost, which is looked for every so often.
End WaitForTheEnd(const Signals& signals, const scheduler::Scheduler& scheduler, LiveAnswers& answers,
                  const log::Logger& log, std::chrono::milliseconds look) {
  bool led = false;
  while (true) {
    const std::optional<int> signal = signals.Wait(look);
    if (signal == SIGUSR2) {
      for (const std::string& line : answers.StateDump()) log.Info(line);
    }
    if (signal == SIGTERM || signal == SIGINT) return End::Asked;
    const bool leads = scheduler.leads();
    if (led && !leads) return End::LostLease;
    led = leads;
  }
}

}  // namespace

int RunKubeProcess(KubeStart start) {
  const Signals signals;  // before there is any other thread
  AllowAllFiles();
  Result<KubeSetup> setup = SetupOf(start);
  if (!setup) return Fail(start, setup.error().message);
  const log::Logger log = start.log.Named("kube");
  log.Info("Starting Kubernetes Scheduler",
           {{"version", start.version}, {"server", setup->access.server.Text()}, {"access", setup->access.origin}});
  if (start.own.shadow)
    log.Info("Runs as a shadow: decides and compares, binds nothing, writes nothing, takes no lease");

  metrics::ClientMetrics client_metrics;
  ClientObserver observer(client_metrics);
  setup->lease_renewed_slowly = [&client_metrics] { client_metrics.SlowPath(kLeaseInMetrics); };
  Result<KubeScheduler> made = MakeKubeScheduler(*std::move(setup), start.clock, &observer);
  if (!made) return Fail(start, made.error().message);
  scheduler::Scheduler& scheduler = *made->scheduler;
  LiveAnswers answers(scheduler, *start.configuration.loaded.registry, start.clock, made->shadow);
  serve::SideThread side;
  std::atomic<bool> stopping = false;
  ServedParts parts;
  parts.scheduler = &scheduler;
  parts.answers = &answers;
  parts.side = &side;
  parts.stopping = [&stopping] { return stopping.load(); };
  parts.metrics = MetricsBeside(start, scheduler, client_metrics);
  Result<metrics::ExpositionFilter> filter = ExpositionFilterOf(start.flags.metrics);
  if (!filter) return Fail(start, filter.error().message);
  parts.filter = *std::move(filter);
  Result<std::unique_ptr<serve::Server>> server = MakeKubeServer(start, parts, &observer);
  if (!server) return Fail(start, server.error().message);
  if (*server != nullptr) {
    if (const Result<void> serving = (*server)->Start(); !serving) return Fail(start, serving.error().message);
  }
  scheduler.Start();
  const bool elects = start.configuration.loaded.config.leader_election.leader_elect;
  const std::chrono::milliseconds look = elects ? std::chrono::milliseconds(100) : std::chrono::minutes(1);
  if (WaitForTheEnd(signals, scheduler, answers, log, look) == End::LostLease) {
    // As upstream: nothing that was decided under the lease is worth finishing, and whoever runs this starts it afresh.
    const std::string why = scheduler.LastLeaseError();
    log.Error("Leaderelection lost", {{"err", why.empty() ? "the lease was not renewed in time" : why}});
    std::_Exit(kExitFailed);
  }
  log.Info("Requested to terminate, exiting");
  signals.EndAtNext();
  stopping = true;
  scheduler.Stop();
  if (*server != nullptr) (*server)->Stop();
  if (made->shadow != nullptr) *start.streams.out << ShadowText(made->shadow->report());
  return kExitOk;
}

}  // namespace berth::cmd
