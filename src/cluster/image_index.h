// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"
#include "base/string_map.h"
#include "framework/cluster_view.h"
#include "framework/node_info.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace berth::cluster {

// Which nodes hold which container image. As upstream, an image's size is the one the first node reported, and every
// node sees the number of holders as it was when the node itself last changed: the index keeps the past numbers that
// some holder still sees.
class ImageIndex {
 public:
  // When a change happens, and when the rows last changed.
  struct Moment {
    uint64_t cycle;
    std::span<const uint64_t> row_cycle;  // by NodeId
  };

  void Add(framework::NodeId id, const api::Node& node, Moment now);
  void Remove(framework::NodeId id, const api::Node& node, Moment now);
  const framework::ImageState* Find(std::string_view name) const;
  // In a copy of a cluster: what the image is known by there. Says whether any node holds it.
  bool Restate(std::string_view name, int64_t size_bytes, std::vector<framework::ImageState::Spread> history);

 private:
  struct Entry {
    framework::ImageState state;
    size_t trim_at;  // the length at which the history is next looked through
  };
  static void NoteCount(Entry& entry, Moment now);
  static void Trim(Entry& entry, std::span<const uint64_t> row_cycle);

  StringMap<Entry> images_;
};

}  // namespace berth::cluster
