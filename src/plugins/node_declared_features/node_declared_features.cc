// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_declared_features/node_declared_features.h"

#include "framework/event_objects.h"
#include "framework/handle.h"

#include <algorithm>
#include <memory>

namespace berth::plugins {
namespace {

using namespace framework;

Status FeatureMissing() { return Status::Unresolvable("node(s) didn't match Pod's required features"); }

// The features that the pod's spec depends on, sorted. Of the features upstream knows in 1.36 only these two bear on
// where a pod can start; the others concern changes to running pods.
std::vector<std::string_view> FeaturesNeeded(const api::PodSpec& spec) {
  std::vector<std::string_view> features;
  const auto restarts_all = [](const api::Container& container) { return container.restarts_all_containers; };
  if (std::ranges::any_of(spec.containers, restarts_all) || std::ranges::any_of(spec.init_containers, restarts_all)) {
    features.emplace_back("RestartAllContainersOnContainerExits");
  }
  if (spec.host_network && spec.host_users == false) features.emplace_back("UserNamespacesHostNetworkSupport");
  return features;
}

bool DeclaresAll(const api::Node& node, const std::vector<std::string_view>& needed) {
  return std::ranges::includes(node.declared_features, needed);
}

Result<QueueingHint> AfterNodeChange(const PodInfo&, const api::Object* before, const api::Object* after) {
  const api::Node* old_node = ObjectAs<api::Node>(before);
  const api::Node* new_node = ObjectAs<api::Node>(after);
  const bool same =
      old_node != nullptr && new_node != nullptr && old_node->declared_features == new_node->declared_features;
  return same ? QueueingHint::QueueSkip : QueueingHint::Queue;
}

Result<QueueingHint> AfterPodUpdate(const PodInfo& pod, const api::Object* before, const api::Object* after) {
  const api::Pod* old_pod = ObjectAs<api::Pod>(before);
  const api::Pod* new_pod = ObjectAs<api::Pod>(after);
  if (old_pod == nullptr || new_pod == nullptr) return QueueingHint::Queue;
  if (PodUid(*new_pod) != PodUid(*pod)) return QueueingHint::QueueSkip;
  return FeaturesNeeded(*old_pod->spec) == FeaturesNeeded(*new_pod->spec) ? QueueingHint::QueueSkip
                                                                          : QueueingHint::Queue;
}

class NodeDeclaredFeatures final : public PreFilterPlugin,
                                   public FilterPlugin,
                                   public FilterAllPlugin,
                                   public EnqueueExtensions,
                                   public VerdictsByTemplate {
 public:
  explicit NodeDeclaredFeatures(const Handle& handle)
      : enabled_(handle.features().Enabled(features::Gate::NodeDeclaredFeatures)) {}

  PreFilterResult PreFilter(CycleState&, const PodInfo& pod, IndexedCluster&) override {
    return {Needed(pod).empty() ? Status::Skip() : Status::Success(), std::nullopt};
  }

  Status Filter(const CycleState&, const PodInfo& pod, const NodeInfo& node) const override {
    return DeclaresAll(*node.node, Needed(pod)) ? Status::Success() : FeatureMissing();
  }

  Status FilterAll(const CycleState&, const PodInfo& pod, const ClusterView& cluster,
                   Verdicts& verdicts) const override {
    const std::vector<std::string_view> needed = Needed(pod);
    if (needed.empty()) return Status::Success();
    Bitset declaring = verdicts.passing();
    verdicts.passing().ForEach([&](size_t id) {
      if (!DeclaresAll(*cluster.node(static_cast<NodeId>(id)).node, needed)) declaring.Reset(id);
    });
    if (declaring != verdicts.passing()) verdicts.RejectOutside(declaring, verdicts.Intern(FeatureMissing()));
    return Status::Success();
  }

  std::vector<ClusterEventWithHint> EventsToRegister() const override {
    if (!enabled_) return {};
    return {{{EventResource::Node, kAdd | kUpdateNodeDeclaredFeature}, AfterNodeChange, /*by_template=*/true},
            {{EventResource::Pod, kUpdate}, AfterPodUpdate}};
  }

 private:
  // With the gate off the plugin does nothing, whoever enabled it.
  std::vector<std::string_view> Needed(const PodInfo& pod) const {
    return enabled_ ? FeaturesNeeded(pod.spec()) : std::vector<std::string_view>();
  }

  bool enabled_;
};

}  // namespace

PluginEntry NodeDeclaredFeaturesEntry() { return Entry<NodeDeclaredFeatures>(kNodeDeclaredFeatures); }

}  // namespace berth::plugins
