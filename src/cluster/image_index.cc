// SPDX-License-Identifier: Apache-2.0
#include "cluster/image_index.h"

namespace berth::cluster {

using framework::ImageState;
using framework::NodeId;

void ImageIndex::Add(NodeId id, const api::Node& node) {
  for (const api::ContainerImage& image : node.images) {
    for (const std::string& name : image.names) {
      const auto [it, is_new] = images_.try_emplace(name);
      ImageState& state = it->second;
      if (is_new) state.size_bytes = image.size_bytes;
      if (state.nodes.size() <= id) state.nodes.Resize(id + 1);
      if (state.nodes.Test(id)) continue;
      state.nodes.Set(id);
      ++state.node_count;
    }
  }
}

void ImageIndex::Remove(NodeId id, const api::Node& node) {
  for (const api::ContainerImage& image : node.images) {
    for (const std::string& name : image.names) {
      const auto it = images_.find(name);
      if (it == images_.end() || it->second.nodes.size() <= id || !it->second.nodes.Test(id)) continue;
      it->second.nodes.Reset(id);
      if (--it->second.node_count == 0) images_.erase(it);
    }
  }
}

const ImageState* ImageIndex::Find(std::string_view name) const {
  const auto it = images_.find(name);
  return it == images_.end() ? nullptr : &it->second;
}

}  // namespace berth::cluster
