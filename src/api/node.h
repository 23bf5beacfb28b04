// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/meta.h"
#include "api/pod.h"
#include "api/resources.h"
#include "api/taint.h"

#include <memory>
#include <string>
#include <vector>

namespace berth::api {

struct ContainerImage {
  std::vector<std::string> names;
  int64_t size_bytes = 0;
};

// A node as scheduling sees it. Immutable once published.
struct Node {
  ObjectMeta meta;
  bool unschedulable = false;
  std::vector<Taint> taints;
  ResourceList capacity;
  ResourceList allocatable;
  std::vector<ContainerImage> images;
  std::vector<std::string> declared_features;  // sorted
  std::vector<Condition> conditions;
  std::shared_ptr<const std::string> document;  // the whole of it as JSON, when its home keeps that; see WholeDocument
};

using NodePtr = std::shared_ptr<const Node>;

}  // namespace berth::api
