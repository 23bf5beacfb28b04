// SPDX-License-Identifier: Apache-2.0
#include "cluster/image_index.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace berth::cluster {

using framework::ImageState;
using framework::NodeId;

namespace {

constexpr size_t kLongHistory = 16;

}  // namespace

void ImageIndex::Add(NodeId id, const api::Node& node, Moment now) {
  for (const api::ContainerImage& image : node.images) {
    for (const std::string& name : image.names) {
      const auto [it, is_new] = images_.try_emplace(name, Entry{{}, kLongHistory});
      ImageState& state = it->second.state;
      if (is_new) state.size_bytes = image.size_bytes;
      if (state.nodes.size() <= id) state.nodes.Resize(id + 1);
      if (state.nodes.Test(id)) continue;
      state.nodes.Set(id);
      ++state.node_count;
      NoteCount(it->second, now);
    }
  }
}

void ImageIndex::Remove(NodeId id, const api::Node& node, Moment now) {
  for (const api::ContainerImage& image : node.images) {
    for (const std::string& name : image.names) {
      const auto it = images_.find(name);
      if (it == images_.end()) continue;
      ImageState& state = it->second.state;
      if (state.nodes.size() <= id || !state.nodes.Test(id)) continue;
      state.nodes.Reset(id);
      --state.node_count;
      if (state.node_count == 0) {
        images_.erase(it);
      } else {
        NoteCount(it->second, now);
      }
    }
  }
}

const ImageState* ImageIndex::Find(std::string_view name) const {
  const auto it = images_.find(name);
  return it == images_.end() ? nullptr : &it->second.state;
}

bool ImageIndex::Restate(std::string_view name, int64_t size_bytes, std::vector<ImageState::Spread> history) {
  const auto it = images_.find(name);
  if (it == images_.end() || history.empty() || history.back().node_count != it->second.state.node_count) return false;
  it->second.state.size_bytes = size_bytes;
  it->second.state.history = std::move(history);
  return true;
}

void ImageIndex::NoteCount(Entry& entry, Moment now) {
  std::vector<ImageState::Spread>& history = entry.state.history;
  if (!history.empty() && history.back().cycle == now.cycle) {
    history.back().node_count = entry.state.node_count;
  } else {
    history.push_back({now.cycle, entry.state.node_count});
  }
  // A node that is set anew gives its images up and takes them again: then nothing has changed.
  if (history.size() > 1 && history[history.size() - 2].node_count == entry.state.node_count) history.pop_back();
  if (history.size() >= entry.trim_at) Trim(entry, now.row_cycle);
}

// Forgets what no holder can see any more.
void ImageIndex::Trim(Entry& entry, std::span<const uint64_t> row_cycle) {
  std::vector<ImageState::Spread>& history = entry.state.history;
  uint64_t oldest = history.back().cycle;
  entry.state.nodes.ForEach([&](size_t node) { oldest = std::min(oldest, row_cycle[node]); });
  const auto later = std::ranges::upper_bound(history, oldest, {}, &ImageState::Spread::cycle);
  if (later != history.begin()) history.erase(history.begin(), std::prev(later));
  // Looking through all holders is worth it only now and then.
  entry.trim_at = std::max(kLongHistory, 2 * history.size());
}

}  // namespace berth::cluster
