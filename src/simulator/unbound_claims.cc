// SPDX-License-Identifier: Apache-2.0
#include "simulator/unbound_claims.h"

#include "plugins/storage/claims.h"

#include <optional>

namespace berth::simulator {

namespace storage = plugins::storage;

std::vector<std::string> UnboundImmediateClaims(const api::Pod& pod, const framework::Lister& lister) {
  std::vector<std::string> names;
  for (const api::Volume& volume : pod.spec->volumes) {
    const std::optional<storage::ClaimUse> use = storage::ClaimOf(pod, volume);
    const api::PersistentVolumeClaim* claim = use ? lister.FindClaim(pod.meta.namespace_, use->name) : nullptr;
    if (claim == nullptr || storage::IsFullyBound(*claim)) continue;
    const std::string_view class_name = storage::ClassOf(*claim);
    const api::StorageClass* found = class_name.empty() ? nullptr : lister.FindStorageClass(class_name);
    const bool waits = found != nullptr && found->volume_binding_mode == storage::kWaitForFirstConsumer;
    if (!waits || !claim->volume_name.empty()) names.push_back(use->name);
  }
  return names;
}

}  // namespace berth::simulator
