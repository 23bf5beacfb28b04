// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/worker_pool.h"
#include "cluster/cluster_state.h"
#include "features/feature_gates.h"
#include "framework/pod_classes.h"
#include "framework/resource.h"
#include "log/logger.h"
#include "queue/nominated_pods.h"
#include "queue/scheduling_queue.h"
#include "runtime/profile.h"
#include "runtime/waiting_pod_table.h"
#include "scheduler/commands.h"
#include "scheduler/inbox.h"
#include "scheduler/problems.h"
#include "scheduler/status_shadow.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::metrics {
class SchedulerMetrics;
}

namespace berth::scheduler {

struct EngineOptions {
  queue::QueueOptions queue;
  CommandOptions commands;
  uint64_t seed = 1;             // decides among nodes of equal score
  size_t log_capacity = 10'000;  // decisions that can be explained later
  bool record_scores = false;    // records also hold the best nodes' scores by plugin; costs time
  // No pod is tried while another waits for extenders, as upstream: otherwise those go on that these have no say in.
  bool strict_extender_order = false;
  bool writes = true;  // false: the home only pretends to, as in a shadow, and the log says so
  // Threads, the engine's own included, that share out Filters and Scores written node by node. Columnar plugins, as
  // all in-tree ones are, need none. Changes no decision.
  size_t worker_threads = 1;
  bool repeat_failures = true;        // a pod like one that has just failed is not judged anew; changes no decision
  log::Logger log;                    // discards everything unless one is lent
  features::FeatureGates gates = {};  // Engine::Create sets them, and what follows from them above, as the plans say
};

// How many pods went which way since the start.
struct EngineCounts {
  uint64_t attempts = 0;
  uint64_t bound = 0;
  uint64_t unschedulable = 0;
  uint64_t errors = 0;
};

// What the engine's parts share. Engine thread only.
struct EngineState {
  EngineState(const EngineOptions& its_options, const Clock& its_clock, Inbox& its_inbox, home::Home& home,
              metrics::SchedulerMetrics* its_metrics, const framework::PodRules& rules)
      : options(its_options),
        clock(its_clock),
        inbox(its_inbox),
        metrics(its_metrics),
        classes(names, rules),
        cluster(names),
        waiting(clock, [this](std::string_view uid) { inbox.Post(PermitResolved{std::string(uid)}); }),
        workers(options.worker_threads),
        commands(home, clock, options.commands, metrics),
        log(options.log.Named("engine")),
        problems(log, metrics) {}

  const EngineOptions options;
  const Clock& clock;
  Inbox& inbox;
  metrics::SchedulerMetrics* const metrics;  // may be null
  framework::ResourceNames names;
  framework::PodClasses classes;
  cluster::ClusterState cluster;
  queue::NominatedPods nominated;
  runtime::WaitingPodTable waiting;
  WorkerPool workers;
  Commands commands;
  StatusShadow shadow;
  std::vector<std::unique_ptr<runtime::Profile>> profiles;
  std::unique_ptr<queue::SchedulingQueue> queue;
  EngineCounts counts;
  size_t unconfirmed = 0;                 // bound pods that their home has not told of yet; their attempts are over
  std::vector<std::string_view> handled;  // what the change that is being taken in means, for the metrics
  const log::Logger log;
  Problems problems;

  // Which pods a changed node may wake where there are no queueing hints to say so; empty: all.
  std::function<bool(const framework::PodInfo&)> PrecheckFor(const api::Object* after) const;
  // Wakes the pods that a change of an object could help; either may be null.
  void WakeBy(const api::Object* before, const api::Object* after);
  // The change that is being taken in means this, too.
  void NoteHandled(const framework::ClusterEvent& event);
  // Other pods may use what this one held, or was promised.
  void WakeByFreedRoom(const api::PodPtr& pod, std::optional<int32_t> max_priority = {}, std::string_view except = {});
  // Tells users about the pod, in the name of the profile.
  void Report(const runtime::Profile& profile, const api::PodPtr& pod, const char* type, const char* reason,
              const char* action, std::string note, const api::PodPtr& related = nullptr);
  void Record(home::EventNote note);
  // Asks for a change of the pod's status. From now on the engine goes by it, though the home does not know yet.
  void PatchStatus(const home::PatchPodStatus& patch);
};

// As logs name it.
inline log::ObjectName NameOf(const api::Pod& pod) { return {pod.meta.namespace_, pod.meta.name}; }

// The pod as it is once it has that node.
api::PodPtr WithNode(const api::Pod& pod, std::string_view node);

}  // namespace berth::scheduler
