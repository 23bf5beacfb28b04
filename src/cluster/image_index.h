// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"
#include "base/string_map.h"
#include "framework/cluster_view.h"
#include "framework/node_info.h"

#include <string_view>

namespace berth::cluster {

// Which nodes hold which container image. As upstream, an image's size is the one the first node reported.
class ImageIndex {
 public:
  void Add(framework::NodeId id, const api::Node& node);
  void Remove(framework::NodeId id, const api::Node& node);
  const framework::ImageState* Find(std::string_view name) const;

 private:
  StringMap<framework::ImageState> images_;
};

}  // namespace berth::cluster
