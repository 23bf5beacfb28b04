// SPDX-License-Identifier: Apache-2.0
#include "home/shadow_home.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace berth::home {
namespace {

constexpr size_t kRememberedDifferences = 1'000;

}  // namespace

void ShadowHome::Open(HomeListener& listener, std::vector<std::string> kinds) {
  listener_ = &listener;
  beneath_->Open(*this, std::move(kinds));
}

void ShadowHome::Submit(std::vector<Submission>& commands) {
  std::vector<Submission> questions;
  std::vector<Completion> done;
  for (Submission& submission : commands) {
    if (std::holds_alternative<LookUpPod>(submission.command)) {
      questions.push_back(std::move(submission));
      continue;
    }
    Note(submission.command);
    done.push_back({submission.ticket, Outcome::Done, {}, {}, {}});
  }
  commands.clear();
  if (!questions.empty()) beneath_->Submit(questions);
  if (!done.empty()) listener_->TakeCompletions(done);
}

void ShadowHome::Note(const Command& command) {
  const MutexLock lock(mutex_);
  const auto verdict = [&](const api::PodPtr& pod, Verdict ours) BERTH_REQUIRES(mutex_) {
    const auto it = pending_.find(pod->meta.uid);
    if (it == pending_.end()) return;
    if (IsPlaced(it->second)) --unconfirmed_;
    if (!ours.node.empty()) {
      ++placements_;
      ours.moment = unconfirmed_++ == 0 ? placements_ : 0;
    }
    it->second = std::move(ours);
  };
  if (const auto* bind = std::get_if<BindPod>(&command)) {
    verdict(bind->pod, {bind->node->meta.name, {}, 0});
  } else if (const auto* patch = std::get_if<PatchPodStatus>(&command)) {
    if (patch->condition) verdict(patch->pod, {{}, patch->condition->condition.message, 0});
  } else if (std::holds_alternative<EvictPod>(command)) {
    ++report_.evictions;
  }
}

bool ShadowHome::TakeChanges(std::vector<ObjectChange>& changes) {
  for (const ObjectChange& change : changes) {
    if (std::holds_alternative<api::PodPtr>(change.object)) TakePod(change);
  }
  return listener_->TakeChanges(changes);
}

void ShadowHome::TakePod(const ObjectChange& change) {
  const api::Pod& pod = *std::get<api::PodPtr>(change.object);
  if (std::ranges::find(schedulers_, pod.spec->scheduler_name) == schedulers_.end()) return;
  const bool is_gone = change.type == ObjectChange::Type::Deleted;
  std::optional<Verdict> ours;
  bool alone = false;
  {
    const MutexLock lock(mutex_);
    if (!is_gone && pod.node_name.empty()) {
      pending_.try_emplace(pod.meta.uid);
      return;
    }
    const auto it = pending_.find(pod.meta.uid);
    if (it == pending_.end()) return;  // it had a node when it was first seen
    ours = std::move(it->second);
    pending_.erase(it);
    if (IsPlaced(ours)) --unconfirmed_;
    // Who has decided with other pods on their way has decided about another cluster.
    alone = ours && ours->moment == placements_;
    if (!is_gone) ++placements_;
  }
  if (!is_gone) Compare(pod, ours, alone);
}

void ShadowHome::Compare(const api::Pod& pod, const std::optional<Verdict>& ours, bool alone) {
  const bool placed = IsPlaced(ours);
  const bool same = placed && ours->node == pod.node_name;
  std::string reason = ours ? ours->reason : "";
  if (placed && !same && why_not_) reason = why_not_(pod, pod.node_name);
  const bool tied = placed && !same && why_not_ && reason.empty();
  const MutexLock lock(mutex_);
  if (!ours) {
    ++report_.undecided;
  } else if (same) {
    ++report_.agreed;
  } else if (tied) {
    ++report_.tied;
  } else {
    ++(!placed ? report_.only_theirs : alone ? report_.differed : report_.crossed);
    if (placed && !alone) reason += " (other pods were being placed meanwhile)";
    differences_.push_back({pod.meta.Key(), ours->node, pod.node_name, std::move(reason), clock_.Now()});
    if (differences_.size() > kRememberedDifferences) differences_.pop_front();
  }
}

ShadowReport ShadowHome::report() const {
  const MutexLock lock(mutex_);
  ShadowReport report = report_;
  report.waiting = static_cast<uint64_t>(std::ranges::count_if(
      pending_, [](const auto& entry) { return entry.second.has_value() && !entry.second->node.empty(); }));
  report.differences.assign(differences_.begin(), differences_.end());
  return report;
}

}  // namespace berth::home
