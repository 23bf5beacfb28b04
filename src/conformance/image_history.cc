// SPDX-License-Identifier: Apache-2.0
#include "conformance/image_history.h"

namespace berth::conformance {

void ImageHistory::SetNode(const api::Node& node) {
  const std::string& name = node.meta.name;
  Drop(name);
  for (const api::ContainerImage& image : node.images) {
    for (const std::string& image_name : image.names) {
      const auto [it, is_new] = images_.try_emplace(image_name);
      if (is_new) it->second.size_bytes = image.size_bytes;
      it->second.holders.insert(name);
    }
  }
  nodes_.insert(name);
  changed_.insert(name);
}

void ImageHistory::RemoveNode(const std::string& name) {
  Drop(name);
  nodes_.erase(name);
  seen_by_.erase(name);
}

void ImageHistory::Drop(const std::string& node) {
  for (auto& [name, image] : images_) image.holders.erase(node);
  std::erase_if(images_, [](const auto& entry) { return entry.second.holders.empty(); });
}

void ImageHistory::BeginCycle() {
  for (const std::string& node : changed_) {
    if (!nodes_.contains(node)) continue;
    std::map<std::string, Seen>& seen = seen_by_[node];
    seen.clear();
    for (const auto& [name, image] : images_) {
      if (image.holders.contains(node)) seen[name] = {image.size_bytes, image.holders.size()};
    }
  }
  changed_.clear();
}

const ImageHistory::Seen* ImageHistory::Find(const std::string& node, const std::string& image) const {
  const auto row = seen_by_.find(node);
  if (row == seen_by_.end()) return nullptr;
  const auto seen = row->second.find(image);
  return seen == row->second.end() ? nullptr : &seen->second;
}

}  // namespace berth::conformance
