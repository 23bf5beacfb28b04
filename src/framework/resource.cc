// SPDX-License-Identifier: Apache-2.0
#include "framework/resource.h"

#include <algorithm>

namespace berth::framework {

ResourceNames::ResourceNames() {
  for (const std::string_view name : {api::kResourceCpu, api::kResourceMemory, api::kResourceEphemeralStorage}) {
    Intern(name);
  }
}

ResourceAmounts ResourceAmounts::From(const api::ResourceList& list, ResourceNames& names) {
  ResourceAmounts amounts;
  for (const auto& [name, quantity] : list) {
    if (name == api::kResourceCpu) {
      amounts.cpu = quantity.MilliValue();
    } else if (name == api::kResourceMemory) {
      amounts.memory = quantity.Value();
    } else if (name == api::kResourceEphemeralStorage) {
      amounts.ephemeral_storage = quantity.Value();
    } else if (api::IsScalarResource(name)) {
      amounts.AddTo(names.Intern(name), quantity.Value());
    }
  }
  return amounts;
}

int64_t ResourceAmounts::Get(ResourceId id) const {
  switch (id) {
    case ResourceId::Cpu: return cpu;
    case ResourceId::Memory: return memory;
    case ResourceId::EphemeralStorage: return ephemeral_storage;
    default: break;
  }
  for (const auto& [scalar, amount] : scalars) {
    if (scalar == id) return amount;
  }
  return 0;
}

void ResourceAmounts::AddTo(ResourceId id, int64_t amount) {
  switch (id) {
    case ResourceId::Cpu: cpu += amount; return;
    case ResourceId::Memory: memory += amount; return;
    case ResourceId::EphemeralStorage: ephemeral_storage += amount; return;
    default: break;
  }
  const auto at = std::lower_bound(scalars.begin(), scalars.end(), id,
                                   [](const auto& entry, ResourceId wanted) { return entry.first < wanted; });
  if (at != scalars.end() && at->first == id) {
    at->second += amount;
  } else {
    scalars.insert(at, {id, amount});
  }
}

void ResourceAmounts::Add(const ResourceAmounts& other) {
  cpu += other.cpu;
  memory += other.memory;
  ephemeral_storage += other.ephemeral_storage;
  for (const auto& [id, amount] : other.scalars) AddTo(id, amount);
}

void ResourceAmounts::Subtract(const ResourceAmounts& other) {
  cpu -= other.cpu;
  memory -= other.memory;
  ephemeral_storage -= other.ephemeral_storage;
  for (const auto& [id, amount] : other.scalars) AddTo(id, -amount);
}

}  // namespace berth::framework
