// SPDX-License-Identifier: Apache-2.0
#include "remote/told_nodes.h"

#include "remote/wire.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <utility>

namespace berth::remote {

using framework::ClusterView;
using framework::NodeId;
using framework::NodeInfo;
using framework::PodInfoPtr;
using framework::PodUid;

namespace {

constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

using Pods = std::vector<PodInfoPtr>;

auto FindUid(Pods& pods, std::string_view uid) {
  return std::ranges::find_if(pods, [&](const PodInfoPtr& pod) { return PodUid(*pod->pod) == uid; });
}

// As NodeInfo takes a pod off: the last one takes its place.
void TakeOff(Pods& pods, Pods::iterator at) {
  *at = std::move(pods.back());
  pods.pop_back();
}

bool IsSameImage(const api::ContainerImage& a, const api::ContainerImage& b) {
  return a.names == b.names && a.size_bytes == b.size_bytes;
}

bool IsSameSpread(const framework::ImageState::Spread& a, const framework::ImageState::Spread& b) {
  return a.cycle == b.cycle && a.node_count == b.node_count;
}

size_t SameFromTheStart(const Pods& a, const Pods& b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

void RemoveLeft(const NodeInfo& info, Pods& told, ToldPods& pods, ObjectsWriter& out) {
  for (size_t i = 0; i < told.size();) {
    const std::string_view uid = PodUid(*told[i]->pod);
    const bool stays = std::ranges::any_of(info.pods, [&](const PodInfoPtr& pod) { return PodUid(*pod->pod) == uid; });
    if (stays) {
      ++i;
      continue;
    }
    pods.Unplace(*told[i], info.id, out);
    TakeOff(told, told.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// A pod that is told anew on its node is put on it once more: it comes last.
void TellChanged(const NodeInfo& info, Pods& told, ToldPods& pods, ObjectsWriter& out) {
  for (const PodInfoPtr& pod : info.pods) {
    const auto at = FindUid(told, PodUid(*pod->pod));
    if (at == told.end() || *at == pod) continue;
    if (!pods.Renew(*pod, out)) {
      *at = pod;  // another view of the object that was told
      continue;
    }
    TakeOff(told, at);
    told.push_back(pod);
  }
}

}  // namespace

void ToldNodes::Sync(const ClusterView& cluster, ToldPods& pods, ObjectsWriter& out) {
  const size_t slots = std::max(rows_.size(), cluster.node_slots());
  rows_.resize(slots);
  versions_.resize(slots, kNever);
  cycles_.resize(slots, kNever);
  told_.Resize(slots);
  FindSuspects(cluster);
  out.SetCycles(cycle_);
  RemoveGone(cluster, pods, out);
  for (const NodeId id : suspects_) {
    const NodeInfo& info = cluster.node(id);
    Row& row = rows_[id];
    const uint64_t cycle = cluster.row_cycle()[id];
    versions_[id] = cluster.row_version()[id];
    const bool has_moved = std::exchange(cycles_[id], cycle) != cycle;
    if (has_moved) NoteImages(*info.node, /*have_changed=*/false);
    if (row.node == info.node && row.pods == info.pods) {
      // By images one can tell when the row was looked at.
      if (!tells_images_ || !has_moved) continue;
      row.node = nullptr;
    }
    out.SetCycles(cycle);
    SyncRow(info, row, pods, out);
    told_.Set(id);
  }
  cycle_ = cluster.cycle();
  out.SetCycles(cycle_);
  TellImages(cluster, out);
}

// By when they changed. A row whose pods were merely exchanged for newer ones keeps its version, but not its cycle.
void ToldNodes::FindSuspects(const ClusterView& cluster) {
  suspects_.clear();
  const std::span<const uint64_t> version = cluster.row_version();
  const std::span<const uint64_t> cycle = cluster.row_cycle();
  cluster.live_nodes().ForEach([&](size_t id) {
    if (versions_[id] != version[id] || cycle[id] >= cycle_) suspects_.push_back(static_cast<NodeId>(id));
  });
  std::ranges::stable_sort(suspects_, {}, [&](NodeId id) { return cycle[id]; });
}

// First, for numbers are used again, and a node may come back under another one. When they went is not known exactly.
void ToldNodes::RemoveGone(const ClusterView& cluster, ToldPods& pods, ObjectsWriter& out) {
  Bitset live = cluster.live_nodes();
  live.Resize(told_.size());
  Bitset gone = told_;
  gone.AndNot(live);
  for (const NodeId id : suspects_) {
    if (told_.Test(id) && rows_[id].node->meta.name != cluster.node(id).name()) gone.Set(id);
  }
  gone.ForEach([&](size_t id) {
    Row& row = rows_[id];
    for (; !row.pods.empty(); row.pods.pop_back()) pods.Unplace(*row.pods.back(), static_cast<NodeId>(id), out);
    out.Add().set_node_gone(static_cast<uint32_t>(id));
    NoteImages(*row.node, /*have_changed=*/true);
    row.node = nullptr;
    versions_[id] = kNever;
    told_.Reset(id);
  });
}

void ToldNodes::AddPod(const PodInfoPtr& pod, NodeId node, ToldPods& pods, ObjectsWriter& out) {
  pods.Mention(*pod, out);
  if (const NodeId before = pods.NodeOf(*pod); before != framework::kNoNode) {
    // It comes from another node, which is seen to later; it leaves that one here and now.
    Pods& there = rows_[before].pods;
    if (const auto at = FindUid(there, PodUid(*pod->pod)); at != there.end()) TakeOff(there, at);
    pods.Renew(*pod, out);
  }
  pods.Place(*pod, node, out);
  rows_[node].pods.push_back(pod);
}

void ToldNodes::AddNew(const NodeInfo& info, ToldPods& pods, ObjectsWriter& out) {
  for (const PodInfoPtr& pod : info.pods) {
    Pods& told = rows_[info.id].pods;
    if (FindUid(told, PodUid(*pod->pod)) == told.end()) AddPod(pod, info.id, pods, out);
  }
}

// What happened in between cannot be told from the outcome, but the order can be had.
void ToldNodes::PutInOrder(const NodeInfo& info, ToldPods& pods, ObjectsWriter& out) {
  Pods& told = rows_[info.id].pods;
  const size_t same = SameFromTheStart(told, info.pods);
  for (; told.size() > same; told.pop_back()) pods.Unplace(*told.back(), info.id, out);
  for (size_t i = same; i < info.pods.size(); ++i) AddPod(info.pods[i], info.id, pods, out);
}

void ToldNodes::SyncRow(const NodeInfo& info, Row& row, ToldPods& pods, ObjectsWriter& out) {
  if (row.node != info.node) {
    const bool same = row.node != nullptr && std::ranges::equal(row.node->images, info.node->images, IsSameImage);
    if (!same && row.node != nullptr) NoteImages(*row.node, /*have_changed=*/true);
    NoteImages(*info.node, !same);
    row.node = info.node;
    std::string document = out.DocumentOf(info.node);
    wire::Node& node = *out.Add(document.size()).mutable_node();
    node.set_id(info.id);
    node.set_name(info.name());
    node.set_document(std::move(document));
  }
  // Mostly pods were added and nothing else.
  if (SameFromTheStart(row.pods, info.pods) != row.pods.size()) {
    RemoveLeft(info, row.pods, pods, out);
    TellChanged(info, row.pods, pods, out);
  }
  AddNew(info, pods, out);
  if (row.pods != info.pods) PutInOrder(info, pods, out);
}

void ToldNodes::NoteImages(const api::Node& node, bool have_changed) {
  if (!tells_images_) return;
  for (const api::ContainerImage& image : node.images) {
    for (const std::string& name : image.names) images_[name] |= have_changed;
  }
}

// After the nodes, for what is known of an image follows from all changes together.
void ToldNodes::TellImages(const ClusterView& cluster, ObjectsWriter& out) {
  for (const auto& [name, has_changed] : images_) {
    const framework::ImageState* state = cluster.image(name);
    if (state == nullptr) {
      told_images_.erase(name);
      continue;
    }
    std::vector<framework::ImageState::Spread>& told = told_images_[name];
    if (!has_changed && std::ranges::equal(told, state->history, IsSameSpread)) continue;
    told = state->history;
    wire::Image& image = *out.Add().mutable_image();
    image.set_name(name);
    image.set_size_bytes(state->size_bytes);
    for (const framework::ImageState::Spread& spread : told) {
      wire::Image::Spread& written = *image.add_history();
      written.set_cycle(spread.cycle);
      written.set_nodes(spread.node_count);
    }
  }
  images_.clear();
}

}  // namespace berth::remote
