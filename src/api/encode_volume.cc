// SPDX-License-Identifier: Apache-2.0
#include "api/encode_parts.h"

namespace berth::api {
namespace {

using Source = std::pair<std::string, Value>;

struct SourceEncoder {
  Source operator()(const OtherVolume& v) const { return {v.kind, Value::Map()}; }
  Source operator()(const ConfigVolume& /*v*/) const { return {"configMap", Value::Map()}; }
  Source operator()(const ClaimVolume& v) const {
    return {"persistentVolumeClaim", MapWriter().Text("claimName", v.claim_name).Flag("readOnly", v.read_only).Take()};
  }
  Source operator()(const EphemeralVolume& /*v*/) const { return {"ephemeral", Value::Map()}; }
  Source operator()(const GcePersistentDisk& v) const {
    return {"gcePersistentDisk", MapWriter().Text("pdName", v.pd_name).Flag("readOnly", v.read_only).Take()};
  }
  Source operator()(const AwsElasticBlockStore& v) const {
    return {"awsElasticBlockStore", MapWriter().Text("volumeID", v.volume_id).Flag("readOnly", v.read_only).Take()};
  }
  Source operator()(const Iscsi& v) const {
    return {"iscsi", MapWriter()
                         .Text("targetPortal", v.target_portal)
                         .Text("iqn", v.iqn)
                         .Number("lun", v.lun)
                         .Flag("readOnly", v.read_only)
                         .Take()};
  }
  Source operator()(const Rbd& v) const {
    return {"rbd", MapWriter()
                       .Texts("monitors", v.monitors)
                       .Text("pool", v.pool)
                       .Text("image", v.image)
                       .Flag("readOnly", v.read_only)
                       .Take()};
  }
  Source operator()(const AzureDisk& v) const {
    return {"azureDisk", MapWriter().Text("diskName", v.disk_name).Text("diskURI", v.data_disk_uri).Take()};
  }
  Source operator()(const AzureFile& v) const {
    return {"azureFile", MapWriter().Text("secretName", v.secret_name).Text("shareName", v.share_name).Take()};
  }
  Source operator()(const Cinder& v) const { return {"cinder", MapWriter().Text("volumeID", v.volume_id).Take()}; }
  Source operator()(const VsphereVolume& v) const {
    return {"vsphereVolume", MapWriter().Text("volumePath", v.volume_path).Take()};
  }
  Source operator()(const Portworx& v) const {
    return {"portworxVolume", MapWriter().Text("volumeID", v.volume_id).Take()};
  }
  Source operator()(const ImageVolume& v) const { return {"image", MapWriter().Text("reference", v.reference).Take()}; }
};

}  // namespace

Source EncodeSource(const Volume& volume) { return std::visit(SourceEncoder(), volume.source); }

}  // namespace berth::api
