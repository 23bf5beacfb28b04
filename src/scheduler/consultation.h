// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cluster_view.h"
#include "framework/extender.h"
#include "framework/preemption_review.h"
#include "runtime/cycle.h"
#include "scheduler/extender_questions.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace berth::scheduler {

// What extenders were asked in one attempt to place a pod, and said. A decision that needs an answer it has not got
// ends with the question, and is made afresh when the answer is there: on the cluster as it is then, to which the
// answer is applied. One thread at a time.
class Consultation {
 public:
  // Those that have a say in the pod: at least one.
  explicit Consultation(std::vector<framework::Extender*> extenders);

  const std::vector<framework::Extender*>& extenders() const { return extenders_; }

  enum class Verdict : uint8_t {
    Ask,    // there is a question now
    GoOn,   // the answer was applied
    Broken  // an extender failed: see error()
  };
  // The node that the pod was promised, if it passes the plugins' filters; GoOn: extenders let it pass.
  Verdict JudgeNominated(const api::NodePtr& node, bool& passes);
  // Whether the nodes that pass the plugins' filters must be asked about; then they may be narrowed down first.
  bool MustAsk() const { return judges_nodes_ && !said_; }
  void AskAbout(const framework::ClusterView& cluster, const runtime::Cycle& cycle);
  // Leaves the feasible nodes that extenders let pass, and enters verdicts for the others. Ask: none is left, because
  // the cluster has changed too much since the question. `rejected` tells whether they turned any down.
  Verdict Apply(const framework::ClusterView& cluster, runtime::Cycle& cycle, bool& rejected);
  // Adds what extenders prefer to the totals.
  void AddScores(const framework::ClusterView& cluster, runtime::Cycle& cycle) const;
  const std::string& error() const { return error_; }

  // As PreemptionReview::Review.
  std::optional<framework::PreemptionReview::Outcome> Review(const framework::ClusterView& cluster,
                                                             std::vector<framework::PreemptionProposal> proposals);

  // What is to be asked next.
  using Question = std::variant<std::monostate, std::vector<api::NodePtr>, std::vector<ProposedNode>>;
  Question TakeQuestion() { return std::exchange(question_, {}); }
  void Take(NodesSay said);
  void Take(VictimsSay said) { reviewed_ = std::move(said); }

 private:
  const std::vector<framework::Extender*> extenders_;
  bool judges_nodes_ = false;  // any of them filters or prioritizes
  bool reviews_ = false;       // any of them preempts
  Question question_;
  std::string asked_nominated_;           // the promised node that they are being asked about
  std::optional<std::string> nominated_;  // the promised node that they were asked about
  bool nominated_passes_ = false;
  std::optional<NodesSay> said_;
  std::optional<VictimsSay> reviewed_;
  int rounds_ = 0;
  std::string error_;
};

}  // namespace berth::scheduler
