// SPDX-License-Identifier: Apache-2.0
#include "scheduler/repeated_failures.h"

namespace berth::scheduler {

using framework::PodInfo;

bool RepeatedFailures::Alike(const PodInfo& a, const PodInfo& b) {
  // Traits follow from the status, too: a resize that is under way shows there.
  return a.pod->spec == b.pod->spec && a.traits == b.traits && a->meta.namespace_ == b->meta.namespace_ &&
         a->meta.labels == b->meta.labels;
}

const RepeatedFailures::FailedDecision* RepeatedFailures::Find(const runtime::Profile& profile, const PodInfo& pod,
                                                               const Moment& moment) const {
  // What it was promised is the pod's own.
  if (!pod->status->nominated_node_name.empty()) return nullptr;
  for (const Known& known : known_) {
    if (known.profile == &profile && known.moment == moment && Alike(known.pod, pod)) return &known.failure;
  }
  return nullptr;
}

void RepeatedFailures::Note(const runtime::Profile& profile, const PodInfo& pod, const Moment& moment,
                            const Decision& decision, const framework::Verdicts& verdicts) {
  if (decision.outcome != Decision::Outcome::Unschedulable || !decision.post_filter.nominated_node.empty()) return;
  if (decision.ran_post_filter && decision.post_filter.status.ok()) return;
  if (!pod->status->nominated_node_name.empty() || !profile.VerdictsFollowFromTemplate(pod)) return;
  Known& known = known_[next_];
  next_ = (next_ + 1) % known_.size();
  known = {moment, &profile, pod, {decision, verdicts}};
}

}  // namespace berth::scheduler
