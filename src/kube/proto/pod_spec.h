// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <string_view>

namespace berth::kube::proto {

// The spec within the bytes of a pod, cut where the name of the node is: all else is the same for pods of one template,
// so pods with equal `before` and `after` have equal specs.
struct PodSpecBytes {
  std::string_view whole;
  std::string_view before;     // the fields before spec.nodeName
  std::string_view after;      // those after it
  std::string_view node_name;  // empty when the pod has no node
};

// Finds the spec in a pod's message; the parts point into it. Looks only at the outermost fields.
Result<PodSpecBytes> FindPodSpec(std::string_view pod_message);

}  // namespace berth::kube::proto
