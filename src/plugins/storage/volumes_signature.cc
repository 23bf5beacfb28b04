// SPDX-License-Identifier: Apache-2.0
#include "plugins/storage/volumes_signature.h"

#include "plugins/storage/claims.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::plugins::storage {
namespace {

// A volume source as text; empty for those that are left out. A claim is named with its namespace, and that of an
// ephemeral volume with its pod: pods of one template then share results only where they share the claim.
struct SourceText {
  const api::Pod& pod;
  const api::Volume& volume;

  std::string operator()(const api::ConfigVolume&) const { return {}; }
  std::string operator()(const api::OtherVolume& other) const { return other.kind; }
  std::string operator()(const api::ClaimVolume& claim) const {
    return fmt::format("claim:{}/{}:{}", pod.meta.namespace_, claim.claim_name, claim.read_only);
  }
  std::string operator()(const api::EphemeralVolume&) const {
    return fmt::format("ephemeral:{}/{}", pod.meta.namespace_, ClaimOf(pod, volume)->name);
  }
  std::string operator()(const api::GcePersistentDisk& disk) const {
    return fmt::format("gcePersistentDisk:{}:{}", disk.pd_name, disk.read_only);
  }
  std::string operator()(const api::AwsElasticBlockStore& store) const {
    return fmt::format("awsElasticBlockStore:{}:{}", store.volume_id, store.read_only);
  }
  std::string operator()(const api::Iscsi& iscsi) const {
    return fmt::format("iscsi:{}:{}:{}:{}", iscsi.target_portal, iscsi.iqn, iscsi.lun, iscsi.read_only);
  }
  std::string operator()(const api::Rbd& rbd) const {
    return fmt::format("rbd:{}:{}:{}:{}", fmt::join(rbd.monitors, ","), rbd.pool, rbd.image, rbd.read_only);
  }
  std::string operator()(const api::AzureDisk& disk) const {
    return fmt::format("azureDisk:{}:{}", disk.disk_name, disk.data_disk_uri);
  }
  std::string operator()(const api::AzureFile& file) const {
    return fmt::format("azureFile:{}:{}", file.secret_name, file.share_name);
  }
  std::string operator()(const api::Cinder& cinder) const { return "cinder:" + cinder.volume_id; }
  std::string operator()(const api::VsphereVolume& vsphere) const { return "vsphereVolume:" + vsphere.volume_path; }
  std::string operator()(const api::Portworx& portworx) const { return "portworxVolume:" + portworx.volume_id; }
  std::string operator()(const api::ImageVolume& image) const { return "image:" + image.reference; }
};

}  // namespace

framework::Signature SignVolumes(const framework::PodInfo& pod) {
  std::vector<std::string> sources;
  for (const api::Volume& volume : pod.spec().volumes) {
    std::string text = std::visit(SourceText{*pod, volume}, volume.source);
    if (!text.empty()) sources.push_back(std::move(text));
  }
  std::sort(sources.begin(), sources.end());
  return {{}, {{"volumes", fmt::format("{}", fmt::join(sources, "\n"))}}};
}

}  // namespace berth::plugins::storage
