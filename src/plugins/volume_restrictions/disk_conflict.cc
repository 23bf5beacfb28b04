// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_restrictions/disk_conflict.h"

#include <algorithm>
#include <type_traits>

namespace berth::plugins {
namespace {

bool Overlap(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

struct SameDisk {
  bool operator()(const api::GcePersistentDisk& a, const api::GcePersistentDisk& b) const {
    return a.pd_name == b.pd_name && !(a.read_only && b.read_only);
  }
  // Not even two readers share an EBS volume.
  bool operator()(const api::AwsElasticBlockStore& a, const api::AwsElasticBlockStore& b) const {
    return a.volume_id == b.volume_id;
  }
  bool operator()(const api::Iscsi& a, const api::Iscsi& b) const {
    return a.iqn == b.iqn && !(a.read_only && b.read_only);
  }
  bool operator()(const api::Rbd& a, const api::Rbd& b) const {
    return a.pool == b.pool && a.image == b.image && Overlap(a.monitors, b.monitors) && !(a.read_only && b.read_only);
  }
  template <typename A, typename B>
  bool operator()(const A&, const B&) const {
    return false;
  }
};

}  // namespace

bool IsRestrictedDisk(const api::Volume& volume) {
  return std::holds_alternative<api::GcePersistentDisk>(volume.source) ||
         std::holds_alternative<api::AwsElasticBlockStore>(volume.source) ||
         std::holds_alternative<api::Rbd>(volume.source) || std::holds_alternative<api::Iscsi>(volume.source);
}

bool HasRestrictedDisk(const api::Pod& pod) {
  return std::any_of(pod.spec->volumes.begin(), pod.spec->volumes.end(), IsRestrictedDisk);
}

bool DisksConflict(const api::Volume& a, const api::Volume& b) { return std::visit(SameDisk{}, a.source, b.source); }

bool DisksConflict(const api::Pod& a, const api::Pod& b) {
  for (const api::Volume& disk : a.spec->volumes) {
    if (!IsRestrictedDisk(disk)) continue;
    for (const api::Volume& other : b.spec->volumes) {
      if (DisksConflict(disk, other)) return true;
    }
  }
  return false;
}

}  // namespace berth::plugins
