// SPDX-License-Identifier: Apache-2.0
#include "scheduler/repeated_failures.h"

namespace berth::scheduler {

using framework::PodInfo;

const RepeatedFailures::FailedDecision* RepeatedFailures::Find(const runtime::Profile& profile, const PodInfo& pod,
                                                               const Moment& moment) const {
  // A nomination belongs to one pod: others of its class may be judged differently.
  if (!pod->status->nominated_node_name.empty()) return nullptr;
  for (const Known& known : known_) {
    if (known.profile == &profile && known.moment == moment && known.pod_class == pod.pod_class) return &known.failure;
  }
  return nullptr;
}

void RepeatedFailures::Note(const runtime::Profile& profile, const PodInfo& pod, const Moment& moment,
                            const Decision& decision, const framework::Verdicts& verdicts) {
  if (decision.outcome != Decision::Outcome::Unschedulable || !decision.post_filter.nominated_node.empty()) return;
  if (decision.ran_post_filter && decision.post_filter.status.ok()) return;
  if (!pod->status->nominated_node_name.empty() || !profile.filtering().VerdictsFollowFromTemplate(pod)) return;
  Known& known = known_[next_];
  next_ = (next_ + 1) % known_.size();
  known = {moment, &profile, pod.pod_class, {decision, verdicts}};
}

}  // namespace berth::scheduler
