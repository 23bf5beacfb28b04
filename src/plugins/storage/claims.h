// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"
#include "api/storage.h"

#include <optional>
#include <string>
#include <string_view>

// What the volume plugins know in common about claims and volumes.
namespace berth::plugins::storage {

inline constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
inline constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
inline constexpr std::string_view kBoundByController = "pv.kubernetes.io/bound-by-controller";
inline constexpr std::string_view kReadWriteOncePod = "ReadWriteOncePod";
inline constexpr std::string_view kWaitForFirstConsumer = "WaitForFirstConsumer";

// The claim behind a pod's volume.
struct ClaimUse {
  std::string name;
  bool is_ephemeral = false;  // made for this pod alone, which must own it
};

// Nothing for volumes that need no claim.
std::optional<ClaimUse> ClaimOf(const api::Pod& pod, const api::Volume& volume);

// Whether any volume of the pod is a claim. What becomes of one may depend on more than templates and the cluster tell.
bool UsesClaims(const api::Pod& pod);
// Says whether the pod uses a claim of that name, ephemeral volumes included.
bool UsesClaim(const api::Pod& pod, const api::PersistentVolumeClaim& claim);

// The storage class; the beta annotation goes before the field. Empty when there is none.
std::string_view ClassOf(const api::PersistentVolumeClaim& claim);
std::string_view ClassOf(const api::PersistentVolume& volume);

// Bound to a volume, and the volume to the claim.
bool IsFullyBound(const api::PersistentVolumeClaim& claim);

// Why the claim of an ephemeral volume is not the pod's own; nothing when it is.
std::optional<std::string> OwnershipProblem(const api::PersistentVolumeClaim& claim, const api::Pod& pod);

// `persistentvolumeclaim "x" not found`: how a lookup that fails reads.
std::string ClaimNotFound(std::string_view name);
std::string VolumeNotFound(std::string_view name);
std::string StorageClassNotFound(std::string_view name);
// `VolumeBindingMode not set for StorageClass "x"`.
std::string BindingModeNotSet(std::string_view storage_class);

}  // namespace berth::plugins::storage
