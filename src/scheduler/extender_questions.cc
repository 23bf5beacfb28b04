// SPDX-License-Identifier: Apache-2.0
#include "scheduler/extender_questions.h"

#include "framework/node_info.h"
#include "framework/score_column.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include <fmt/format.h>

namespace berth::scheduler {

using framework::Extender;
using framework::Status;

namespace {

constexpr int64_t kMaxExtenderScore = 10;  // by the protocol

class NodeQuestions : public std::enable_shared_from_this<NodeQuestions> {
 public:
  NodeQuestions(std::vector<Extender*> extenders, api::PodPtr pod, std::vector<api::NodePtr> nodes, log::Logger log,
                std::function<void(NodesSay)> ended)
      : extenders_(std::move(extenders)),
        pod_(std::move(pod)),
        left_(std::move(nodes)),
        log_(std::move(log)),
        ended_(std::move(ended)) {}

  void FilterFrom(size_t place) {
    while (place < extenders_.size() && !extenders_[place]->filters()) ++place;
    if (place == extenders_.size() || left_.empty()) {
      Prioritize();
      return;
    }
    extenders_[place]->Filter(pod_, left_, [self = shared_from_this(), place](Extender::FilterAnswer answer) {
      self->TakeFilter(place, std::move(answer));
    });
  }

 private:
  void TakeFilter(size_t place, Extender::FilterAnswer answer) {
    const Extender& extender = *extenders_[place];
    if (answer.error.empty()) {
      for (auto& [node, why] : answer.failed_unresolvable) {
        say_.rejected.insert_or_assign(node, Status::Unresolvable(std::move(why)));
      }
      for (auto& [node, why] : answer.failed) {
        if (answer.failed_unresolvable.contains(node)) continue;
        say_.rejected.insert_or_assign(node, Status::Unschedulable(std::move(why)));
      }
      const StringSet passed(std::make_move_iterator(answer.passed.begin()),
                             std::make_move_iterator(answer.passed.end()));
      std::erase_if(left_, [&](const api::NodePtr& node) { return !passed.contains(node->meta.name); });
    } else if (extender.is_ignorable()) {
      log_.Info("Skipping extender as it returned error and has ignorable flag set",
                {{"extender", extender.name()}, {"err", answer.error}});
    } else {
      say_.error = std::move(answer.error);
      ended_(std::move(say_));
      return;
    }
    FilterFrom(place + 1);
  }

  void Prioritize() {
    for (const api::NodePtr& node : left_) say_.passed.insert(node->meta.name);
    std::vector<Extender*> asked;
    if (left_.size() > 1) {
      std::ranges::copy_if(extenders_, std::back_inserter(asked), [](Extender* each) { return each->prioritizes(); });
    }
    if (asked.empty()) {
      ended_(std::move(say_));
      return;
    }
    unanswered_ = asked.size();
    // In the extenders' order, whichever answers first.
    say_.scores.resize(asked.size());
    for (size_t i = 0; i < asked.size(); ++i) {
      asked[i]->Prioritize(
          pod_, left_, [self = shared_from_this(), i, extender = asked[i]](const Extender::PrioritizeAnswer& answer) {
            self->TakePriorities(i, *extender, answer);
          });
    }
  }

  void TakePriorities(size_t i, const Extender& extender, const Extender::PrioritizeAnswer& answer) {
    if (!answer.error.empty()) {
      log_.V(5).Info("Failed to run extender's priority function. No score given by this extender.",
                     {{"err", answer.error},
                      {"pod", log::ObjectName{pod_->meta.namespace_, pod_->meta.name}},
                      {"extender", extender.name()}});
    }
    NodesSay::Scores scores{std::string(extender.name()), {}};
    for (const Extender::HostScore& each : answer.scores) {
      constexpr int64_t kScale = framework::kMaxNodeScore / kMaxExtenderScore;
      // Wraps around as the sums of the protocol's reference do, rather than being undefined.
      const auto weighted =
          static_cast<uint64_t>(each.score) * static_cast<uint64_t>(extender.weight()) * static_cast<uint64_t>(kScale);
      int64_t& total = scores.by_node[each.host];
      total = static_cast<int64_t>(static_cast<uint64_t>(total) + weighted);
    }
    {
      const std::lock_guard lock(mutex_);
      say_.scores[i] = std::move(scores);
      if (--unanswered_ != 0) return;
    }
    ended_(std::move(say_));
  }

  const std::vector<Extender*> extenders_;
  const api::PodPtr pod_;
  std::vector<api::NodePtr> left_;
  const log::Logger log_;
  const std::function<void(NodesSay)> ended_;
  std::mutex mutex_;  // priorities are told side by side
  size_t unanswered_ = 0;
  NodesSay say_;
};

class VictimQuestions : public std::enable_shared_from_this<VictimQuestions> {
 public:
  VictimQuestions(std::vector<Extender*> extenders, api::PodPtr pod, std::vector<ProposedNode> nodes, log::Logger log,
                  std::function<void(VictimsSay)> ended)
      : extenders_(std::move(extenders)), pod_(std::move(pod)), log_(std::move(log)), ended_(std::move(ended)) {
    for (ProposedNode& node : nodes) {
      pods_.emplace(node.candidate.node, std::move(node.pods));
      say_.candidates.push_back(std::move(node.candidate));
    }
  }

  void AskFrom(size_t place) {
    while (place < extenders_.size() && !extenders_[place]->preempts()) ++place;
    if (place == extenders_.size() || say_.candidates.empty()) {
      ended_(std::move(say_));
      return;
    }
    extenders_[place]->Preempt(
        pod_, say_.candidates,
        [self = shared_from_this(), place](const Extender::PreemptAnswer& answer) { self->Take(place, answer); });
  }

 private:
  void Take(size_t place, const Extender::PreemptAnswer& answer) {
    const Extender& extender = *extenders_[place];
    Result<std::vector<Extender::Candidate>> left = Read(extender, answer);
    if (left) {
      say_.candidates = std::move(*left);
    } else if (!extender.is_ignorable()) {
      say_.error = left.error().message;
      ended_(std::move(say_));
      return;
    } else {
      log_.V(2).Info("Skipped extender as it returned error and has ignorable flag set",
                     {{"extender", extender.name()}, {"err", left.error().message}});
    }
    AskFrom(place + 1);
  }

  Result<std::vector<Extender::Candidate>> Read(const Extender& extender, const Extender::PreemptAnswer& answer) const {
    if (!answer.error.empty()) return Error{ErrorCode::Unavailable, answer.error};
    std::vector<Extender::Candidate> left;
    for (const auto& [node, said] : answer.candidates) {
      Extender::Candidate candidate{node, {}, said.budget_violations};
      for (const std::string& uid : said.victim_uids) {
        api::PodPtr victim = Find(node, uid);
        if (victim == nullptr) {
          return InvalidError(
              fmt::format("extender: {} claims to preempt pod (UID: {}) on node: {}, but the pod is "
                          "not found on that node",
                          extender.name(), uid, node));
        }
        candidate.victims.push_back(std::move(victim));
      }
      if (!candidate.victims.empty()) {
        left.push_back(std::move(candidate));
      } else if (!extender.is_ignorable()) {
        return InvalidError(fmt::format("expected at least one victim pod on node \"{}\"", node));
      }
    }
    return left;
  }

  api::PodPtr Find(const std::string& node, const std::string& uid) const {
    const auto pods = pods_.find(node);
    if (pods == pods_.end()) return nullptr;
    const auto pod =
        std::ranges::find_if(pods->second, [&](const api::PodPtr& each) { return framework::PodUid(*each) == uid; });
    return pod == pods->second.end() ? nullptr : *pod;
  }

  const std::vector<Extender*> extenders_;
  const api::PodPtr pod_;
  const log::Logger log_;
  const std::function<void(VictimsSay)> ended_;
  StringMap<std::vector<api::PodPtr>> pods_;  // by node
  VictimsSay say_;
};

}  // namespace

void AskAboutNodes(std::vector<Extender*> extenders, api::PodPtr pod, std::vector<api::NodePtr> nodes, log::Logger log,
                   std::function<void(NodesSay)> ended) {
  std::make_shared<NodeQuestions>(std::move(extenders), std::move(pod), std::move(nodes), std::move(log),
                                  std::move(ended))
      ->FilterFrom(0);
}

void AskAboutVictims(std::vector<Extender*> extenders, api::PodPtr pod, std::vector<ProposedNode> nodes,
                     log::Logger log, std::function<void(VictimsSay)> ended) {
  std::make_shared<VictimQuestions>(std::move(extenders), std::move(pod), std::move(nodes), std::move(log),
                                    std::move(ended))
      ->AskFrom(0);
}

}  // namespace berth::scheduler
