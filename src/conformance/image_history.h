// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace berth::conformance {

// What each node knows about its images, implemented naively: whenever a cycle begins, the numbers of every image of
// every changed node are copied. As upstream, an image has the size its first holder reported.
class ImageHistory {
 public:
  struct Seen {
    int64_t size_bytes = 0;
    size_t holders = 0;
  };

  void SetNode(const api::Node& node);
  void RemoveNode(const std::string& name);
  // A pod on the node was added, removed or changed.
  void Touch(const std::string& node) { changed_.insert(node); }
  void BeginCycle();

  // Null when the node does not hold the image.
  const Seen* Find(const std::string& node, const std::string& image) const;

 private:
  struct Image {
    int64_t size_bytes = 0;
    std::set<std::string> holders;
  };
  void Drop(const std::string& node);

  std::map<std::string, Image> images_;
  std::map<std::string, std::map<std::string, Seen>> seen_by_;  // by node and image
  std::set<std::string> nodes_;
  std::set<std::string> changed_;
};

}  // namespace berth::conformance
