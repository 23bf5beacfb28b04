// SPDX-License-Identifier: Apache-2.0
#include "cmd/kube_process.h"

#include "cmd/kube_version.h"
#include "cmd/remote_plugins.h"
#include "config/plan.h"
#include "extender/extenders.h"
#include "kube/home/kube_home.h"

#include <algorithm>
#include <array>
#include <random>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace berth::cmd {
namespace {

// More commands at once than the rate lets through before the terms of the lease end would never be sent.
size_t MostInFlight(double qps, const config::LeaderElection& election) {
  constexpr size_t kMost = 100;
  if (qps < 0 || !election.leader_elect) return kMost;
  const std::chrono::duration<double> surely_held = election.renew_deadline - election.retry_period;
  return static_cast<size_t>(std::clamp<double>(qps * surely_held.count() / 2, 1, kMost));
}

kube::KubeHomeOptions HomeOptions(const KubeSetup& setup) {
  const config::ClientConnection& connection = setup.config.client_connection;
  kube::KubeHomeOptions options;
  options.user_agent = fmt::format("kube-scheduler/{} ({}) berth", setup.version, KubePlatform());
  options.host = setup.host;
  constexpr double kDefaultQps = 5;  // of client-go, where a flag has set none
  options.qps = connection.qps == 0 ? kDefaultQps : connection.qps;
  options.burst = connection.burst;
  // A preference for JSON, in either of the two settings, is respected; otherwise protobuf comes first.
  if (!connection.accept_content_types.empty()) {
    options.accept = connection.accept_content_types;
  } else if (!connection.content_type.empty() && connection.content_type != "application/vnd.kubernetes.protobuf") {
    options.accept = connection.content_type;
  }
  const config::LeaderElection& election = setup.config.leader_election;
  options.lease_namespace = election.resource_namespace;
  options.lease_patience = std::max<Duration>(election.renew_deadline / 2, std::chrono::seconds(1));
  options.lease_renewed_slowly = setup.lease_renewed_slowly;
  options.max_in_flight = MostInFlight(options.qps, election);
  options.keep_documents = extender::DocumentsFor(setup.config.extenders);
  if (const api::KeptDocuments all = DocumentsForPlugins(setup.plans); all.nodes) options.keep_documents = all;
  options.stream_lists = setup.config.features.Enabled("WatchListClient").value_or(true);
  // As upstream: the first profile's name, for all.
  options.lease_reporter =
      setup.config.profiles.empty() ? "default-scheduler" : setup.config.profiles.front().scheduler_name;
  if (election.leader_elect) options.write_margin = election.lease_duration - election.renew_deadline;
  return options;
}

scheduler::SchedulerOptions SchedulerOptionsFor(const KubeSetup& setup) {
  scheduler::SchedulerOptions options;
  options.engine.queue.initial_backoff = std::chrono::seconds(setup.config.pod_initial_backoff_seconds);
  options.engine.queue.max_backoff = std::chrono::seconds(setup.config.pod_max_backoff_seconds);
  options.engine.queue.max_unschedulable = setup.max_unschedulable;
  options.engine.seed = setup.seed;
  options.engine.commands.seed = setup.seed;
  options.engine.log = setup.log;
  options.engine.record_scores = setup.shadow;  // ties are told from differences by them
  options.engine.writes = !setup.shadow;
  options.engine.strict_extender_order = setup.strict_extender_order;
  options.engine.worker_threads =
      std::min<size_t>(static_cast<size_t>(setup.config.parallelism), std::thread::hardware_concurrency());
  const config::LeaderElection& election = setup.config.leader_election;
  // Who only watches needs nobody's leave.
  if (election.leader_elect && !setup.shadow) {
    options.leader = scheduler::LeadershipOptions{election.resource_name, setup.identity, election.lease_duration,
                                                  election.renew_deadline, election.retry_period};
    options.wait_for_lead = setup.config.delay_cache_until_active;
  }
  return options;
}

// Why the latest decision about the pod was not for the node; empty: it was as good as the one that was chosen.
std::string WhyNot(const scheduler::DecisionLog& log, const std::string& uid, const std::string& node) {
  const std::vector<scheduler::DecisionRecord> records = log.OfPod(uid);
  return records.empty() ? "the decision is no longer remembered" : records.back().WhyNot(node);
}

}  // namespace

Result<KubeScheduler> MakeKubeScheduler(KubeSetup setup, const Clock& clock, kube::ApiObserver* observer) {
  for (const std::string& warning : setup.access.warnings) setup.log.Warning(warning);
  std::unique_ptr<home::Home> home = std::make_unique<kube::KubeHome>(
      setup.access, setup.surroundings, clock, HomeOptions(setup), setup.log.Named("kube"), observer);
  KubeScheduler made;
  if (setup.shadow) {
    std::vector<std::string> ours;
    for (const config::ProfilePlan& plan : setup.plans) ours.push_back(plan.scheduler_name);
    auto shadow = std::make_unique<home::ShadowHome>(std::move(home), clock, std::move(ours));
    made.shadow = shadow.get();
    home = std::move(shadow);
  }
  const scheduler::SchedulerOptions options = SchedulerOptionsFor(setup);
  std::unique_ptr<framework::Extenders> extenders;
  if (!setup.config.extenders.empty()) {
    BERTH_ASSIGN_OR_RETURN(extenders, extender::Extenders::Start(config::OrderedExtenders(setup.config.extenders),
                                                                 {.surroundings = setup.surroundings}));
  }
  BERTH_ASSIGN_OR_RETURN(made.scheduler,
                         scheduler::Scheduler::Create(std::move(setup.plans), *setup.registry, std::move(home), clock,
                                                      options, /*threads=*/true, std::move(extenders)));
  if (made.shadow != nullptr) {
    made.shadow->SetWhyNot([&log = made.scheduler->engine().log()](const api::Pod& pod, const std::string& node) {
      return WhyNot(log, pod.meta.uid, node);
    });
  }
  return made;
}

std::string HostName() {
  std::array<char, 256> name = {};
  if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

std::string LeaseIdentity(const std::string& host) {
  std::random_device random;
  const auto word = [&] { return static_cast<uint32_t>(random()); };
  const uint32_t middle = word();
  const uint32_t last = word();
  // A version 4 UUID.
  return fmt::format("{}_{:08x}-{:04x}-4{:03x}-{:04x}-{:04x}{:08x}", host, word(), middle >> 16U, middle & 0xfffU,
                     0x8000U | (last >> 18U), last & 0xffffU, word());
}

}  // namespace berth::cmd
