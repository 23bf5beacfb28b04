// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace berth::api {

// A kind of object that Berth has a type for.
struct KindInfo {
  std::string_view name;
  std::string_view group;  // of its API; empty for the core group
  std::string_view version;
  bool namespaced = true;
};

// All such kinds, in the order of api::Object's alternatives. This is the only list of kinds; the decoder of a kind
// follows from its type.
inline constexpr std::array<KindInfo, 16> kKinds = {{
    {"Pod", "", "v1", true},
    {"Node", "", "v1", false},
    {"Namespace", "", "v1", false},
    {"Service", "", "v1", true},
    {"ReplicationController", "", "v1", true},
    {"ReplicaSet", "apps", "v1", true},
    {"StatefulSet", "apps", "v1", true},
    {"PodDisruptionBudget", "policy", "v1", true},
    {"PriorityClass", "scheduling.k8s.io", "v1", false},
    {"PersistentVolume", "", "v1", false},
    {"PersistentVolumeClaim", "", "v1", true},
    {"StorageClass", "storage.k8s.io", "v1", false},
    {"CSINode", "storage.k8s.io", "v1", false},
    {"CSIDriver", "storage.k8s.io", "v1", false},
    {"CSIStorageCapacity", "storage.k8s.io", "v1", true},
    {"VolumeAttachment", "storage.k8s.io", "v1", false},
}};

// Returns null when Berth has no type for the kind.
constexpr const KindInfo* FindKind(std::string_view name) {
  for (const KindInfo& kind : kKinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

// "apps" of "apps/v1", nothing of "v1".
constexpr std::string_view GroupOf(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

// The name that Berth uses for the kind of a document: "Pod", and "Tenant.example.com" for kinds without a type, also
// when a kind of the same name exists in another group. Without a group it is `kind` itself.
std::string QualifiedKind(std::string_view api_version, std::string_view kind);

// Returns whether this names a custom kind, as in "Tenant.example.com". A group is required.
constexpr bool IsCustomKind(std::string_view name) {
  const size_t dot = name.find('.');
  return dot != std::string_view::npos && dot != 0 && dot + 1 != name.size();
}

}  // namespace berth::api
