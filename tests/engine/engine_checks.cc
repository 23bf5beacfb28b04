// SPDX-License-Identifier: Apache-2.0
#include "engine/engine_checks.h"

#include "engine/live_cluster.h"
#include "home/store_home.h"
#include "plugins/registry.h"

#include <fmt/format.h>

namespace berth::test {

LoadedState StateOf(scheduler::Engine& engine) {
  LoadedState state;
  state.cluster = engine.cluster().Describe();
  engine.queue().ForEach([&](const queue::QueuedPod& pod) { state.waiting.emplace(framework::PodUid(*pod.pod->pod)); });
  for (const std::string& node : engine.nominated().NodesWithNominations()) state.nominated.insert(node);
  return state;
}

LoadedState FreshStateOf(store::Store& store) {
  const ManualClock clock;
  const framework::Registry registry = plugins::InTreeRegistry();
  scheduler::Inbox inbox(scheduler::Inbox::kUnbounded);
  home::StoreHome home(store, clock);
  home.Open(inbox, api::SchedulingKinds());
  scheduler::WorkPool pool(inbox, 0);
  const auto engine =
      scheduler::Engine::Create(DefaultPlans(registry), registry, {}, {&clock, &inbox, &home, &pool, nullptr}).value();
  while (home.PumpFeeds()) {
  }
  std::vector<scheduler::Message> messages;
  inbox.Take(messages);
  for (scheduler::Message& message : messages) engine->Handle(message);
  return StateOf(*engine);
}

std::string Disagreements(scheduler::Engine& engine, const StoredCluster& cluster) {
  std::string wrong = engine.CheckInvariants();
  size_t bound = 0;
  size_t assumed = 0;
  size_t queued = 0;
  for (const store::RecordPtr& pod : cluster.Pods()) {
    if (pod->fields.phase == "Succeeded" || pod->fields.phase == "Failed") continue;  // it holds nothing any more
    const std::string_view counted_on = engine.cluster().NodeOf(pod->uid);
    const queue::Place place = engine.queue().PlaceOf(pod->uid);
    const bool waits = place != queue::Place::None && place != queue::Place::InFlight;
    if (!pod->fields.node_name.empty()) {
      ++bound;
      if (counted_on != pod->fields.node_name) {
        wrong += fmt::format("{} is on {} and counted on '{}'\n", pod->uid, pod->fields.node_name, counted_on);
      }
      if (waits) wrong += fmt::format("{} has a node and waits\n", pod->uid);
      continue;
    }
    if (!engine.queue().ProfileFor(pod->fields.scheduler_name)) continue;
    queued += waits ? 1 : 0;
    assumed += counted_on.empty() ? 0 : 1;
    if (waits == !counted_on.empty()) {
      wrong += fmt::format("{} {}\n", pod->uid, waits ? "waits and is counted on a node" : "is lost");
    }
  }
  if (engine.cluster().pod_count_total() != bound + assumed) {
    wrong += fmt::format("{} pods counted, {} known\n", engine.cluster().pod_count_total(), bound + assumed);
  }
  if (assumed != engine.attempts_under_way()) {
    wrong += fmt::format("{} attempts for {} assumed pods\n", engine.attempts_under_way(), assumed);
  }
  size_t in_queue = 0;
  engine.queue().ForEach([&](const queue::QueuedPod&) { ++in_queue; });
  if (in_queue != queued) wrong += fmt::format("{} pods queued, {} of them in the store\n", in_queue, queued);
  return wrong;
}

}  // namespace berth::test
