// SPDX-License-Identifier: Apache-2.0
#include "queue/requeueing.h"

#include "framework/event_objects.h"
#include "framework/node_info.h"

#include <algorithm>
#include <utility>

namespace berth::queue {
namespace {

using framework::QueueingHint;
using metrics::HintResult;

HintResult ResultOf(const Result<QueueingHint>& hint) {
  if (!hint) return HintResult::Error;
  return *hint == QueueingHint::Queue ? HintResult::Queue : HintResult::QueueSkip;
}

// A wildcard event with an object concerns only that pod; if the object is not a pod, it concerns none.
bool IsMeant(const QueuedPod& pod, const api::Object* target) {
  if (target == nullptr) return true;
  const auto* named = framework::ObjectAs<api::Pod>(target);
  return named != nullptr && framework::PodUid(*named) == framework::PodUid(*pod.pod->pod);
}

}  // namespace

bool HintJudge::SaysQueue(const EventInterest::Registration& registration, const QueuedPod& pod,
                          const Happening& happening) const {
  HintResult result = HintResult::Queue;
  if (registration.hint != nullptr) {
    result = ResultOf((*registration.hint)(*pod.pod, happening.before, happening.after));
  }
  if (metrics_ != nullptr) Count(happening.interest, pod.profile, registration.plugin, result);
  // An error must not leave the pod waiting for ever.
  return result != HintResult::QueueSkip;
}

void HintJudge::Count(const EventInterest& event, uint32_t profile, size_t plugin, HintResult result) const {
  const auto is_it = [&](const Tally& tally) {
    return tally.event == &event && tally.plugin == plugin && tally.result == result && tally.profile == profile;
  };
  if (tallies_.empty() || !is_it(tallies_.back())) {
    const auto known = std::ranges::find_if(tallies_, is_it);
    if (known == tallies_.end()) {
      tallies_.push_back({&event, profile, plugin, result, 0});
    } else {
      std::swap(*known, tallies_.back());
    }
  }
  ++tallies_.back().times;
}

void HintJudge::TellMetrics(Duration took) const {
  if (tallies_.empty()) return;
  uint64_t asked = 0;
  for (const Tally& tally : tallies_) asked += tally.times;
  const Duration each = took / static_cast<int64_t>(asked);
  for (const Tally& tally : tallies_) {
    metrics_->Hint(profiles_[tally.profile].plugins[tally.plugin].name, tally.event->label, tally.result, each,
                   tally.times);
  }
  tallies_.clear();
}

Requeueing HintJudge::Judge(const QueuedPod& pod, const Happening& happening) const {
  if (pod.rejectors.none()) return Requeueing::AfterBackoff;
  if (happening.interest.wildcard) {
    return IsMeant(pod, happening.after) ? Requeueing::AfterBackoff : Requeueing::Skip;
  }
  Requeueing requeueing = Requeueing::Skip;
  for (const auto& registration : happening.interest.profiles[pod.profile].registrations) {
    if (!pod.rejectors.test(registration.plugin)) continue;
    const bool pending = pod.pending.test(registration.plugin);
    // Once one says Queue, only a pending plugin can say more.
    if (requeueing == Requeueing::AfterBackoff && !pending) continue;
    if (!SaysQueue(registration, pod, happening)) continue;
    if (pending) return Requeueing::Immediately;
    if (pod.pending.none()) return Requeueing::AfterBackoff;
    requeueing = Requeueing::AfterBackoff;
  }
  return requeueing;
}

}  // namespace berth::queue
