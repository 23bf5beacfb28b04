// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/reservation.h"

#include "api/document.h"
#include "api/value.h"
#include "base/check.h"
#include "plugins/storage/claims.h"

#include <algorithm>
#include <utility>

namespace berth::plugins {
namespace {

using api::Value;
using framework::Lister;
using framework::ObjectPatch;
using Write = Reservation::Write;

// The volume as it looks once it is bound to the claim.
api::PersistentVolume BoundTo(api::PersistentVolume volume, const api::PersistentVolumeClaim& claim) {
  // A volume that a user set aside for the claim stays the user's: it is not marked as bound by a controller.
  if (!IsBoundTo(volume, claim) && !volume.meta.annotations.Has(storage::kBoundByController)) {
    volume.meta.annotations.Set(storage::kBoundByController, "yes");
  }
  volume.claim_ref = {"PersistentVolumeClaim", claim.meta.namespace_, claim.meta.name, claim.meta.uid};
  return volume;
}

bool IsExactlyBoundTo(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim) {
  return IsBoundTo(volume, claim) && volume.claim_ref->uid == claim.meta.uid;
}

// Whether the cluster knows is asked of its own objects: what another pod's binding has assumed is not written yet.
Reservation::Binding Reserve(const FoundVolumes::Binding& found, const Lister& lister, Assumptions& assumptions) {
  Reservation::Binding binding;
  binding.claim = KeyOf(*found.claim);
  const auto find_real = [&](const api::PersistentVolume& volume) {
    return lister.FindPersistentVolume(volume.meta.name);
  };
  const api::PersistentVolume* real = find_real(*found.volume);
  if (real == nullptr) real = found.volume.get();
  binding.write = IsExactlyBoundTo(*real, *found.claim) ? Write::None : Write::Planned;
  binding.volume = std::make_shared<const api::PersistentVolume>(BoundTo(*real, *found.claim));
  if (binding.write == Write::Planned) assumptions.volumes.Assume(binding.volume, find_real);
  return binding;
}

Reservation::Provision Reserve(const ClaimPtr& claim, std::string_view node, const Lister& lister,
                               Assumptions& assumptions) {
  const auto find_real = [&](const api::PersistentVolumeClaim& any) {
    return lister.FindClaim(any.meta.namespace_, any.meta.name);
  };
  const api::PersistentVolumeClaim* real = find_real(*claim);
  if (real == nullptr) real = claim.get();
  api::PersistentVolumeClaim selected = *real;
  const std::string* present = selected.meta.annotations.Find(storage::kSelectedNode);
  Reservation::Provision provision;
  provision.write = present != nullptr && *present == node ? Write::None : Write::Planned;
  selected.meta.annotations.Set(storage::kSelectedNode, node);
  provision.claim = std::make_shared<const api::PersistentVolumeClaim>(std::move(selected));
  if (provision.write == Write::Planned) assumptions.claims.Assume(provision.claim, find_real);
  return provision;
}

Value Map(std::string_view key, Value value) {
  Value map = Value::Map();
  map.Set(key, std::move(value));
  return map;
}

Value Text(std::string_view text) { return Value::String(std::string(text)); }

ObjectPatch PatchFor(const framework::ObjectKey& key, const api::ObjectMeta& meta, const Value& patch) {
  return {key, meta.uid, meta.resource_version, api::ToJson(patch)};
}

ObjectPatch PatchOf(const api::PersistentVolume& volume) {
  Value patch = Value::Map();
  if (const std::string* mark = volume.meta.annotations.Find(storage::kBoundByController)) {
    patch.Set("metadata", Map("annotations", Map(storage::kBoundByController, Text(*mark))));
  }
  Value ref = Value::Map();
  ref.Set("apiVersion", Text("v1"));
  ref.Set("kind", Text(volume.claim_ref->kind));
  ref.Set("namespace", Text(volume.claim_ref->namespace_));
  ref.Set("name", Text(volume.claim_ref->name));
  ref.Set("uid", Text(volume.claim_ref->uid));
  patch.Set("spec", Map("claimRef", std::move(ref)));
  return PatchFor(KeyOf(volume), volume.meta, patch);
}

ObjectPatch PatchOf(const api::PersistentVolumeClaim& claim) {
  const std::string& node = *claim.meta.annotations.Find(storage::kSelectedNode);
  return PatchFor(KeyOf(claim), claim.meta,
                  Map("metadata", Map("annotations", Map(storage::kSelectedNode, Text(node)))));
}

template <typename Item>
auto FirstPlanned(Item& items) {
  return std::ranges::find(items, Write::Planned, [](const auto& item) { return item.write; });
}

}  // namespace

framework::ObjectKey KeyOf(const api::PersistentVolume& volume) { return {"PersistentVolume", "", volume.meta.name}; }

framework::ObjectKey KeyOf(const api::PersistentVolumeClaim& claim) {
  return {"PersistentVolumeClaim", claim.meta.namespace_, claim.meta.name};
}

Reservation ReserveVolumes(const PodClaims& claims, const FoundVolumes& found, std::string_view node,
                           const Lister& lister, Assumptions& assumptions) {
  Reservation reservation;
  reservation.is_all_bound = claims.waiting.empty() && claims.pinned.empty();
  for (const FoundVolumes::Binding& binding : found.bindings) {
    reservation.bindings.push_back(Reserve(binding, lister, assumptions));
  }
  for (const FoundVolumes::Provision& provision : found.provisions) {
    const ClaimPtr& claim = provision.claim;
    // A pod may use a claim twice; it is written once, or the second write would meet the first.
    const auto is_same = [&](const auto& other) { return other.claim->meta.Key() == claim->meta.Key(); };
    if (std::ranges::any_of(reservation.provisions, is_same)) continue;
    reservation.provisions.push_back(Reserve(claim, node, lister, assumptions));
  }
  return reservation;
}

void GiveBack(const Reservation& reservation, Assumptions& assumptions) {
  for (const Reservation::Binding& binding : reservation.bindings) {
    if (binding.write != Write::Done) assumptions.volumes.Restore(*binding.volume);
  }
  for (const Reservation::Provision& provision : reservation.provisions) {
    if (provision.write != Write::Done) assumptions.claims.Restore(*provision.claim);
  }
}

void Forget(const Reservation& reservation, Assumptions& assumptions) {
  for (const Reservation::Binding& binding : reservation.bindings) assumptions.volumes.Restore(*binding.volume);
  for (const Reservation::Provision& provision : reservation.provisions) assumptions.claims.Restore(*provision.claim);
}

std::optional<ObjectPatch> NextPatch(const Reservation& reservation) {
  const auto binding = FirstPlanned(reservation.bindings);
  if (binding != reservation.bindings.end()) return PatchOf(*binding->volume);
  const auto provision = FirstPlanned(reservation.provisions);
  if (provision != reservation.provisions.end()) return PatchOf(*provision->claim);
  return std::nullopt;
}

void NoteWritten(Reservation& reservation, std::string_view version) {
  // A version that is the same tells that the object looked like this already; no change of it will be told.
  const auto note = [&](Write& write, const api::ObjectMeta& meta) {
    write = meta.resource_version == version ? Write::None : Write::Done;
  };
  const auto binding = FirstPlanned(reservation.bindings);
  if (binding != reservation.bindings.end()) return note(binding->write, binding->volume->meta);
  const auto provision = FirstPlanned(reservation.provisions);
  BERTH_CHECK(provision != reservation.provisions.end());
  note(provision->write, provision->claim->meta);
}

}  // namespace berth::plugins
