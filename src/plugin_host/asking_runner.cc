// SPDX-License-Identifier: Apache-2.0
#include "plugin_host/asking_runner.h"

#include "remote/hypothesis.h"
#include "remote/wire.h"

#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace berth::plugin_host {

using framework::CycleState;
using framework::NodeInfo;
using framework::PodInfo;
using framework::Status;

namespace wire = plugin::v1;

namespace {

struct NotedChanges final : framework::CloneableState<NotedChanges> {
  std::vector<remote::NodeChange> list;
};
constexpr framework::StateKey<NotedChanges> kNotedChanges{"plugin_host/NotedChanges"};

}  // namespace

void AskingRunner::Note(CycleState& state, const PodInfo& changed, framework::NodeId node, bool added) {
  NotedChanges* noted = state.Mutable(kNotedChanges);
  if (noted == nullptr) noted = &state.Write(kNotedChanges);
  noted->list.push_back({node, std::make_shared<const PodInfo>(changed), added});
}

Status AskingRunner::RunPreFilterAddPod(CycleState& state, const PodInfo& /*pod*/, const PodInfo& added,
                                        const NodeInfo& node) const {
  Note(state, added, node.id, true);
  return Status::Success();
}

Status AskingRunner::RunPreFilterRemovePod(CycleState& state, const PodInfo& /*pod*/, const PodInfo& removed,
                                           const NodeInfo& node) const {
  Note(state, removed, node.id, false);
  return Status::Success();
}

Status AskingRunner::RunFilterPluginsWithNominatedPods(const CycleState& state, const PodInfo& /*pod*/,
                                                       const NodeInfo& node) const {
  if (call_ == 0) return Status::FromError("the scheduler's plugins can be asked during PostFilter only");
  const NotedChanges* noted = state.Read(kNotedChanges);
  std::span<const remote::NodeChange> recorded;
  if (noted != nullptr) recorded = noted->list;
  wire::Judge question;
  question.set_id(++last_question_);
  question.set_call(call_);
  wire::Hypothesis& hypothesis = *question.add_hypotheses();
  hypothesis.set_node(node.id);
  for (const remote::NodeChange& change : remote::ChangesTo(node, mirror_.cluster().node(node.id).pods, recorded)) {
    wire::PodChange& written = *hypothesis.add_changes();
    written.set_pod(mirror_.IdOf(framework::PodUid(*change.pod->pod)));
    written.set_added(change.added);
  }
  const Result<wire::Judged> judged = scheduler_.Ask(std::move(question));
  if (!judged) return Status::FromError(judged.error());
  if (!judged->error().empty()) return Status::FromError(judged->error());
  std::optional<Status> status;
  if (judged->statuses_size() == 1) status = remote::FromWire(judged->statuses(0));
  return status ? *status : Status::FromError("the scheduler's answer makes no sense");
}

}  // namespace berth::plugin_host
