// SPDX-License-Identifier: Apache-2.0
#include "plugins/inter_pod_affinity/queueing_hints.h"

#include "api/node.h"
#include "api/pod.h"
#include "framework/event_objects.h"
#include "framework/label_keys.h"
#include "framework/pod_info.h"

#include <algorithm>
#include <memory>

namespace berth::plugins::affinity {
namespace {

using framework::AffinityTerm;
using framework::ObjectAs;
using framework::PodInfo;
using framework::QueueingHint;
using Terms = std::vector<AffinityTerm>;

QueueingHint QueueIf(bool helps) { return helps ? QueueingHint::Queue : QueueingHint::QueueSkip; }

Result<Terms> ParseRequired(const api::Pod& pod, std::optional<api::PodAffinity> api::Affinity::*which) {
  const api::Affinity* affinity = pod.spec->affinity.get();
  if (affinity == nullptr || !(affinity->*which)) return Terms();
  return framework::ParseAffinityTerms(pod, (affinity->*which)->required);
}

// Fails when a required term does not parse. The traits tell only that some term does not: it may be a preferred one.
Result<void> CheckRequired(const PodInfo& pod) {
  if (pod.traits->affinity_problem.empty()) return {};
  BERTH_RETURN_IF_ERROR(ParseRequired(*pod, &api::Affinity::pod));
  BERTH_RETURN_IF_ERROR(ParseRequired(*pod, &api::Affinity::anti));
  return {};
}

// As upstream, hints ask only by name for a pod's namespace: selectors see it without labels.
bool MatchesAll(const Terms& terms, const api::Pod& pod) {
  return !terms.empty() &&
         std::all_of(terms.begin(), terms.end(), [&](const AffinityTerm& term) { return term.Matches(pod, nullptr); });
}

bool HasNoPlace(const api::Pod& pod) { return pod.node_name.empty() && pod.status->nominated_node_name.empty(); }

Result<QueueingHint> AfterPodRelabelled(const PodInfo& pod, const api::Pod* before, const api::Pod* after) {
  if (before == nullptr || after == nullptr) return QueueingHint::Queue;
  // Other pods' terms may match the pod's own new labels differently.
  if (pod->meta.uid == after->meta.uid) return QueueingHint::Queue;
  if (HasNoPlace(*before) || HasNoPlace(*after)) return QueueingHint::QueueSkip;
  BERTH_RETURN_IF_ERROR(CheckRequired(pod));
  const Terms& wanted = pod.traits->required_affinity;
  const Terms& unwanted = pod.traits->required_anti_affinity;
  return QueueIf((!MatchesAll(wanted, *before) && MatchesAll(wanted, *after)) ||
                 (MatchesAll(unwanted, *before) && !MatchesAll(unwanted, *after)));
}

// The other pod came or went.
Result<QueueingHint> AfterOtherPod(const PodInfo& pod, const api::Pod* before, const api::Pod* after) {
  if (before == nullptr && after == nullptr) return QueueingHint::Queue;
  if (HasNoPlace(after != nullptr ? *after : *before)) return QueueingHint::QueueSkip;
  BERTH_RETURN_IF_ERROR(CheckRequired(pod));
  if (after != nullptr) return QueueIf(MatchesAll(pod.traits->required_affinity, *after));
  if (MatchesAll(pod.traits->required_anti_affinity, *before)) return QueueingHint::Queue;
  BERTH_ASSIGN_OR_RETURN(const Terms unwanted_by_it, ParseRequired(*before, &api::Affinity::anti));
  return QueueIf(MatchesAll(unwanted_by_it, *pod));
}

// How a node's value of a label changed.
struct LabelChange {
  const std::string* before;
  const std::string* after;
  bool differs() const { return before != nullptr && after != nullptr && *before != *after; }
};

LabelChange ChangeOf(const std::string& key, const api::Node& before, const api::Node& after) {
  return {before.meta.labels.Find(key), after.meta.labels.Find(key)};
}

Result<QueueingHint> AfterNodeChange(const PodInfo& pod, const api::Node* before, const api::Node* after) {
  if (after == nullptr) return QueueingHint::Queue;
  BERTH_RETURN_IF_ERROR(CheckRequired(pod));
  for (const AffinityTerm& term : pod.traits->required_affinity) {
    if (before == nullptr) {
      if (after->meta.labels.Has(term.topology_key)) return QueueingHint::Queue;
      continue;
    }
    const LabelChange change = ChangeOf(term.topology_key, *before, *after);
    const bool appeared = change.before == nullptr && change.after != nullptr;
    if (appeared || change.differs()) return QueueingHint::Queue;
  }
  for (const AffinityTerm& term : pod.traits->required_anti_affinity) {
    if (before == nullptr) return QueueingHint::Queue;
    const LabelChange change = ChangeOf(term.topology_key, *before, *after);
    // A node without the label takes any pod, as far as anti-affinity goes.
    const bool vanished = change.before != nullptr && change.after == nullptr;
    if (vanished || change.differs()) return QueueingHint::Queue;
  }
  return QueueingHint::QueueSkip;
}

// What the labels behind a key are for.
enum KeyUse : uint64_t {
  kWanted,    // of a pod that came: the waiting pod's affinity asks for them
  kUnwanted,  // of a pod that went: its anti-affinity forbade them
  kOwn,       // of the waiting pod: the anti-affinity of a pod that went forbade them
};

// A pod matches only if it matches every term: one term's keys will do.
bool NeedMatched(const Terms& terms, std::vector<uint64_t>& keys, KeyUse use) {
  return terms.empty() || std::any_of(terms.begin(), terms.end(), [&](const AffinityTerm& term) {
           return framework::NeedSelected(term.selector, keys, use);
         });
}

framework::HintKeys KeysOfOtherPods() {
  const auto needed = [](const PodInfo& pod, std::vector<uint64_t>& keys) {
    if (!pod.traits->affinity_problem.empty()) return false;
    framework::OfferLabels(pod->meta.labels, keys, kOwn);
    return NeedMatched(pod.traits->required_affinity, keys, kWanted) &&
           NeedMatched(pod.traits->required_anti_affinity, keys, kUnwanted);
  };
  const auto offered = [](const api::Object* before, const api::Object* after, std::vector<uint64_t>& keys) {
    const auto* came = ObjectAs<api::Pod>(after);
    const auto* went = ObjectAs<api::Pod>(before);
    if (came == nullptr && went == nullptr) return false;
    if (HasNoPlace(came != nullptr ? *came : *went)) return true;
    if (came != nullptr) {
      framework::OfferLabels(came->meta.labels, keys, kWanted);
      return true;
    }
    framework::OfferLabels(went->meta.labels, keys, kUnwanted);
    const Result<Terms> unwanted_by_it = ParseRequired(*went, &api::Affinity::anti);
    return unwanted_by_it && NeedMatched(*unwanted_by_it, keys, kOwn);
  };
  return {needed, offered};
}

framework::HintKeys KeysOfNodes() {
  const auto needed = [](const PodInfo& pod, std::vector<uint64_t>& keys) {
    if (!pod.traits->affinity_problem.empty()) return false;
    const auto need = [&](const Terms& terms) {
      for (const AffinityTerm& term : terms) keys.push_back(framework::NameKey(term.topology_key));
    };
    need(pod.traits->required_affinity);
    need(pod.traits->required_anti_affinity);
    return true;
  };
  const auto offered = [](const api::Object* before, const api::Object* after, std::vector<uint64_t>& keys) {
    const auto* old_node = ObjectAs<api::Node>(before);
    const auto* new_node = ObjectAs<api::Node>(after);
    if (old_node == nullptr || new_node == nullptr) return false;
    framework::OfferChangedLabels(old_node->meta.labels, new_node->meta.labels, keys);
    return true;
  };
  return {needed, offered};
}

}  // namespace

std::vector<framework::ClusterEventWithHint> EventsToRegister() {
  using framework::EventResource;
  return {{{EventResource::Pod, framework::kAdd | framework::kDelete},
           [](const PodInfo& pod, const api::Object* before, const api::Object* after) {
             return AfterOtherPod(pod, ObjectAs<api::Pod>(before), ObjectAs<api::Pod>(after));
           },
           /*by_template=*/true,
           std::make_shared<const framework::HintKeys>(KeysOfOtherPods())},
          {{EventResource::Pod, framework::kUpdatePodLabel},
           [](const PodInfo& pod, const api::Object* before, const api::Object* after) {
             return AfterPodRelabelled(pod, ObjectAs<api::Pod>(before), ObjectAs<api::Pod>(after));
           }},
          {{EventResource::Node, framework::kAdd | framework::kUpdateNodeLabel},
           [](const PodInfo& pod, const api::Object* before, const api::Object* after) {
             return AfterNodeChange(pod, ObjectAs<api::Node>(before), ObjectAs<api::Node>(after));
           },
           /*by_template=*/true,
           std::make_shared<const framework::HintKeys>(KeysOfNodes())}};
}

}  // namespace berth::plugins::affinity
