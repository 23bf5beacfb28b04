// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_resources_fit/node_resources_fit.h"

#include "base/string_map.h"
#include "config/args/in_tree_args.h"
#include "framework/handle.h"
#include "plugins/node_resources/kernels.h"
#include "plugins/node_resources_fit/fit_hints.h"
#include "plugins/node_resources_fit/scoring_strategy.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace berth::plugins {
namespace {

using namespace framework;
using node_resources::kBlock;

struct Need {
  ResourceId resource;
  int64_t amount;
};

struct FitState final : CloneableState<FitState> {
  std::vector<Need> needs;  // what is checked: amounts above zero that are not ignored, in the order reasons are given
};
constexpr StateKey<FitState> kFitState{"NodeResourcesFit/PreFilter"};

struct FitScoreState final : CloneableState<FitScoreState> {
  std::vector<int64_t> requests;
};
constexpr StateKey<FitScoreState> kScoreState{"NodeResourcesFit/PreScore"};

// In a node's key, bit 0 stands for the pod count, bit 1 + i for need i, and the top bit for a need no eviction can
// meet.
constexpr uint16_t kTooManyPods = 1U;
constexpr uint16_t kHopeless = 1U << 15U;
constexpr size_t kMaxColumnarNeeds = 14;

class NodeResourcesFit final : public PreFilterPlugin,
                               public FilterPlugin,
                               public FilterAllPlugin,
                               public PreScorePlugin,
                               public ScorePlugin,
                               public ScoreAllPlugin,
                               public EnqueueExtensions,
                               public SignPlugin {
 public:
  NodeResourcesFit(const PluginArgs* args, Handle& handle)
      : NodeResourcesFit(ArgsOr<config::NodeResourcesFitArgs>(args), handle) {}

  PreFilterResult PreFilter(CycleState& state, const PodInfo& pod, const ClusterView&) const override {
    auto data = std::make_unique<FitState>();
    data->needs = NeedsOf(pod);
    state.Write(kFitState, std::move(data));
    return {};
  }

  Status Filter(const CycleState& state, const PodInfo&, const NodeInfo& node) const override {
    const std::vector<Need>& needs = state.Read(kFitState)->needs;
    std::vector<std::string> reasons;
    bool hopeless = false;
    if (static_cast<int64_t>(node.pods.size()) + 1 > node.allowed_pods) reasons.emplace_back("Too many pods");
    for (const Need& need : needs) {
      const int64_t allocatable = node.allocatable.Get(need.resource);
      if (need.amount <= allocatable - node.requested.Get(need.resource)) continue;
      reasons.push_back(Insufficient(need.resource));
      hopeless = hopeless || need.amount > allocatable;
    }
    return Verdict(std::move(reasons), hopeless);
  }
  Dependence filter_dependence() const override { return Dependence::NodeResources; }

  Status FilterAll(const CycleState& state, const PodInfo& pod, const ClusterView& cluster,
                   Verdicts& verdicts) const override {
    const std::vector<Need>& needs = state.Read(kFitState)->needs;
    if (needs.size() > kMaxColumnarNeeds) return FilterEach(state, pod, cluster, verdicts);
    std::array<ResourceColumn, kMaxColumnarNeeds> columns;
    for (size_t i = 0; i < needs.size(); ++i) columns[i] = cluster.resource(needs[i].resource);
    const std::span<const int32_t> pods = cluster.pod_count();
    const std::span<const int32_t> allowed = cluster.allowed_pods();

    // Few combinations of reasons occur, one after the other mostly: the last one seen is remembered.
    uint16_t known_key = 0;
    Verdicts::Id known_verdict = Verdicts::kPass;
    for (size_t base = 0; base < cluster.node_slots(); base += kBlock) {
      const size_t count = std::min(kBlock, cluster.node_slots() - base);
      std::array<uint16_t, kBlock> keys;
      for (size_t i = 0; i < count; ++i) keys[i] = pods[base + i] >= allowed[base + i] ? kTooManyPods : 0;
      for (size_t i = 0; i < needs.size(); ++i) {
        node_resources::MarkInsufficient(columns[i].allocatable.data() + base, columns[i].requested.data() + base,
                                         count, needs[i].amount, static_cast<uint16_t>(2U << i), kHopeless,
                                         keys.data());
      }
      verdicts.RejectWord(base / kBlock, node_resources::NonZero(keys.data(), count), [&](NodeId node) {
        const uint16_t key = keys[node - base];
        if (key != known_key) {
          known_key = key;
          known_verdict = verdicts.Intern(VerdictOf(key, needs));
        }
        return known_verdict;
      });
    }
    return Status::Success();
  }

  Status PreScore(CycleState& state, const PodInfo& pod, const ClusterView&, std::span<const NodeId>) const override {
    auto data = std::make_unique<FitScoreState>();
    data->requests = strategy_.resources().RequestsOf(pod);
    state.Write(kScoreState, std::move(data));
    return Status::Success();
  }

  Result<int64_t> Score(const CycleState& state, const PodInfo&, const NodeInfo& node) const override {
    return strategy_.Score(node, state.Read(kScoreState)->requests);
  }
  Dependence score_dependence() const override { return Dependence::NodeResources; }

  Status ScoreAll(const CycleState& state, const PodInfo&, const ClusterView& cluster,
                  ScoreColumn& scores) const override {
    strategy_.ScoreAll(cluster, state.Read(kScoreState)->requests, scores);
    return Status::Success();
  }

  std::vector<ClusterEventWithHint> EventsToRegister() const override { return FitEvents(names_); }

  Signature Sign(const PodInfo& pod) const override { return {{}, {{"resources", SignedRequests(pod)}}}; }

 private:
  NodeResourcesFit(const config::NodeResourcesFitArgs& args, Handle& handle)
      : names_(handle.resource_names()),
        ignored_(args.ignored_resources.begin(), args.ignored_resources.end()),
        ignored_groups_(args.ignored_resource_groups.begin(), args.ignored_resource_groups.end()),
        strategy_(args.scoring_strategy, handle.resource_names()) {}

  bool IsIgnored(const std::string& name) const {
    if (!api::IsExtendedResource(name)) return false;
    return ignored_.contains(name) || ignored_groups_.contains(std::string_view(name).substr(0, name.find('/')));
  }

  std::vector<Need> NeedsOf(const PodInfo& pod) const {
    const ResourceAmounts& requests = pod.traits->spec_requests;
    std::vector<Need> needs;
    needs.reserve(3 + requests.scalars.size());
    if (requests.cpu > 0) needs.push_back({ResourceId::Cpu, requests.cpu});
    if (requests.memory > 0) needs.push_back({ResourceId::Memory, requests.memory});
    if (requests.ephemeral_storage > 0) needs.push_back({ResourceId::EphemeralStorage, requests.ephemeral_storage});
    for (const auto& [resource, amount] : requests.scalars) {
      if (amount > 0 && !IsIgnored(names_.Name(resource))) needs.push_back({resource, amount});
    }
    return needs;
  }

  std::string Insufficient(ResourceId resource) const { return "Insufficient " + names_.Name(resource); }

  static Status Verdict(std::vector<std::string> reasons, bool hopeless) {
    if (reasons.empty()) return Status::Success();
    return {hopeless ? Code::UnschedulableAndUnresolvable : Code::Unschedulable, std::move(reasons)};
  }

  Status VerdictOf(uint16_t key, const std::vector<Need>& needs) const {
    std::vector<std::string> reasons;
    if ((key & kTooManyPods) != 0) reasons.emplace_back("Too many pods");
    for (size_t i = 0; i < needs.size(); ++i) {
      if ((key & (2U << i)) != 0) reasons.push_back(Insufficient(needs[i].resource));
    }
    return Verdict(std::move(reasons), (key & kHopeless) != 0);
  }

  Status FilterEach(const CycleState& state, const PodInfo& pod, const ClusterView& cluster, Verdicts& verdicts) const {
    const Bitset passing = verdicts.passing();
    passing.ForEach([&](size_t slot) {
      const auto node = static_cast<NodeId>(slot);
      if (Status status = Filter(state, pod, cluster.node(node)); !status.ok()) {
        verdicts.Reject(node, verdicts.Intern(status));
      }
    });
    return Status::Success();
  }

  ResourceNames& names_;
  StringSet ignored_;
  StringSet ignored_groups_;
  ScoringStrategy strategy_;
};

}  // namespace

PluginEntry NodeResourcesFitEntry() { return Entry<NodeResourcesFit>(kNodeResourcesFit); }

}  // namespace berth::plugins
