// SPDX-License-Identifier: Apache-2.0
#include "api/resources.h"

#include "api/label_syntax.h"

#include <algorithm>

namespace berth::api {
namespace {

constexpr std::string_view kNativePrefix = "kubernetes.io/";
constexpr std::string_view kQuotaPrefix = "requests.";

auto LowerBound(auto& entries, std::string_view name) {
  return std::lower_bound(entries.begin(), entries.end(), name,
                          [](const auto& entry, std::string_view n) { return entry.first.compare(n) < 0; });
}

bool IsPrefixedNative(std::string_view name) { return name.find(kNativePrefix) != std::string_view::npos; }

}  // namespace

const Quantity* ResourceList::Find(std::string_view name) const {
  const auto it = LowerBound(entries_, name);
  return it != entries_.end() && it->first == name ? &it->second : nullptr;
}

void ResourceList::Set(std::string_view name, Quantity amount) {
  const auto it = LowerBound(entries_, name);
  if (it != entries_.end() && it->first == name) {
    it->second = amount;
  } else {
    entries_.emplace(it, name, amount);
  }
}

void ResourceList::Add(std::string_view name, const Quantity& amount) {
  const auto it = LowerBound(entries_, name);
  if (it != entries_.end() && it->first == name) {
    it->second = it->second + amount;
  } else {
    entries_.emplace(it, name, amount);
  }
}

void ResourceList::Raise(std::string_view name, const Quantity& amount) {
  const auto it = LowerBound(entries_, name);
  if (it == entries_.end() || it->first != name) {
    entries_.emplace(it, name, amount);
  } else if (it->second < amount) {
    it->second = amount;
  }
}

void ResourceList::AddAll(const ResourceList& other) {
  for (const auto& [name, amount] : other) Add(name, amount);
}

void ResourceList::RaiseAll(const ResourceList& other) {
  for (const auto& [name, amount] : other) Raise(name, amount);
}

bool IsNativeResource(std::string_view name) {
  return name.find('/') == std::string_view::npos || IsPrefixedNative(name);
}

bool IsExtendedResource(std::string_view name) {
  if (IsNativeResource(name) || name.starts_with(kQuotaPrefix)) return false;
  // Quotas name it with the prefix, so it must still be a valid name with that.
  return IsLabelKey(std::string(kQuotaPrefix).append(name));
}

bool IsHugePagesResource(std::string_view name) { return name.starts_with("hugepages-"); }

bool IsAttachableVolumeResource(std::string_view name) { return name.starts_with("attachable-volumes-"); }

bool IsScalarResource(std::string_view name) {
  return IsExtendedResource(name) || IsHugePagesResource(name) || IsPrefixedNative(name) ||
         IsAttachableVolumeResource(name);
}

}  // namespace berth::api
