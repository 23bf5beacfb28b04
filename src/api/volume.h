// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace berth::api {

struct ClaimVolume {
  std::string claim_name;
  bool read_only = false;
  friend bool operator==(const ClaimVolume&, const ClaimVolume&) = default;
};
// The claim is named "<pod>-<volume>" and must be owned by the pod.
struct EphemeralVolume {
  friend bool operator==(const EphemeralVolume&, const EphemeralVolume&) = default;
};
struct GcePersistentDisk {
  std::string pd_name;
  bool read_only = false;
  friend bool operator==(const GcePersistentDisk&, const GcePersistentDisk&) = default;
};
struct AwsElasticBlockStore {
  std::string volume_id;
  bool read_only = false;
  friend bool operator==(const AwsElasticBlockStore&, const AwsElasticBlockStore&) = default;
};
struct Iscsi {
  std::string target_portal;
  std::string iqn;
  int32_t lun = 0;
  bool read_only = false;
  friend bool operator==(const Iscsi&, const Iscsi&) = default;
};
struct Rbd {
  std::vector<std::string> monitors;
  std::string pool = "rbd";
  std::string image;
  bool read_only = false;
  friend bool operator==(const Rbd&, const Rbd&) = default;
};
struct AzureDisk {
  std::string disk_name;
  std::string data_disk_uri;
  friend bool operator==(const AzureDisk&, const AzureDisk&) = default;
};
struct AzureFile {
  std::string secret_name;
  std::string share_name;
  friend bool operator==(const AzureFile&, const AzureFile&) = default;
};
struct Cinder {
  std::string volume_id;
  friend bool operator==(const Cinder&, const Cinder&) = default;
};
struct VsphereVolume {
  std::string volume_path;
  friend bool operator==(const VsphereVolume&, const VsphereVolume&) = default;
};
struct Portworx {
  std::string volume_id;
  friend bool operator==(const Portworx&, const Portworx&) = default;
};
struct ImageVolume {
  std::string reference;
  friend bool operator==(const ImageVolume&, const ImageVolume&) = default;
};
struct ConfigVolume {
  friend bool operator==(const ConfigVolume&, const ConfigVolume&) = default;
};  // configMap, secret: never part of a decision nor of a pod's signature
struct OtherVolume {
  std::string kind;  // the field's name: emptyDir, hostPath, csi, …
  friend bool operator==(const OtherVolume&, const OtherVolume&) = default;
};

struct Volume {
  std::string name;
  std::variant<OtherVolume, ConfigVolume, ClaimVolume, EphemeralVolume, GcePersistentDisk, AwsElasticBlockStore, Iscsi,
               Rbd, AzureDisk, AzureFile, Cinder, VsphereVolume, Portworx, ImageVolume>
      source;
  friend bool operator==(const Volume&, const Volume&) = default;
};

}  // namespace berth::api
