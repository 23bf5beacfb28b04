// SPDX-License-Identifier: Apache-2.0
#include "coarse_filter.h"

#include "narrowing.h"

#include <bit>

namespace coarse {

using berth::Bitset;
using berth::ClusterView;
using berth::CycleState;
using berth::IndexedCluster;
using berth::NodeId;
using berth::PodInfo;
using berth::PreFilterResult;
using berth::Status;
using berth::api::Value;

void CoarseFilterArgs::Decode(berth::FieldReader& reader) {
  bits = reader.Int64("bits").value_or(bits);
  hashes = reader.Int64("hashes").value_or(hashes);
  max_nodes = reader.Int64("maxNodes").value_or(max_nodes);
}

void CoarseFilterArgs::Encode(Value& map) const {
  map.Set("bits", Value::Int(bits));
  map.Set("hashes", Value::Int(hashes));
  map.Set("maxNodes", Value::Int(max_nodes));
}

std::vector<std::string> CoarseFilterArgs::Validate(const std::string& path, const berth::FeatureGates&) const {
  using berth::fields::Child;
  using berth::fields::Invalid;
  std::vector<std::string> problems;
  if (bits < 64 || bits > 4096 || !std::has_single_bit(static_cast<uint64_t>(bits))) {
    problems.push_back(Invalid(Child(path, "bits"), bits, "must be a power of two from 64 to 4096"));
  }
  if (hashes < 1 || hashes > 16) {
    problems.push_back(Invalid(Child(path, "hashes"), hashes, "must be from 1 to 16"));
  }
  if (max_nodes < 0) problems.push_back(Invalid(Child(path, "maxNodes"), max_nodes, "must not be negative"));
  return problems;
}

CoarseFilter::CoarseFilter(const CoarseFilterArgs& args, berth::Handle& handle)
    : max_nodes_(static_cast<size_t>(args.max_nodes)),
      log_(handle.log().Named(kCoarseFilter)),
      labels_({static_cast<size_t>(args.bits), static_cast<size_t>(args.hashes)}) {}

PreFilterResult CoarseFilter::PreFilter(CycleState&, const PodInfo& pod, IndexedCluster& cluster) {
  const berth::api::Labels& selector = pod.spec().node_selector;
  if (selector.empty()) return {Status::Skip(), {}};
  BringUpToDate(cluster);
  std::vector<Label> labels;
  for (const auto& [key, value] : selector) labels.emplace_back(key, value);
  Bitset left = cluster.live_nodes();
  labels_.DropLacking(labels, left);
  if (log_.On(4)) {
    log_.V(4).Info("Nodes were dropped", {{"pod", berth::log::ObjectName{pod->meta.namespace_, pod->meta.name}},
                                          {"left", left.Count()},
                                          {"of", cluster.node_count()}});
  }
  return NarrowTo(left, cluster, max_nodes_);
}

std::vector<berth::ClusterEventWithHint> CoarseFilter::EventsToRegister() const {
  return {{{berth::EventResource::Node, berth::kAdd | berth::kUpdateNodeLabel}, {}}};
}

void CoarseFilter::BringUpToDate(const ClusterView& cluster) {
  if (versions_.size() < cluster.node_slots()) {
    versions_.resize(cluster.node_slots());
    labels_.Resize(cluster.node_slots());
  }
  const std::span<const uint64_t> rows = cluster.row_version();
  for (NodeId node = 0; node < rows.size(); ++node) {
    if (rows[node] == versions_[node]) continue;
    versions_[node] = rows[node];
    if (cluster.live_nodes().Test(node)) labels_.Set(node, cluster.node(node).node->meta.labels);
  }
}

}  // namespace coarse
