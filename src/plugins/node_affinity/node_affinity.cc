// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_affinity/node_affinity.h"

#include "base/shared_value.h"
#include "framework/event_objects.h"
#include "framework/handle.h"
#include "plugins/node_affinity/hint_keys.h"
#include "plugins/node_affinity/node_affinity_args.h"
#include "plugins/node_affinity/node_sets.h"
#include "plugins/node_affinity/preferences.h"
#include "plugins/node_affinity/unmet_requirements.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

namespace berth::plugins {
namespace {

using namespace framework;

// Which nodes the profile and the pod leave; never changed once made, so clones share the sets.
struct RequiredNodes : CloneableState<RequiredNodes> {
  static constexpr bool kEndsWithDecision = true;
  SharedValue<Bitset> enforced;  // only when the profile adds something
  SharedValue<Bitset> matching;
  void Clear() {}
};
constexpr StateKey<RequiredNodes> kRequired{"NodeAffinity/PreFilter"};

struct ScoredNodes : CloneableState<ScoredNodes> {
  static constexpr bool kEndsWithDecision = true;
  std::shared_ptr<const PreferredNodes> preferred;
};
constexpr StateKey<ScoredNodes> kScored{"NodeAffinity/PreScore"};

const Status& NotEnforced() {
  static const Status kStatus =
      Status::Unresolvable("node(s) didn't match scheduler-enforced node affinity").By(kNodeAffinity);
  return kStatus;
}
const Status& NotMatching() {
  static const Status kStatus =
      Status::Unresolvable("node(s) didn't match Pod's node affinity/selector").By(kNodeAffinity);
  return kStatus;
}

Preferences PreferencesOf(const api::PodSpec& spec) {
  if (spec.affinity == nullptr || !spec.affinity->node) return {};
  return spec.affinity->node->preferred;
}

// The nodes a term names, or nothing when it does not name any.
std::optional<std::set<std::string>> NamesIn(const api::NodeSelectorTerm& term) {
  std::optional<std::set<std::string>> names;
  for (const api::NodeSelectorRequirement& requirement : term.match_fields) {
    if (requirement.key != "metadata.name" || requirement.op != "In") continue;
    const std::set<std::string> listed(requirement.values.begin(), requirement.values.end());
    if (!names) {
      names = listed;
    } else {
      std::erase_if(*names, [&](const std::string& name) { return !listed.contains(name); });
    }
  }
  return names;
}

// The only nodes that can match, or nothing when some term leaves them open.
std::optional<std::set<std::string>> NamesIn(const api::NodeSelector& selector) {
  if (selector.terms.empty()) return std::nullopt;
  std::set<std::string> names;
  for (const api::NodeSelectorTerm& term : selector.terms) {
    std::optional<std::set<std::string>> named = NamesIn(term);
    if (!named) return std::nullopt;
    names.merge(*named);
  }
  return names;
}

class NodeAffinity final : public PreFilterPlugin,
                           public FilterPlugin,
                           public FilterAllPlugin,
                           public PreScorePlugin,
                           public ScorePlugin,
                           public ScoreAllPlugin,
                           public NormalizeScorePlugin,
                           public EnqueueExtensions,
                           public VerdictsByTemplate,
                           public DescribeRejectionPlugin {
 public:
  using Args = NodeAffinityArgs;

  static Result<std::shared_ptr<NodeAffinity>> Create(const NodeAffinityArgs& args, Handle&) {
    auto plugin = std::make_shared<NodeAffinity>();
    const std::optional<api::NodeAffinity>& added = args.added_affinity;
    if (!added) return plugin;
    if (added->required) {
      for (const api::NodeSelectorTerm& term : added->required->terms) {
        if (!api::Parses(term)) {
          return InvalidError(
              "parsing addedAffinity.requiredDuringSchedulingIgnoredDuringExecution: a term is invalid");
        }
      }
    }
    if (const auto problem = PreferencesProblem(added->preferred)) {
      return InvalidError("parsing addedAffinity.preferredDuringSchedulingIgnoredDuringExecution: " + *problem);
    }
    plugin->added_required_ = added->required;
    plugin->added_preferred_ = added->preferred;
    return plugin;
  }

  PreFilterResult PreFilter(CycleState& state, const PodInfo& pod, IndexedCluster& cluster) override {
    const api::NodeSelector* affinity = RequiredAffinity(pod.spec());
    if (affinity == nullptr && !added_required_ && pod.spec().node_selector.empty()) {
      return {Status::Skip(), std::nullopt};
    }
    FindRequired(pod, cluster, state.Write(kRequired));
    std::optional<std::set<std::string>> names;
    if (affinity != nullptr) names = NamesIn(*affinity);
    if (names && names->empty()) return {Status::Unresolvable("pod affinity terms conflict"), std::nullopt};
    return {Status::Success(), std::move(names)};
  }

  Status Filter(const CycleState&, const PodInfo& pod, const NodeInfo& node) const override {
    if (added_required_ && !Matches(*added_required_, *node.node)) return NotEnforced();
    return MeetsRequirements(pod.spec(), *node.node) ? Status::Success() : NotMatching();
  }

  Status FilterAll(const CycleState& state, const PodInfo& pod, const ClusterView& cluster,
                   Verdicts& verdicts) const override {
    const RequiredNodes* required = state.Read(kRequired);
    if (required == nullptr) {
      FilterEach(state, pod, cluster, verdicts);
      return Status::Success();
    }
    if (added_required_) verdicts.RejectOutside(*required->enforced, verdicts.Intern(NotEnforced()));
    verdicts.RejectOutside(*required->matching, verdicts.Intern(NotMatching()));
    return Status::Success();
  }

  Status PreScore(CycleState& state, const PodInfo& pod, IndexedCluster& cluster, std::span<const NodeId>) override {
    const Preferences preferences = PreferencesOf(pod.spec());
    if (const auto problem = PreferencesProblem(preferences)) return Status::FromError(*problem);
    if (preferences.empty() && added_preferred_.empty()) return Status::Skip();
    auto scored = std::make_unique<ScoredNodes>();
    scored->preferred = FindPreferred(preferences, cluster);
    state.Write(kScored, std::move(scored));
    return Status::Success();
  }

  Result<int64_t> Score(const CycleState& state, const PodInfo& pod, const NodeInfo& node) const override {
    const Preferences preferences = PreferencesOf(pod.spec());
    if (state.Read(kScored) == nullptr) {
      if (const auto problem = PreferencesProblem(preferences)) return Error{ErrorCode::Internal, *problem};
    }
    return ScoreOf(added_preferred_, *node.node) + ScoreOf(preferences, *node.node);
  }

  Status ScoreAll(const CycleState& state, const PodInfo& pod, const ClusterView& cluster,
                  ScoreColumn& scores) const override {
    const ScoredNodes* scored = state.Read(kScored);
    if (scored == nullptr) return ScoreEach(pod, cluster, scores);
    const PreferredNodes& preferred = *scored->preferred;
    scores.SetAll(preferred.everywhere);
    if (preferred.somewhere.empty()) return Status::Success();
    const std::span<int64_t> values = scores.MutableValues();
    for (const auto& [weight, nodes] : preferred.somewhere) {
      nodes.ForEach([&values, gain = weight](size_t node) { values[node] += gain; });
    }
    return Status::Success();
  }

  Status NormalizeScore(const CycleState&, const PodInfo&, ScoreColumn& scores) const override {
    DefaultNormalize(scores, /*reverse=*/false);
    return Status::Success();
  }

  std::vector<ClusterEventWithHint> EventsToRegister() const override {
    return {{{EventResource::Node, kAdd | kUpdateNodeLabel},
             [this](const PodInfo& pod, const api::Object* before, const api::Object* after) {
               return AfterNodeChange(pod, before, after);
             },
             /*by_template=*/true,
             NodeAffinityKeys()}};
  }

  RejectionDescription DescribeRejection(const CycleState&, const PodInfo& pod, const NodeInfo& node,
                                         const Status&) const override {
    return {UnmetRequirements(pod.spec(), *node.node), {}};
  }

 private:
  // A configuration may leave PreFilter or PreScore out: then no sets of nodes are at hand, and each is asked.
  void FilterEach(const CycleState& state, const PodInfo& pod, const ClusterView& cluster, Verdicts& verdicts) const {
    const Bitset passing = verdicts.passing();
    passing.ForEach([&](size_t slot) {
      const auto node = static_cast<NodeId>(slot);
      const Status status = Filter(state, pod, cluster.node(node));
      if (!status.ok()) verdicts.Reject(node, verdicts.Intern(status));
    });
  }
  Status ScoreEach(const PodInfo& pod, const ClusterView& cluster, ScoreColumn& scores) const {
    const Preferences preferences = PreferencesOf(pod.spec());
    if (const auto problem = PreferencesProblem(preferences)) return Status::FromError(*problem);
    const std::span<int64_t> values = scores.MutableValues();
    for (const NodeId id : scores.feasible()) {
      const api::Node& node = *cluster.node(id).node;
      values[id] = ScoreOf(added_preferred_, node) + ScoreOf(preferences, node);
    }
    return Status::Success();
  }

  void FindRequired(const PodInfo& pod, IndexedCluster& cluster, RequiredNodes& required) const {
    if (added_required_) {
      Bitset& enforced = required.enforced.Renew();
      enforced = cluster.live_nodes();
      KeepMatching(*added_required_, cluster, enforced);
    }
    Bitset& matching = required.matching.Renew();
    matching = cluster.live_nodes();
    KeepMeetingRequirements(pod.spec(), cluster, matching);
  }

  std::shared_ptr<const PreferredNodes> FindPreferred(Preferences preferences, IndexedCluster& cluster) const {
    auto preferred = std::make_shared<PreferredNodes>();
    preferred->Add(added_preferred_, cluster);
    preferred->Add(preferences, cluster);
    return preferred;
  }

  // Worth a try when a node that did not match does so now.
  Result<QueueingHint> AfterNodeChange(const PodInfo& pod, const api::Object* before, const api::Object* after) const {
    const api::Node* old_node = ObjectAs<api::Node>(before);
    const api::Node* new_node = ObjectAs<api::Node>(after);
    if (new_node == nullptr) return QueueingHint::Queue;
    if (added_required_ && !Matches(*added_required_, *new_node)) return QueueingHint::QueueSkip;
    if (!MeetsRequirements(pod.spec(), *new_node)) {
      return HasUnparsableChance(pod.spec(), *new_node) ? QueueingHint::Queue : QueueingHint::QueueSkip;
    }
    const bool was_met = old_node != nullptr && MeetsRequirements(pod.spec(), *old_node);
    return was_met ? QueueingHint::QueueSkip : QueueingHint::Queue;
  }

  // Terms that do not parse are an error to upstream once nothing else decides, and an error wakes the pod.
  static bool HasUnparsableChance(const api::PodSpec& spec, const api::Node& node) {
    const api::NodeSelector* affinity = RequiredAffinity(spec);
    if (affinity == nullptr || !MeetsNodeSelector(spec, node)) return false;
    return !std::ranges::all_of(affinity->terms, api::Parses);
  }

  std::optional<api::NodeSelector> added_required_;
  std::vector<api::PreferredSchedulingTerm> added_preferred_;
};

}  // namespace

PluginEntry NodeAffinityEntry() { return Entry<NodeAffinity>(kNodeAffinity); }

}  // namespace berth::plugins
