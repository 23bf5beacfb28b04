// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/affinity.h"
#include "framework/cycle_state.h"
#include "framework/node_info.h"
#include "framework/pod_info.h"
#include "framework/status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace berth::framework {

// The node has less of a resource than the pod asks for, in the units that scheduling counts in.
struct Shortfall {
  std::string resource;
  int64_t requested = 0;
  int64_t free = 0;
  int64_t allocatable = 0;
  int64_t missing() const { return requested - free; }
};

// The node holds as many of something ("pods") as it may.
struct LimitReached {
  std::string what;
  int64_t count = 0;
  int64_t limit = 0;
};

// A label of the node is not what the pod needs.
struct UnmetRequirement {
  api::NodeSelectorRequirement requirement;
  std::optional<std::string> found;  // the label's value, if the node has the label
};

// Anything else that is in the way. Readers see the parts in this order: "host port" "80/TCP" "is taken".
struct Obstacle {
  std::string what;
  std::string which;  // may be empty
  std::string state;  // may be empty
};

using Lack = std::variant<Shortfall, LimitReached, UnmetRequirement, Obstacle>;

// A change that is enough for the plugin to accept the node.
struct Remedy {
  enum class Of : uint8_t { Pod, Node };
  Of changes = Of::Pod;
  std::string verb;                  // "tolerate", "uncordon"
  std::vector<std::string> objects;  // of the verb; may be empty where the node itself is its object
};

// What is lacking between a pod and a node. Shortfalls need no remedy: what to request instead, and how large a node
// must be, follows from their numbers.
struct RejectionDescription {
  std::vector<Lack> lacks;
  std::vector<Remedy> remedies;  // each is enough by itself
};

// For Filter plugins whose rejections `explain` can describe with the values that were compared, rather than with the
// reasons alone. Asked after Filter rejected the node, or after PreFilter left it out, on the thread and in the state
// of that cycle; never during scheduling.
class DescribeRejectionPlugin {
 public:
  virtual RejectionDescription DescribeRejection(const CycleState& state, const PodInfo& pod, const NodeInfo& node,
                                                 const Status& verdict) const = 0;

 protected:
  ~DescribeRejectionPlugin() = default;  // never deleted through this base
};

}  // namespace berth::framework
