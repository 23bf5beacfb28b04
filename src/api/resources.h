// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/quantity.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::api {

inline constexpr std::string_view kResourceCpu = "cpu";
inline constexpr std::string_view kResourceMemory = "memory";
inline constexpr std::string_view kResourceEphemeralStorage = "ephemeral-storage";
inline constexpr std::string_view kResourceStorage = "storage";
inline constexpr std::string_view kResourcePods = "pods";

// Amounts by resource name, sorted by name.
class ResourceList {
 public:
  const Quantity* Find(std::string_view name) const;
  void Set(std::string_view name, Quantity amount);
  void Add(std::string_view name, const Quantity& amount);    // absent counts as zero
  void Raise(std::string_view name, const Quantity& amount);  // to the larger of both
  void AddAll(const ResourceList& other);
  void RaiseAll(const ResourceList& other);
  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  friend bool operator==(const ResourceList&, const ResourceList&) = default;

 private:
  std::vector<std::pair<std::string, Quantity>> entries_;
};

struct ResourceRequirements {
  ResourceList requests;
  ResourceList limits;
};

// Kinds of resource name, as upstream tells them apart.
bool IsNativeResource(std::string_view name);    // no '/', or within kubernetes.io/
bool IsExtendedResource(std::string_view name);  // vendor/name, not native, not requests.*
bool IsHugePagesResource(std::string_view name);
bool IsAttachableVolumeResource(std::string_view name);
bool IsScalarResource(std::string_view name);  // counted one by one: extended, hugepages, prefixed native, attachable

}  // namespace berth::api
