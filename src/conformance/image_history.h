// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace berth::conformance {

// What each node knows of the images it holds, the simple way: a number is copied for every image of every node that
// changed, whenever a cycle begins. As upstream, an image's size is the one its first holder told.
class ImageHistory {
 public:
  struct Seen {
    int64_t size_bytes = 0;
    size_t holders = 0;
  };

  void SetNode(const api::Node& node);
  void RemoveNode(const std::string& name);
  // A pod came, went or changed there.
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
