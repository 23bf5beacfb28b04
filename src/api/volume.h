// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace berth::api {

struct ClaimVolume {
  std::string claim_name;
  bool read_only = false;
};
// The claim is named "<pod>-<volume>" and must be owned by the pod.
struct EphemeralVolume {};
struct GcePersistentDisk {
  std::string pd_name;
  bool read_only = false;
};
struct AwsElasticBlockStore {
  std::string volume_id;
  bool read_only = false;
};
struct Iscsi {
  std::string target_portal;
  std::string iqn;
  int32_t lun = 0;
  bool read_only = false;
};
struct Rbd {
  std::vector<std::string> monitors;
  std::string pool = "rbd";
  std::string image;
  bool read_only = false;
};
struct AzureDisk {
  std::string disk_name;
  std::string data_disk_uri;
};
struct AzureFile {
  std::string secret_name;
  std::string share_name;
};
struct Cinder {
  std::string volume_id;
};
struct VsphereVolume {
  std::string volume_path;
};
struct Portworx {
  std::string volume_id;
};
struct ImageVolume {
  std::string reference;
};
struct ConfigVolume {};  // configMap, secret: never part of a decision nor of a pod's signature
struct OtherVolume {
  std::string kind;  // the field's name: emptyDir, hostPath, csi, …
};

struct Volume {
  std::string name;
  std::variant<OtherVolume, ConfigVolume, ClaimVolume, EphemeralVolume, GcePersistentDisk, AwsElasticBlockStore, Iscsi,
               Rbd, AzureDisk, AzureFile, Cinder, VsphereVolume, Portworx, ImageVolume>
      source;
};

}  // namespace berth::api
