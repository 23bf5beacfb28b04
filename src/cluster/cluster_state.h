// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "base/bitset.h"
#include "base/string_map.h"
#include "cluster/cluster_objects.h"
#include "cluster/image_index.h"
#include "cluster/journal.h"
#include "cluster/label_index.h"
#include "cluster/missing_nodes.h"
#include "cluster/node_columns.h"
#include "cluster/pod_index.h"
#include "cluster/taint_index.h"
#include "framework/indexed_cluster.h"
#include "framework/resource.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace berth::cluster {

// The whole cluster: nodes and the pods on them as rows and columns, indexes over both, and the other objects. Every
// change is applied where it falls; nothing is rebuilt.
//
// Owned by the engine thread, which announces every scheduling cycle with BeginCycle; until the next change, const
// questions may be asked from several threads, for nothing const changes anything. A copy is a fork: rows are shared
// until one side changes them, so what-if questions change their fork and leave the original alone.
class ClusterState final : public framework::IndexedCluster {
 public:
  // The names outlive the state and every fork of it.
  explicit ClusterState(framework::ResourceNames& names) : names_(&names) {}
  ClusterState(const ClusterState&) = default;
  ClusterState& operator=(const ClusterState&) = default;

  ClusterState Fork() const { return *this; }

  // Adds the node, or replaces what is known of it; pods that were waiting for it move in.
  void SetNode(api::NodePtr node);
  // The same for a copy of a cluster that has numbered its nodes: a new node gets this number, which must be vacant.
  void SetNode(api::NodePtr node, framework::NodeId number);
  // Its pods are kept aside until the node comes back or they go.
  void RemoveNode(std::string_view name);
  // Puts the pod on the node. A pod that is known already is moved or replaced; one that counts for the same on the
  // same node, as after its binding is confirmed, is merely exchanged.
  void PlacePod(const framework::PodInfoPtr& pod, std::string_view node_name);
  void RemovePod(std::string_view uid);
  // Says that a scheduling cycle begins: it sees all that changed until here. Upstream takes a snapshot at this moment
  // that copies only the rows that changed, and some decisions depend on when a row was last copied: see ImageState.
  void BeginCycle();
  // The same for a copy: as many cycles have begun as in the cluster that it follows.
  void CatchUpTo(uint64_t cycle);
  // What the image is known by there, which follows from a history that a copy has not seen. Says whether it can be.
  bool RestateImage(std::string_view name, int64_t size_bytes, std::vector<framework::ImageState::Spread> history) {
    return images_.Restate(name, size_bytes, std::move(history));
  }
  // Any object but nodes and pods.
  void SetObject(const api::Object& object);
  void RemoveObject(std::string_view kind, std::string_view key);
  // Any object but nodes and pods; none when it is not there.
  std::optional<api::Object> FindObject(std::string_view kind, std::string_view key) const {
    return objects_.FindObject(kind, key);
  }
  // Repeats a change that another state went through.
  void Apply(const Change& change);

  const framework::PodInfo* FindPod(std::string_view uid) const;
  // The node the pod was placed on, "" when the pod is unknown. The node itself may be missing.
  std::string_view NodeOf(std::string_view uid) const;
  size_t pod_count_total() const { return pods_.size(); }
  const framework::Lister& objects() const { return objects_; }
  const Journal& journal() const { return journal_; }
  framework::ResourceNames& resource_names() const { return *names_; }
  // Everything that decisions can see, as text in a fixed order: equal texts, equal clusters.
  std::string Describe() const;

  uint64_t cycle() const override { return journal_.cycle(); }
  size_t node_slots() const override { return rows_.size(); }
  size_t node_count() const override { return ids_.size(); }
  const Bitset& live_nodes() const override { return live_; }
  const framework::NodeInfo& node(framework::NodeId id) const override { return *rows_[id]; }
  framework::NodeId FindNode(std::string_view name) const override;
  framework::ResourceColumn resource(framework::ResourceId id) const override { return columns_.resource(id); }
  std::span<const int64_t> nonzero_cpu() const override { return columns_.nonzero_cpu(); }
  std::span<const int64_t> nonzero_memory() const override { return columns_.nonzero_memory(); }
  std::span<const int32_t> pod_count() const override { return columns_.pod_count(); }
  std::span<const int32_t> allowed_pods() const override { return columns_.allowed_pods(); }
  std::span<const int32_t> lowest_priority() const override { return columns_.lowest_priority(); }
  std::span<const uint64_t> row_version() const override { return columns_.row_version(); }
  std::span<const uint64_t> row_cycle() const override { return columns_.row_cycle(); }
  const Bitset& unschedulable_nodes() const override { return unschedulable_; }
  framework::TaintColumn taints() const override { return taints_.column(); }
  const framework::ImageState* image(std::string_view name) const override { return images_.Find(name); }
  const Bitset& nodes_with_host_ports() const override { return columns_.nodes_with_host_ports(); }
  int ClaimUsers(std::string_view claim) const override;

  const framework::TopologyColumn& topology(std::string_view key) override;
  const Bitset& NodesMatching(const api::NodeSelectorRequirement& requirement) override;
  const framework::NodeCounts& CountPods(const framework::PodQuery& query) override;
  std::vector<const framework::CarriedTerm*> carried_terms(framework::TermKind kind) override {
    return pod_index_.carried(kind).all();
  }
  void FindCarriedTerms(framework::TermKind kind, const api::Labels& labels,
                        std::vector<const framework::CarriedTerm*>& terms) override {
    pod_index_.carried(kind).FindForLabels(labels, terms);
  }

 private:
  struct PlacedPod {
    framework::PodInfoPtr info;
    framework::NodeId node = framework::kNoNode;  // kNoNode while its node is missing
    PodIndex::ClassId pod_class = 0;
  };
  using Pods = std::unordered_map<std::string_view, PlacedPod>;  // keyed by the uid inside the pod

  framework::NodeId NewSlot();
  // Makes the vacant number one that is in use.
  void TakeSlot(framework::NodeId number);
  void AddSlot();
  void Enter(api::NodePtr node, framework::NodeId id, bool is_new);
  framework::NodeInfo& MutableRow(framework::NodeId id);
  void RowChanged(framework::NodeId id);
  ImageIndex::Moment Now() const;
  // Exchanges a pod for one that counts for the same.
  void Exchange(Pods::iterator known, const framework::PodInfoPtr& pod);
  void MoveIn(PlacedPod& pod, framework::NodeId id);
  void MoveOut(PlacedPod& pod);
  void CountClaims(const api::Pod& pod, int sign);
  // Forgets indexes that nobody has asked for lately when there are more than a cluster of this size needs.
  void TrimIndexes();
  const api::Labels* NamespaceLabels(std::string_view ns) const;
  PodIndex::NamespaceLabels LabelsOfNamespaces() const;

  framework::ResourceNames* names_;
  std::vector<std::shared_ptr<framework::NodeInfo>> rows_;  // shared with forks until written; null where vacant
  std::vector<framework::NodeId> vacant_;
  StringMap<framework::NodeId> ids_;
  Bitset live_;
  Bitset unschedulable_;
  NodeColumns columns_;
  TaintIndex taints_;
  ImageIndex images_;
  // Filled when first asked: no const question may need them.
  LabelIndex labels_;
  PodIndex pod_index_;

  Pods pods_;
  MissingNodes missing_;
  StringMap<int> claim_users_;
  ClusterObjects objects_;
  Journal journal_;
};

}  // namespace berth::cluster
