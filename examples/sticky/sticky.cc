// SPDX-License-Identifier: Apache-2.0
#include "sticky.h"

#include <algorithm>
#include <string>

namespace sticky {

using berth::CloneableState;
using berth::CycleState;
using berth::IndexedCluster;
using berth::kMaxNodeScore;
using berth::kMinNodeScore;
using berth::NodeId;
using berth::NodeInfo;
using berth::PodInfo;
using berth::Result;
using berth::StateKey;
using berth::Status;
using berth::api::CustomObject;
using berth::api::OwnerReference;
using berth::api::Value;

namespace {

struct LastNode : CloneableState<LastNode> {
  static constexpr bool kEndsWithDecision = true;
  NodeId id = berth::kNoNode;
};
constexpr StateKey<LastNode> kLastNode{"Sticky/PreScore"};

bool IsStickyJob(const OwnerReference& owner) {
  return owner.kind == "StickyJob" && owner.api_version.starts_with("example.com/");
}

// Empty when nothing is recorded.
std::string_view LastNodeOf(const CustomObject& job) {
  const Value* const status = job.document->Find("status");
  const Value* const last = status == nullptr ? nullptr : status->Find("lastNode");
  return last == nullptr ? std::string_view() : std::string_view(last->text());
}

}  // namespace

Status Sticky::PreScore(CycleState& state, const PodInfo& pod, IndexedCluster& cluster,
                        std::span<const NodeId> feasible) {
  const auto owner = std::ranges::find_if(pod->meta.owners, IsStickyJob);
  if (owner == pod->meta.owners.end()) return Status::Skip();
  const CustomObject* const job = handle_.lister().FindCustom(kStickyJob, pod->meta.namespace_, owner->name);
  // Another one of the same name may have followed the owner.
  if (job == nullptr || job->meta.uid != owner->uid) return Status::Skip();
  const NodeId last = cluster.FindNode(LastNodeOf(*job));
  if (!std::ranges::binary_search(feasible, last)) return Status::Skip();
  state.Write(kLastNode).id = last;
  return Status::Success();
}

Result<int64_t> Sticky::Score(const CycleState& state, const PodInfo&, const NodeInfo& node) const {
  return node.id == state.Read(kLastNode)->id ? kMaxNodeScore : kMinNodeScore;
}

}  // namespace sticky
