// SPDX-License-Identifier: Apache-2.0
#include "cluster/cluster_state.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::cluster {

using framework::kNoNode;
using framework::NodeCounts;
using framework::NodeId;
using framework::NodeInfo;
using framework::PodInfo;
using framework::PodInfoPtr;
using framework::TermKind;

namespace {

// One more index is worth keeping for this many pods: a workload has several pods and needs an index or two.
constexpr size_t kPodsPerIndex = 4;
constexpr size_t kFewIndexes = 256;
constexpr size_t kManyIndexes = 4096;

// Whether rows, columns and indexes hold the same for both, and plugins see the same in them. Asks only for what can
// differ between two states of one pod.
bool CountForTheSame(const PodInfo& a, const PodInfo& b) {
  const api::ObjectMeta& meta = a->meta;
  if (meta.name != b->meta.name || a->is_terminating() != b->is_terminating()) return false;
  if (a.pod_class == b.pod_class) return true;
  if (meta.labels != b->meta.labels || meta.namespace_ != b->meta.namespace_) return false;
  if (a->priority() != b->priority()) return false;
  if (a.traits != b.traits && *a.traits != *b.traits) return false;
  return a->spec == b->spec || a.spec().volumes == b.spec().volumes;
}

}  // namespace

void ClusterState::SetNode(api::NodePtr node) {
  const NodeId known = FindNode(node->meta.name);
  const bool is_new = known == kNoNode;
  Enter(std::move(node), is_new ? NewSlot() : known, is_new);
}

void ClusterState::SetNode(api::NodePtr node, NodeId number) {
  const NodeId known = FindNode(node->meta.name);
  if (known == kNoNode) {
    TakeSlot(number);
  } else {
    BERTH_CHECK(known == number);
  }
  Enter(std::move(node), number, known == kNoNode);
}

void ClusterState::Enter(api::NodePtr node, NodeId id, bool is_new) {
  const std::string& name = node->meta.name;
  if (is_new) {
    rows_[id] = std::make_shared<NodeInfo>();
    rows_[id]->id = id;
    ids_.emplace(name, id);
    live_.Set(id);
  } else {
    images_.Remove(id, *rows_[id]->node, Now());
  }
  NodeInfo& row = MutableRow(id);
  const api::NodePtr before = row.node;
  row.SetNode(node, *names_);
  unschedulable_.Assign(id, node->unschedulable);
  taints_.SetNode(id, node->taints);
  images_.Add(id, *node, Now());
  labels_.SetNode(id, before.get(), *node);
  if (is_new) {
    for (const std::string& uid : missing_.Take(name)) MoveIn(pods_.find(uid)->second, id);
  }
  journal_.Append(id, NodeSet{std::move(node)});
  RowChanged(id);
}

void ClusterState::RemoveNode(std::string_view name) {
  const NodeId id = FindNode(name);
  if (id == kNoNode) return;
  std::string name_text(name);  // the caller's may be the node's own
  const std::vector<PodInfoPtr> pods = rows_[id]->pods;
  for (const PodInfoPtr& pod : pods) {
    const std::string_view uid = framework::PodUid(*pod->pod);
    MoveOut(pods_.find(uid)->second);
    missing_.Add(name_text, uid);
  }
  images_.Remove(id, *rows_[id]->node, Now());
  labels_.ClearNode(id);
  taints_.ClearNode(id);
  columns_.Clear(id);
  live_.Reset(id);
  unschedulable_.Reset(id);
  rows_[id] = nullptr;
  ids_.erase(ids_.find(name_text));
  vacant_.push_back(id);
  journal_.Append(id, NodeRemoved{std::move(name_text)});
}

void ClusterState::PlacePod(const PodInfoPtr& pod, std::string_view node_name) {
  const std::string_view uid = framework::PodUid(*pod->pod);
  if (const auto known = pods_.find(uid); known != pods_.end()) {
    const PlacedPod& placed = known->second;
    const bool stays = placed.node != kNoNode && rows_[placed.node]->name() == node_name;
    // Not with host ports: removing and adding the pod may change which ports count as used (NodeInfo::AddPod).
    if (stays && pod->traits->host_ports.empty() && CountForTheSame(*placed.info, *pod)) return Exchange(known, pod);
    RemovePod(std::string(uid));
  }
  const PodIndex::ClassId pod_class = pod_index_.Enter(*pod, LabelsOfNamespaces());
  PlacedPod& placed = pods_[uid];
  placed = {pod, kNoNode, pod_class};
  const NodeId id = FindNode(node_name);
  if (id == kNoNode) {
    missing_.Add(node_name, uid);
  } else {
    MoveIn(placed, id);
  }
  journal_.Append(id, PodPlaced{pod, std::string(node_name)});
  if (id != kNoNode) RowChanged(id);
}

void ClusterState::RemovePod(std::string_view uid) {
  const auto it = pods_.find(uid);
  if (it == pods_.end()) return;
  PlacedPod placed = std::move(it->second);
  std::string uid_text(uid);
  const NodeId id = placed.node;
  if (id != kNoNode) {
    MoveOut(placed);
  } else {
    missing_.Remove(uid);
  }
  pods_.erase(it);
  pod_index_.Leave(placed.pod_class);
  journal_.Append(id, PodRemoved{std::move(uid_text)});
  if (id != kNoNode) RowChanged(id);
}

void ClusterState::BeginCycle() {
  journal_.BeginCycle();
  TrimIndexes();
}

void ClusterState::CatchUpTo(uint64_t cycle) {
  if (cycle <= journal_.cycle()) return;
  journal_.CatchUpTo(cycle);
  TrimIndexes();
}

void ClusterState::TrimIndexes() {
  const size_t enough = std::clamp(pods_.size() / kPodsPerIndex, kFewIndexes, kManyIndexes);
  labels_.Trim(enough);
  pod_index_.Trim(enough);
}

void ClusterState::SetObject(const api::Object& object) {
  objects_.Set(object);
  if (std::holds_alternative<std::shared_ptr<const api::Namespace>>(object)) pod_index_.NamespaceChanged();
  journal_.Append(kNoNode, ObjectSet{object});
}

void ClusterState::RemoveObject(std::string_view kind, std::string_view key) {
  if (!objects_.Remove(kind, key)) return;
  if (kind == api::KindOf<api::Namespace>()) pod_index_.NamespaceChanged();
  journal_.Append(kNoNode, ObjectRemoved{std::string(kind), std::string(key)});
}

void ClusterState::Apply(const Change& change) {
  struct Visitor {
    ClusterState& state;
    void operator()(const NodeSet& set) const { state.SetNode(set.node); }
    void operator()(const NodeRemoved& removed) const { state.RemoveNode(removed.name); }
    void operator()(const PodPlaced& placed) const { state.PlacePod(placed.pod, placed.node_name); }
    void operator()(const PodRemoved& removed) const { state.RemovePod(removed.uid); }
    void operator()(const ObjectSet& set) const { state.SetObject(set.object); }
    void operator()(const ObjectRemoved& removed) const { state.RemoveObject(removed.kind, removed.key); }
  };
  journal_.CatchUpTo(change.cycle);
  std::visit(Visitor{*this}, change.what);
}

const PodInfo* ClusterState::FindPod(std::string_view uid) const {
  const auto it = pods_.find(uid);
  return it == pods_.end() ? nullptr : it->second.info.get();
}

std::string_view ClusterState::NodeOf(std::string_view uid) const {
  const auto it = pods_.find(uid);
  if (it == pods_.end()) return {};
  return it->second.node == kNoNode ? missing_.NodeOf(uid) : std::string_view(rows_[it->second.node]->name());
}

NodeId ClusterState::FindNode(std::string_view name) const {
  const auto it = ids_.find(name);
  return it == ids_.end() ? kNoNode : it->second;
}

const framework::TopologyColumn& ClusterState::topology(std::string_view key) {
  return labels_.Topology(
      key, [&](auto&& visit) { live_.ForEach([&](size_t id) { visit(static_cast<NodeId>(id), *rows_[id]->node); }); });
}

const Bitset& ClusterState::NodesMatching(const api::NodeSelectorRequirement& requirement) {
  return labels_.NodesMatching(requirement, [&](auto&& visit) {
    live_.ForEach([&](size_t id) { visit(static_cast<NodeId>(id), *rows_[id]->node); });
  });
}

const NodeCounts& ClusterState::CountPods(const framework::PodQuery& query) {
  return pod_index_.Count(query, LabelsOfNamespaces(), [&](const auto& visit) {
    for (const auto& [uid, pod] : pods_) {
      if (pod.node != kNoNode) visit(pod.pod_class, pod.node);
    }
  });
}

int ClusterState::ClaimUsers(std::string_view claim) const {
  const auto it = claim_users_.find(claim);
  return it == claim_users_.end() ? 0 : it->second;
}

NodeId ClusterState::NewSlot() {
  if (!vacant_.empty()) {
    const NodeId id = vacant_.back();
    vacant_.pop_back();
    return id;
  }
  AddSlot();
  return static_cast<NodeId>(rows_.size() - 1);
}

void ClusterState::TakeSlot(NodeId number) {
  while (rows_.size() <= number) {
    vacant_.push_back(static_cast<NodeId>(rows_.size()));
    AddSlot();
  }
  BERTH_CHECK(rows_[number] == nullptr);
  // A number that was just added, or given back, is found at once.
  const auto it = std::find(vacant_.rbegin(), vacant_.rend(), number);
  vacant_.erase(std::next(it).base());
}

void ClusterState::AddSlot() {
  const size_t slots = rows_.size() + 1;
  rows_.emplace_back();
  live_.Resize(slots);
  unschedulable_.Resize(slots);
  columns_.Resize(slots);
  taints_.Resize(slots);
  labels_.Resize(slots);
}

NodeInfo& ClusterState::MutableRow(NodeId id) {
  if (rows_[id].use_count() > 1) rows_[id] = std::make_shared<NodeInfo>(*rows_[id]);
  return *rows_[id];
}

void ClusterState::RowChanged(NodeId id) { columns_.Write(*rows_[id], journal_.revision(), journal_.cycle()); }

ImageIndex::Moment ClusterState::Now() const { return {journal_.cycle(), columns_.row_cycle()}; }

void ClusterState::Exchange(Pods::iterator known, const PodInfoPtr& pod) {
  // The key lies in the pod that goes.
  Pods::node_type handle = pods_.extract(known);
  PlacedPod& placed = handle.mapped();
  const NodeId id = placed.node;
  std::vector<PodInfoPtr>& pods = MutableRow(id).pods;
  const auto at = std::find(pods.begin(), pods.end(), placed.info);
  BERTH_CHECK(at != pods.end());
  // Leaves the pods in the order that taking it off and putting it on again would: see NodeInfo::RemovePod.
  std::swap(*at, pods.back());
  std::string node_name = rows_[id]->name();
  if (placed.info->pod_class != pod->pod_class) {
    const PodIndex::ClassId entered = pod_index_.Enter(*pod, LabelsOfNamespaces());
    pod_index_.Leave(std::exchange(placed.pod_class, entered));
  }
  pods.back() = placed.info = pod;
  handle.key() = framework::PodUid(*pod->pod);
  pods_.insert(std::move(handle));
  columns_.Touch(id, journal_.cycle());
  // No row is named, for none has changed.
  journal_.Append(kNoNode, PodPlaced{pod, std::move(node_name)});
}

void ClusterState::MoveIn(PlacedPod& pod, NodeId id) {
  pod.node = id;
  MutableRow(id).AddPod(pod.info);
  CountClaims(*pod.info->pod, +1);
  pod_index_.Add(*pod.info, pod.pod_class, id);
}

void ClusterState::MoveOut(PlacedPod& pod) {
  const NodeId id = pod.node;
  pod.node = kNoNode;
  const std::string_view uid = framework::PodUid(*pod.info->pod);
  BERTH_CHECK(MutableRow(id).RemovePod(uid));
  CountClaims(*pod.info->pod, -1);
  pod_index_.Remove(*pod.info, pod.pod_class, id);
}

void ClusterState::CountClaims(const api::Pod& pod, int sign) {
  for (const api::Volume& volume : pod.spec->volumes) {
    const auto* claim = std::get_if<api::ClaimVolume>(&volume.source);
    if (claim == nullptr) continue;
    const auto it = claim_users_.try_emplace(pod.meta.namespace_ + "/" + claim->claim_name, 0).first;
    it->second += sign;
    if (it->second == 0) claim_users_.erase(it);
  }
}

const api::Labels* ClusterState::NamespaceLabels(std::string_view ns) const {
  const api::Namespace* found = objects_.FindNamespace(ns);
  return found == nullptr ? nullptr : &found->meta.labels;
}

PodIndex::NamespaceLabels ClusterState::LabelsOfNamespaces() const {
  return [this](std::string_view ns) { return NamespaceLabels(ns); };
}

namespace {

std::string Amounts(const framework::ResourceAmounts& amounts, const framework::ResourceNames& names) {
  std::map<std::string, int64_t> scalars;
  for (const auto& [id, amount] : amounts.scalars) {
    if (amount != 0) scalars[names.Name(id)] = amount;
  }
  std::string text =
      fmt::format("cpu={} memory={} ephemeral-storage={}", amounts.cpu, amounts.memory, amounts.ephemeral_storage);
  for (const auto& [name, amount] : scalars) text += fmt::format(" {}={}", name, amount);
  return text;
}

}  // namespace

std::string ClusterState::Describe() const {
  std::map<std::string, std::string> nodes;
  live_.ForEach([&](size_t slot) {
    const auto id = static_cast<NodeId>(slot);
    const NodeInfo& row = *rows_[id];
    std::string text =
        fmt::format("allocatable {} pods={}\n  requested {} nonzero {}/{}\n", Amounts(row.allocatable, *names_),
                    row.allowed_pods, Amounts(row.requested, *names_), row.nonzero_cpu, row.nonzero_memory);
    // The columns must mirror the row, so both are part of the description.
    for (size_t resource = 0; resource < names_->size(); ++resource) {
      const auto column = columns_.resource(static_cast<framework::ResourceId>(resource));
      if (column.allocatable[id] == 0 && column.requested[id] == 0) continue;
      text += fmt::format("  column {} {}/{}\n", names_->Name(static_cast<framework::ResourceId>(resource)),
                          column.requested[id], column.allocatable[id]);
    }
    text += fmt::format("  columns nonzero {}/{} pods {}/{} lowest {} ports {} unschedulable {}\n",
                        columns_.nonzero_cpu()[id], columns_.nonzero_memory()[id], columns_.pod_count()[id],
                        columns_.allowed_pods()[id], columns_.lowest_priority()[id],
                        columns_.nodes_with_host_ports().Test(id), unschedulable_.Test(id));
    for (const auto& [key, value] : row.node->meta.labels) text += fmt::format("  label {}={}\n", key, value);
    for (const api::Taint& taint : taints_.column().sets[taints_.column().set_of_node[id]]) {
      text += fmt::format("  taint {}={}:{}\n", taint.key, taint.value, static_cast<int>(taint.effect));
    }
    std::vector<std::string> pods;
    for (const auto& pod : row.pods) pods.push_back(pod->pod->meta.Key());
    std::sort(pods.begin(), pods.end());
    for (const std::string& pod : pods) text += fmt::format("  pod {}\n", pod);
    std::vector<std::string> ports;
    for (const auto& port : row.used_ports) ports.push_back(fmt::format("{} {} {}", port.ip, port.protocol, port.port));
    std::sort(ports.begin(), ports.end());
    for (const std::string& port : ports) text += fmt::format("  port {}\n", port);
    for (const api::ContainerImage& image : row.node->images) {
      for (const std::string& name : image.names) {
        const framework::ImageState* state = images_.Find(name);
        if (state != nullptr)
          text += fmt::format("  image {} on {}\n", name, state->HoldersSeenFrom(columns_.row_cycle()[id]));
      }
    }
    nodes[row.name()] = std::move(text);
  });
  std::string text;
  for (const auto& [name, description] : nodes) text += fmt::format("node {}\n  {}", name, description);

  std::map<std::string, std::string> carried;
  for (const TermKind kind : {TermKind::RequiredAffinity, TermKind::RequiredAntiAffinity, TermKind::PreferredAffinity,
                              TermKind::PreferredAntiAffinity}) {
    for (const framework::CarriedTerm* term : pod_index_.carried(kind).all()) {
      std::map<std::string, int32_t> carriers;
      term->carriers.ForEach([&](NodeId id, int32_t count) { carriers[rows_[id]->name()] = count; });
      std::string entry =
          fmt::format("term {} {} {} {} in [{}] weight {}:", static_cast<int>(kind), term->term.topology_key,
                      term->term.selector.ToString(), term->term.namespace_selector.ToString(),
                      fmt::join(term->term.namespaces, " "), term->weight);
      std::string counts;
      for (const auto& [name, count] : carriers) counts += fmt::format(" {}={}", name, count);
      carried[entry] += counts + ";";
    }
  }
  for (const auto& [term, counts] : carried) text += term + counts + "\n";

  std::map<std::string, int> claims(claim_users_.begin(), claim_users_.end());
  for (const auto& [claim, users] : claims) text += fmt::format("claim {} used by {}\n", claim, users);
  std::map<std::string, std::string> placements;
  for (const auto& [uid, pod] : pods_) placements[std::string(uid)] = NodeOf(uid);
  for (const auto& [uid, name] : placements) text += fmt::format("pod {} on {}\n", uid, name);
  return text;
}

}  // namespace berth::cluster
