// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_resources_fit/node_resources_fit.h"

#include "base/string_map.h"
#include "framework/handle.h"
#include "plugins/node_resources/kernels.h"
#include "plugins/node_resources_fit/fit_hints.h"
#include "plugins/node_resources_fit/node_resources_fit_args.h"
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
  static constexpr bool kEndsWithDecision = true;
  std::vector<Need> needs;  // what is checked: amounts above zero that are not ignored, in the order reasons are given
  void Clear() { needs.clear(); }
};
constexpr StateKey<FitState> kFitState{"NodeResourcesFit/PreFilter"};

struct FitScoreState final : CloneableState<FitScoreState> {
  static constexpr bool kEndsWithDecision = true;
  std::vector<int64_t> requests;
  void Clear() { requests.clear(); }
};
constexpr StateKey<FitScoreState> kScoreState{"NodeResourcesFit/PreScore"};

// In a node's key, bit 0 stands for the pod count, bit 1 + i for need i, and the top bit for a need no eviction can
// meet.
constexpr uint16_t kTooManyPods = 1U;
constexpr uint16_t kHopeless = 1U << 15U;
constexpr size_t kMaxColumnarNeeds = 14;

bool IsShort(const Need& need, const NodeInfo& node) {
  return need.amount > node.allocatable.Get(need.resource) - node.requested.Get(need.resource);
}

bool HoldsTooManyPods(const NodeInfo& node) { return static_cast<int64_t>(node.pods.size()) + 1 > node.allowed_pods; }

// Pods that need no extended resource meet few different verdicts, on very many nodes: they are made once. Their
// numbers are put together from these bits; bit 0 stands for the pod count.
constexpr size_t kCommonVerdicts = 32;
constexpr size_t kHopelessBit = 16;

constexpr size_t CommonBit(ResourceId resource) {
  switch (resource) {
    case ResourceId::Cpu: return 2;
    case ResourceId::Memory: return 4;
    case ResourceId::EphemeralStorage: return 8;
    default: return 0;
  }
}

std::array<Status, kCommonVerdicts> CommonVerdicts() {
  constexpr std::array<const char*, 4> kReasons = {"Too many pods", "Insufficient cpu", "Insufficient memory",
                                                   "Insufficient ephemeral-storage"};
  std::array<Status, kCommonVerdicts> verdicts;
  for (size_t number = 0; number < kCommonVerdicts; ++number) {
    std::vector<std::string> reasons;
    for (size_t i = 0; i < kReasons.size(); ++i) {
      if ((number >> i & 1U) != 0) reasons.emplace_back(kReasons[i]);
    }
    if (reasons.empty()) continue;  // Success
    const Code code = (number & kHopelessBit) != 0 ? Code::UnschedulableAndUnresolvable : Code::Unschedulable;
    verdicts[number] = Status(code, std::move(reasons)).By(kNodeResourcesFit);
  }
  return verdicts;
}

class NodeResourcesFit final : public PreFilterPlugin,
                               public FilterPlugin,
                               public FilterAllPlugin,
                               public PreScorePlugin,
                               public ScorePlugin,
                               public ScoreAllPlugin,
                               public EnqueueExtensions,
                               public VerdictsByTemplate,
                               public DescribeRejectionPlugin {
 public:
  using Args = NodeResourcesFitArgs;

  NodeResourcesFit(const NodeResourcesFitArgs& args, Handle& handle)
      : names_(handle.resource_names()),
        rules_(PodRules::From(handle.features())),
        ignored_(args.ignored_resources.begin(), args.ignored_resources.end()),
        ignored_groups_(args.ignored_resource_groups.begin(), args.ignored_resource_groups.end()),
        strategy_(args.scoring_strategy, handle.resource_names()) {}

  PreFilterResult PreFilter(CycleState& state, const PodInfo& pod, IndexedCluster&) override {
    FindNeeds(pod, state.Write(kFitState).needs);
    return {};
  }

  Status Filter(const CycleState& state, const PodInfo&, const NodeInfo& node) const override {
    const std::vector<Need>& needs = state.Read(kFitState)->needs;
    const bool hopeless = std::any_of(needs.begin(), needs.end(), [&](const Need& need) {
      return IsShort(need, node) && need.amount > node.allocatable.Get(need.resource);
    });
    return Verdict(HoldsTooManyPods(node), hopeless, needs, [&](size_t i) { return IsShort(needs[i], node); });
  }

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
          known_verdict = verdicts.Intern(Verdict((key & kTooManyPods) != 0, (key & kHopeless) != 0, needs,
                                                  [key](size_t i) { return (key & (2U << i)) != 0; }));
        }
        return known_verdict;
      });
    }
    return Status::Success();
  }

  Status PreScore(CycleState& state, const PodInfo& pod, IndexedCluster&, std::span<const NodeId>) override {
    strategy_.resources().FindRequests(pod, state.Write(kScoreState).requests);
    return Status::Success();
  }

  Result<int64_t> Score(const CycleState& state, const PodInfo&, const NodeInfo& node) const override {
    return strategy_.Score(node, state.Read(kScoreState)->requests);
  }

  Status ScoreAll(const CycleState& state, const PodInfo&, const ClusterView& cluster,
                  ScoreColumn& scores) const override {
    strategy_.ScoreAll(cluster, state.Read(kScoreState)->requests, scores);
    return Status::Success();
  }

  std::vector<ClusterEventWithHint> EventsToRegister() const override { return FitEvents(names_, rules_); }

  RejectionDescription DescribeRejection(const CycleState&, const PodInfo& pod, const NodeInfo& node,
                                         const Status&) const override {
    RejectionDescription description;
    if (HoldsTooManyPods(node)) {
      description.lacks.push_back(LimitReached{"pods", static_cast<int64_t>(node.pods.size()), node.allowed_pods});
    }
    std::vector<Need> needs;
    FindNeeds(pod, needs);
    for (const Need& need : needs) {
      if (!IsShort(need, node)) continue;
      const int64_t allocatable = node.allocatable.Get(need.resource);
      description.lacks.push_back(Shortfall{names_.Name(need.resource), need.amount,
                                            allocatable - node.requested.Get(need.resource), allocatable});
    }
    return description;
  }

 private:
  bool IsIgnored(const std::string& name) const {
    if (!api::IsExtendedResource(name)) return false;
    return ignored_.contains(name) || ignored_groups_.contains(std::string_view(name).substr(0, name.find('/')));
  }

  void FindNeeds(const PodInfo& pod, std::vector<Need>& needs) const {
    const ResourceAmounts& requests = pod.traits->spec_requests;
    if (requests.cpu > 0) needs.push_back({ResourceId::Cpu, requests.cpu});
    if (requests.memory > 0) needs.push_back({ResourceId::Memory, requests.memory});
    if (requests.ephemeral_storage > 0) needs.push_back({ResourceId::EphemeralStorage, requests.ephemeral_storage});
    for (const auto& [resource, amount] : requests.scalars) {
      if (amount > 0 && !IsIgnored(names_.Name(resource))) needs.push_back({resource, amount});
    }
  }

  // The verdict on a node that is short of the needs for which `is_short(index)` is true.
  template <typename F>
  Status Verdict(bool too_many_pods, bool hopeless, const std::vector<Need>& needs, F&& is_short) const {
    size_t common = (too_many_pods ? 1U : 0U) | (hopeless ? kHopelessBit : 0U);
    bool is_common = true;
    for (size_t i = 0; i < needs.size(); ++i) {
      if (!is_short(i)) continue;
      is_common = is_common && CommonBit(needs[i].resource) != 0;
      common |= CommonBit(needs[i].resource);
    }
    if (is_common) return common_verdicts_[common];
    std::vector<std::string> reasons;
    if (too_many_pods) reasons.emplace_back("Too many pods");
    for (size_t i = 0; i < needs.size(); ++i) {
      if (is_short(i)) reasons.push_back("Insufficient " + names_.Name(needs[i].resource));
    }
    return {hopeless ? Code::UnschedulableAndUnresolvable : Code::Unschedulable, std::move(reasons)};
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
  PodRules rules_;
  const std::array<Status, kCommonVerdicts> common_verdicts_ = CommonVerdicts();
  StringSet ignored_;
  StringSet ignored_groups_;
  ScoringStrategy strategy_;
};

}  // namespace

PluginEntry NodeResourcesFitEntry() { return Entry<NodeResourcesFit>(kNodeResourcesFit); }

}  // namespace berth::plugins
