// SPDX-License-Identifier: Apache-2.0
#include "queue/requeueing.h"

#include "framework/event_objects.h"
#include "framework/node_info.h"

#include <chrono>

namespace berth::queue {
namespace {

using framework::QueueingHint;
using metrics::HintResult;

HintResult ResultOf(const Result<QueueingHint>& hint) {
  if (!hint) return HintResult::Error;
  return *hint == QueueingHint::Queue ? HintResult::Queue : HintResult::QueueSkip;
}

// A wildcard that names a pod means that pod alone; one that names anything else means nobody.
bool IsMeant(const QueuedPod& pod, const api::Object* target) {
  if (target == nullptr) return true;
  const auto* named = framework::ObjectAs<api::Pod>(target);
  return named != nullptr && framework::PodUid(*named) == framework::PodUid(*pod.pod->pod);
}

}  // namespace

bool HintJudge::SaysQueue(const EventInterest::Registration& registration, const QueuedPod& pod,
                          const Happening& happening) const {
  HintResult result = HintResult::Queue;
  const auto ask = [&] {
    if (registration.hint != nullptr) {
      result = ResultOf((*registration.hint)(*pod.pod, happening.before, happening.after));
    }
  };
  if (metrics_ == nullptr) {
    ask();
  } else {
    const auto start = std::chrono::steady_clock::now();
    ask();
    metrics_->Hint(profiles_[pod.profile].plugins[registration.plugin].name, happening.interest.label, result,
                   std::chrono::steady_clock::now() - start);
  }
  // An error must not leave the pod waiting for ever.
  return result != HintResult::QueueSkip;
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
