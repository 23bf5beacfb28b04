// SPDX-License-Identifier: Apache-2.0
#include "plugins/pod_topology_spread/queueing_hints.h"

#include "api/node.h"
#include "api/pod.h"
#include "framework/event_objects.h"
#include "framework/label_keys.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>

namespace berth::plugins::spread {
namespace {

using framework::ObjectAs;
using framework::QueueingHint;

QueueingHint QueueIf(bool helps) { return helps ? QueueingHint::Queue : QueueingHint::QueueSkip; }

// Whether another pod plays a part in spreading the waiting one.
bool TakesPart(const api::Pod& other, const api::Pod& waiting) {
  const bool has_place = !other.node_name.empty() || !other.status->nominated_node_name.empty();
  return has_place && other.meta.namespace_ == waiting.meta.namespace_;
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

Result<QueueingHint> AfterPodUpdate(const ConstraintSource& source, const api::Pod& pod, const api::Pod* before,
                                    const api::Pod* after) {
  if (before == nullptr || after == nullptr) return QueueingHint::Queue;
  const bool is_own = after->meta.uid == pod.meta.uid;
  if (!is_own && !(TakesPart(*before, pod) && TakesPart(*after, pod))) return QueueingHint::QueueSkip;
  BERTH_ASSIGN_OR_RETURN(const std::vector<Constraint> constraints,
                         source.Find(pod, api::UnsatisfiableAction::DoNotSchedule));
  return QueueIf(UpdateHelps(pod, *before, *after, constraints));
}

// The other pod came or went.
Result<QueueingHint> AfterOtherPod(const ConstraintSource& source, const api::Pod& pod, const api::Pod* before,
                                   const api::Pod* after) {
  const api::Pod* other = after != nullptr ? after : before;
  if (other == nullptr) return QueueingHint::Queue;
  if (!TakesPart(*other, pod)) return QueueingHint::QueueSkip;
  BERTH_ASSIGN_OR_RETURN(const std::vector<Constraint> constraints,
                         source.Find(pod, api::UnsatisfiableAction::DoNotSchedule));
  return QueueIf(AnySelects(constraints, other->meta.labels));
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
  return QueueIf(counts_after &&
                 (!SameDomains(*before, *after, constraints) || !api::Unchanged(before->taints, after->taints)));
}

// Only pods of the same namespace are counted.
uint64_t KeyUse(const api::Pod& pod) { return std::hash<std::string>()(pod.meta.namespace_); }

framework::HintKeys KeysOfOtherPods(const ConstraintSource& source) {
  const auto needed = [&source](const framework::PodInfo& pod, std::vector<uint64_t>& keys) {
    const auto constraints = source.Find(*pod, api::UnsatisfiableAction::DoNotSchedule);
    return constraints && std::all_of(constraints->begin(), constraints->end(), [&](const Constraint& c) {
             return framework::NeedSelected(c.counted.selector, keys, KeyUse(*pod));
           });
  };
  const auto offered = [](const api::Object* before, const api::Object* after, std::vector<uint64_t>& keys) {
    const auto* other = ObjectAs<api::Pod>(after != nullptr ? after : before);
    if (other == nullptr) return false;
    if (TakesPart(*other, *other)) framework::OfferLabels(other->meta.labels, keys, KeyUse(*other));
    return true;
  };
  return {needed, offered};
}

framework::HintKeys KeysOfNodes(const ConstraintSource& source) {
  const auto needed = [&source](const framework::PodInfo& pod, std::vector<uint64_t>& keys) {
    const auto constraints = source.Find(*pod, api::UnsatisfiableAction::DoNotSchedule);
    if (!constraints) return false;
    for (const Constraint& c : *constraints) keys.push_back(framework::NameKey(c.key()));
    return true;
  };
  const auto offered = [](const api::Object* before, const api::Object* after, std::vector<uint64_t>& keys) {
    const auto* old_node = ObjectAs<api::Node>(before);
    const auto* new_node = ObjectAs<api::Node>(after);
    if (old_node == nullptr || new_node == nullptr) return false;
    if (!api::Unchanged(old_node->taints, new_node->taints)) return false;
    framework::OfferChangedLabels(old_node->meta.labels, new_node->meta.labels, keys);
    return true;
  };
  return {needed, offered};
}

}  // namespace

std::vector<framework::ClusterEventWithHint> EventsToRegister(const ConstraintSource& source) {
  using framework::EventResource;
  // Default constraints select by the pod's owner, which is no part of its template.
  const bool by_template = !source.HasDefaults(api::UnsatisfiableAction::DoNotSchedule);
  return {{{EventResource::Pod, framework::kAdd | framework::kDelete},
           [&source](const framework::PodInfo& pod, const api::Object* before, const api::Object* after) {
             return AfterOtherPod(source, *pod, ObjectAs<api::Pod>(before), ObjectAs<api::Pod>(after));
           },
           by_template,
           std::make_shared<const framework::HintKeys>(KeysOfOtherPods(source))},
          {{EventResource::Pod, framework::kUpdatePodLabel | framework::kUpdatePodToleration},
           [&source](const framework::PodInfo& pod, const api::Object* before, const api::Object* after) {
             return AfterPodUpdate(source, *pod, ObjectAs<api::Pod>(before), ObjectAs<api::Pod>(after));
           }},
          {{EventResource::Node,
            framework::kAdd | framework::kDelete | framework::kUpdateNodeLabel | framework::kUpdateNodeTaint},
           [&source](const framework::PodInfo& pod, const api::Object* before, const api::Object* after) {
             return AfterNodeChange(source, *pod, ObjectAs<api::Node>(before), ObjectAs<api::Node>(after));
           },
           by_template,
           std::make_shared<const framework::HintKeys>(KeysOfNodes(source))}};
}

}  // namespace berth::plugins::spread
