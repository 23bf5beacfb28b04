// SPDX-License-Identifier: Apache-2.0
#include "plugins/pod_topology_spread/queueing_hints.h"

#include "api/node.h"
#include "api/pod.h"
#include "framework/event_objects.h"

#include <algorithm>
#include <string>

namespace berth::plugins::spread {
namespace {

using framework::ObjectAs;
using framework::QueueingHint;

QueueingHint QueueIf(bool helps) { return helps ? QueueingHint::Queue : QueueingHint::QueueSkip; }

// Whether the changed pod plays a part in spreading the waiting one.
bool TakesPart(const api::Pod& changed, const api::Pod& waiting) {
  if (changed.meta.uid == waiting.meta.uid) return true;
  const bool has_place = !changed.node_name.empty() || !changed.status->nominated_node_name.empty();
  return has_place && changed.meta.namespace_ == waiting.meta.namespace_;
}

bool AnySelects(const std::vector<Constraint>& constraints, const api::Labels& labels) {
  return std::any_of(constraints.begin(), constraints.end(), [&](const Constraint& c) { return c.Selects(labels); });
}

bool HasAllKeys(const api::Node& node, const std::vector<Constraint>& constraints) {
  return std::all_of(constraints.begin(), constraints.end(),
                     [&](const Constraint& c) { return node.meta.labels.Has(c.key()); });
}

bool UpdateHelps(const api::Pod& waiting, const api::Pod& before, const api::Pod& after,
                 const std::vector<Constraint>& constraints) {
  const bool gained_toleration =
      waiting.meta.uid == after.meta.uid && before.spec->tolerations != after.spec->tolerations &&
      std::any_of(constraints.begin(), constraints.end(), [](const Constraint& c) { return c.honors_taints; });
  if (gained_toleration) return true;
  return std::any_of(constraints.begin(), constraints.end(), [&](const Constraint& c) {
    return c.Selects(before.meta.labels) != c.Selects(after.meta.labels);
  });
}

Result<QueueingHint> AfterPodChange(const ConstraintSource& source, const api::Pod& pod, const api::Pod* before,
                                    const api::Pod* after) {
  if (before == nullptr && after == nullptr) return QueueingHint::Queue;
  if ((after != nullptr && !TakesPart(*after, pod)) || (before != nullptr && !TakesPart(*before, pod))) {
    return QueueingHint::QueueSkip;
  }
  BERTH_ASSIGN_OR_RETURN(const std::vector<Constraint> constraints,
                         source.Find(pod, api::UnsatisfiableAction::DoNotSchedule));
  if (before != nullptr && after != nullptr) return QueueIf(UpdateHelps(pod, *before, *after, constraints));
  return QueueIf(AnySelects(constraints, (after != nullptr ? after : before)->meta.labels));
}

bool SameDomains(const api::Node& a, const api::Node& b, const std::vector<Constraint>& constraints) {
  return std::all_of(constraints.begin(), constraints.end(),
                     [&](const Constraint& c) { return *a.meta.labels.Find(c.key()) == *b.meta.labels.Find(c.key()); });
}

Result<QueueingHint> AfterNodeChange(const ConstraintSource& source, const api::Pod& pod, const api::Node* before,
                                     const api::Node* after) {
  if (before == nullptr && after == nullptr) return QueueingHint::Queue;
  BERTH_ASSIGN_OR_RETURN(const std::vector<Constraint> constraints,
                         source.Find(pod, api::UnsatisfiableAction::DoNotSchedule));
  const bool counted_before = before != nullptr && HasAllKeys(*before, constraints);
  const bool counts_after = after != nullptr && HasAllKeys(*after, constraints);
  if (before == nullptr || after == nullptr) return QueueIf(counted_before || counts_after);
  if (counted_before != counts_after) return QueueingHint::Queue;
  return QueueIf(counts_after && (!SameDomains(*before, *after, constraints) || before->taints != after->taints));
}

}  // namespace

std::vector<framework::ClusterEventWithHint> EventsToRegister(const ConstraintSource& source) {
  using framework::EventResource;
  return {{{EventResource::Pod,
            framework::kAdd | framework::kUpdatePodLabel | framework::kUpdatePodToleration | framework::kDelete},
           [&source](const framework::PodInfo& pod, const api::Object* before, const api::Object* after) {
             return AfterPodChange(source, *pod, ObjectAs<api::Pod>(before), ObjectAs<api::Pod>(after));
           }},
          {{EventResource::Node,
            framework::kAdd | framework::kDelete | framework::kUpdateNodeLabel | framework::kUpdateNodeTaint},
           [&source](const framework::PodInfo& pod, const api::Object* before, const api::Object* after) {
             return AfterNodeChange(source, *pod, ObjectAs<api::Node>(before), ObjectAs<api::Node>(after));
           }}};
}

}  // namespace berth::plugins::spread
