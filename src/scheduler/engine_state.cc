// SPDX-License-Identifier: Apache-2.0
#include "scheduler/engine_state.h"

#include "queue/change_events.h"
#include "scheduler/node_precheck.h"

#include <utility>

namespace berth::scheduler {

std::function<bool(const framework::PodInfo&)> EngineState::PrecheckFor(const api::Object* after) const {
  if (options.queue.hints || after == nullptr) return {};
  const auto* node = std::get_if<api::NodePtr>(after);
  const framework::NodeId id = node == nullptr ? framework::kNoNode : cluster.FindNode((*node)->meta.name);
  if (id == framework::kNoNode) return {};
  const bool may_compare = options.gates.Enabled(features::Gate::TaintTolerationComparisonOperators);
  return
      [this, id, may_compare](const framework::PodInfo& pod) { return CouldTake(cluster.node(id), pod, may_compare); };
}

void EngineState::WakeBy(const api::Object* before, const api::Object* after) {
  for (const framework::ClusterEvent& event : queue::EventsOf(before, after, options.queue.changes)) {
    queue->Wake({event, before, after, {}, {}, PrecheckFor(after)});
    NoteHandled(event);
  }
}

void EngineState::NoteHandled(const framework::ClusterEvent& event) {
  if (metrics != nullptr) handled.push_back(queue->LabelOf(event));
}

void EngineState::WakeByFreedRoom(const api::PodPtr& pod, std::optional<int32_t> max_priority,
                                  std::string_view except) {
  const api::Object before = pod;
  constexpr framework::ClusterEvent kAssignedPodDelete{framework::EventResource::AssignedPod, framework::kDelete};
  queue->Wake({kAssignedPodDelete, &before, nullptr, max_priority, except});
}

void EngineState::Report(const runtime::Profile& profile, const api::PodPtr& pod, const char* type, const char* reason,
                         const char* action, std::string note, const api::PodPtr& related) {
  Record({pod, related, type, reason, action, std::move(note), std::string(profile.profile_name()), clock.Now()});
}

void EngineState::Record(home::EventNote note) {
  if (commands.Record(std::move(note)) || options.commands.max_events == 0) return;  // none are wanted then
  problems.Report(ProblemKind::EventDropped, "", "Events are dropped: too many wait to be written",
                  {{"limit", options.commands.max_events}});
}

void EngineState::PatchStatus(const home::PatchPodStatus& patch) {
  const home::Ticket ticket = commands.PatchStatus(patch);
  shadow.Asked(patch, ticket);
}

api::PodPtr WithNode(const api::Pod& pod, std::string_view node) {
  api::Pod copy = pod;
  copy.node_name = node;
  return std::make_shared<const api::Pod>(std::move(copy));
}

}  // namespace berth::scheduler
