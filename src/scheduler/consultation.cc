// SPDX-License-Identifier: Apache-2.0
#include "scheduler/consultation.h"

#include "framework/node_info.h"

#include <algorithm>
#include <utility>

namespace berth::scheduler {

using framework::ClusterView;
using framework::kNoNode;
using framework::NodeId;
using framework::PodInfoPtr;
using framework::PreemptionProposal;
using framework::PreemptionReview;
using framework::Status;

namespace {

// So often are extenders asked because the nodes they chose no longer suit; then the pod waits as if they had rejected
// it.
constexpr int kMaxRounds = 3;
std::vector<PodInfoPtr> StillThere(const framework::NodeInfo& node, const std::vector<api::PodPtr>& victims) {
  std::vector<PodInfoPtr> found;
  for (const api::PodPtr& victim : victims) {
    const auto at = std::ranges::find_if(
        node.pods, [&](const PodInfoPtr& pod) { return framework::PodUid(*pod->pod) == framework::PodUid(*victim); });
    if (at != node.pods.end()) found.push_back(*at);
  }
  return found;
}

}  // namespace

Consultation::Consultation(std::vector<framework::Extender*> extenders) : extenders_(std::move(extenders)) {
  for (const framework::Extender* extender : extenders_) {
    judges_nodes_ |= extender->filters() || extender->prioritizes();
    reviews_ |= extender->preempts();
  }
}

Consultation::Verdict Consultation::JudgeNominated(const api::NodePtr& node, bool& passes) {
  passes = true;
  const bool filters = std::ranges::any_of(extenders_, [](const framework::Extender* each) { return each->filters(); });
  if (!filters) return Verdict::GoOn;
  if (nominated_ != node->meta.name) {
    asked_nominated_ = node->meta.name;
    question_ = std::vector<api::NodePtr>{node};
    return Verdict::Ask;
  }
  passes = nominated_passes_;
  return Verdict::GoOn;
}

void Consultation::Take(NodesSay said) {
  if (asked_nominated_.empty()) {
    said_ = std::move(said);
    return;
  }
  // An extender that fails over one node is asked about all of them, as upstream.
  nominated_passes_ = said.error.empty() && said.passed.contains(asked_nominated_);
  nominated_ = std::exchange(asked_nominated_, {});
}

void Consultation::AskAbout(const ClusterView& cluster, const runtime::Cycle& cycle) {
  ++rounds_;
  std::vector<api::NodePtr> nodes;
  nodes.reserve(cycle.feasible.size());
  for (const NodeId id : cycle.feasible) nodes.push_back(cluster.node(id).node);
  question_ = std::move(nodes);
}

Consultation::Verdict Consultation::Apply(const ClusterView& cluster, runtime::Cycle& cycle, bool& rejected) {
  rejected = false;
  if (!said_) return Verdict::GoOn;
  if (!said_->error.empty()) {
    error_ = said_->error;
    return Verdict::Broken;
  }
  std::vector<NodeId> left;
  for (const NodeId id : cycle.feasible) {
    if (said_->passed.contains(cluster.node(id).name())) left.push_back(id);
  }
  if (left.empty() && !said_->passed.empty() && rounds_ < kMaxRounds) {
    said_.reset();
    return Verdict::Ask;
  }
  const Status silent = Status(framework::Code::UnschedulableAndUnresolvable, {}).By(framework::kExtenderName);
  for (const NodeId id : cycle.feasible) {
    if (std::ranges::binary_search(left, id)) continue;
    rejected = true;
    if (!said_->rejected.contains(cluster.node(id).name())) cycle.verdicts.Replace(id, silent);
  }
  // An extender may speak of nodes that a plugin has rejected, too: the last word counts.
  for (const auto& [name, status] : said_->rejected) {
    const NodeId id = cluster.FindNode(name);
    if (id == kNoNode || std::ranges::binary_search(left, id)) continue;
    cycle.verdicts.Replace(id, status.By(framework::kExtenderName));
  }
  cycle.feasible = std::move(left);
  return Verdict::GoOn;
}

void Consultation::AddScores(const ClusterView& cluster, runtime::Cycle& cycle) const {
  if (!said_) return;
  for (const NodesSay::Scores& scores : said_->scores) {
    for (size_t i = 0; i < cycle.feasible.size(); ++i) {
      const auto found = scores.by_node.find(cluster.node(cycle.feasible[i]).name());
      if (found != scores.by_node.end()) cycle.totals[i] += found->second;
    }
  }
}

std::optional<PreemptionReview::Outcome> Consultation::Review(const ClusterView& cluster,
                                                              std::vector<PreemptionProposal> proposals) {
  if (!reviews_ || proposals.empty()) return proposals;
  if (!reviewed_) {
    std::vector<ProposedNode> nodes;
    for (const PreemptionProposal& proposal : proposals) {
      ProposedNode& node = nodes.emplace_back();
      node.candidate = {proposal.node, {}, proposal.budget_violations};
      for (const PodInfoPtr& victim : proposal.victims) node.candidate.victims.push_back(victim->pod);
      for (const PodInfoPtr& pod : cluster.node(cluster.FindNode(proposal.node)).pods) node.pods.push_back(pod->pod);
    }
    question_ = std::move(nodes);
    return std::nullopt;
  }
  if (!reviewed_->error.empty()) return Error{ErrorCode::Unavailable, reviewed_->error};
  // Their answer stands, whatever has happened since: it is their business which pods go. Those that are gone need not.
  std::vector<PreemptionProposal> left;
  for (const framework::Extender::Candidate& candidate : reviewed_->candidates) {
    const NodeId id = cluster.FindNode(candidate.node);
    if (id == kNoNode) continue;
    std::vector<PodInfoPtr> victims = StillThere(cluster.node(id), candidate.victims);
    if (!victims.empty()) left.push_back({candidate.node, std::move(victims), candidate.budget_violations});
  }
  return left;
}

}  // namespace berth::scheduler
