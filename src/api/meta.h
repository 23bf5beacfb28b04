// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/labels.h"
#include "base/clock.h"

#include <optional>
#include <string>
#include <vector>

namespace berth::api {

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool controller = false;
  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

// What every object carries. `namespace_` is empty for cluster-wide kinds.
struct ObjectMeta {
  std::string name;
  std::string namespace_;
  std::string uid;
  std::string resource_version;
  int64_t generation = 0;
  Labels labels;
  Labels annotations;
  std::vector<OwnerReference> owners;
  std::optional<Timestamp> created;
  std::optional<Timestamp> deleted;  // set while the object is being deleted

  // "namespace/name", or the name alone for cluster-wide kinds.
  std::string Key() const { return namespace_.empty() ? name : namespace_ + "/" + name; }
  const OwnerReference* Controller() const {
    for (const OwnerReference& owner : owners) {
      if (owner.controller) return &owner;
    }
    return nullptr;
  }
};

}  // namespace berth::api
