// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"
#include "framework/lister.h"
#include "framework/status.h"

#include <string>
#include <string_view>
#include <vector>

namespace berth::plugins {

// A volume as its CSI driver knows it.
struct AttachedVolume {
  std::string id;  // "driver/handle", unique in the cluster
  std::string driver;
};

// Volumes without repetition, in the order they were met.
class VolumeSet {
 public:
  void Add(AttachedVolume volume);
  bool Has(std::string_view id) const;
  bool empty() const { return volumes_.empty(); }
  size_t size() const { return volumes_.size(); }
  auto begin() const { return volumes_.begin(); }
  auto end() const { return volumes_.end(); }

 private:
  std::vector<AttachedVolume> volumes_;  // a node attaches dozens at most
};

// Says whether the volume may need attaching: it has a claim, or its built-in driver has a CSI successor.
bool MayNeedAttaching(const api::Volume& volume);

// Says whether CollectVolumes may fail on such a volume of a pod that runs already.
bool MayFailToCount(const api::Volume& volume);

enum class PodRole { New, Existing };

// Adds the volumes that the pod's claims and migrated in-line volumes stand for. `has_csi_node` tells whether the node
// has a CSINode object: without one nothing is migrated there. A new pod's claims must exist; those of pods that run
// already are passed over when they are gone.
framework::Status CollectVolumes(const api::Pod& pod, PodRole role, bool has_csi_node, const framework::Lister& lister,
                                 VolumeSet& volumes);

// The volumes that are attached to the node whether or not a pod there uses them.
VolumeSet VolumesOfAttachments(std::string_view node, const framework::Lister& lister);

}  // namespace berth::plugins
