// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/string_map.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::cluster {

// The pods whose node does not exist, or no longer exists: they are kept here until the node appears or they are
// removed. The pods of a node are ordered as in a row. The cost of a call depends only on the pods it is about.
class MissingNodes {
 public:
  // A pod that is not here yet.
  void Add(std::string_view node, std::string_view uid);
  // As on a node that is there, the last pod takes the place of the one that goes.
  void Remove(std::string_view uid);
  // The node came: hands over its pods, in order.
  std::vector<std::string> Take(std::string_view node);
  // "" when the pod is not here.
  std::string_view NodeOf(std::string_view uid) const;

 private:
  using Number = uint32_t;
  struct Node {
    std::string name;
    std::vector<std::string> uids;
  };
  struct Place {
    Number node = 0;
    uint32_t position = 0;
  };
  void Forget(Number number);

  // Numbers rather than pointers, so that copies stand alone.
  std::vector<Node> nodes_;
  std::vector<Number> vacant_;
  StringMap<Number> numbers_;  // by node name
  StringMap<Place> places_;    // by uid
};

}  // namespace berth::cluster
