// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace berth::kube {

// Where an API server keeps the objects of one kind.
struct Resource {
  std::string kind = {};    // as Berth names it: "Pod", "Tenant.example.com"
  std::string prefix = {};  // "/api/v1", "/apis/apps/v1"
  std::string plural = {};  // "pods"
  bool namespaced = true;
  bool in_protobuf = true;  // custom resources are served in JSON only

  // "/api/v1/pods": all of them.
  std::string Path() const { return prefix + "/" + plural; }
  // "/api/v1/namespaces/default/pods/web-1"; without a name, the collection to create one in.
  std::string Path(std::string_view ns, std::string_view name) const;
};

// The resource of a kind that Berth has a type for; nothing for others.
std::optional<Resource> ResourceOf(std::string_view kind);

// The resource of a custom kind, from what discovery said of its group version: the body of GET
// /apis/{group}/{version}.
Result<Resource> ResourceIn(std::string_view discovered, std::string_view kind);
// The version that the server prefers, from the body of GET /apis/{group}: "example.com/v1".
Result<std::string> PreferredVersion(std::string_view discovered_group);

// Percent-encodes what may not stand in a path segment or a query value.
std::string Escaped(std::string_view text);

}  // namespace berth::kube
