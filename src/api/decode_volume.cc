// SPDX-License-Identifier: Apache-2.0
#include "api/decode_volume.h"

#include <algorithm>
#include <array>

namespace berth::api {
namespace {

// Reads the field `key` of `reader` when it is a source that scheduling tells apart; says whether it was.
bool DecodeKnownSource(FieldReader& reader, std::string_view key, Volume& volume) {
  const auto read = [&](auto&& f) { return reader.Map(key, [&](FieldReader& r) { volume.source = f(r); }), true; };
  if (key == "persistentVolumeClaim") {
    return read([](FieldReader& r) { return ClaimVolume{r.String("claimName"), r.Bool("readOnly")}; });
  }
  if (key == "ephemeral") return read([](FieldReader&) { return EphemeralVolume{}; });
  if (key == "gcePersistentDisk") {
    return read([](FieldReader& r) { return GcePersistentDisk{r.String("pdName"), r.Bool("readOnly")}; });
  }
  if (key == "awsElasticBlockStore") {
    return read([](FieldReader& r) { return AwsElasticBlockStore{r.String("volumeID"), r.Bool("readOnly")}; });
  }
  if (key == "iscsi") {
    return read([](FieldReader& r) {
      return Iscsi{r.String("targetPortal"), r.String("iqn"), r.Int32("lun").value_or(0), r.Bool("readOnly")};
    });
  }
  if (key == "rbd") {
    return read([](FieldReader& r) {
      std::string pool = r.String("pool");
      if (pool.empty()) pool = "rbd";
      return Rbd{r.Strings("monitors"), std::move(pool), r.String("image"), r.Bool("readOnly")};
    });
  }
  if (key == "azureDisk") {
    return read([](FieldReader& r) { return AzureDisk{r.String("diskName"), r.String("diskURI")}; });
  }
  if (key == "azureFile") {
    return read([](FieldReader& r) { return AzureFile{r.String("secretName"), r.String("shareName")}; });
  }
  if (key == "cinder") return read([](FieldReader& r) { return Cinder{r.String("volumeID")}; });
  if (key == "vsphereVolume") return read([](FieldReader& r) { return VsphereVolume{r.String("volumePath")}; });
  if (key == "portworxVolume") return read([](FieldReader& r) { return Portworx{r.String("volumeID")}; });
  if (key == "image") return read([](FieldReader& r) { return ImageVolume{r.String("reference")}; });
  if (key == "configMap" || key == "secret") return read([](FieldReader&) { return ConfigVolume{}; });
  return false;
}

// The sources a persistent volume may have beside CSI: its spec holds other fields too.
constexpr std::array<std::string_view, 21> kPersistentSources = {"gcePersistentDisk",
                                                                 "awsElasticBlockStore",
                                                                 "hostPath",
                                                                 "glusterfs",
                                                                 "nfs",
                                                                 "rbd",
                                                                 "iscsi",
                                                                 "cinder",
                                                                 "cephfs",
                                                                 "fc",
                                                                 "flocker",
                                                                 "flexVolume",
                                                                 "azureFile",
                                                                 "vsphereVolume",
                                                                 "quobyte",
                                                                 "azureDisk",
                                                                 "photonPersistentDisk",
                                                                 "scaleIO",
                                                                 "portworxVolume",
                                                                 "local",
                                                                 "storageos"};

}  // namespace

Volume DecodeVolume(FieldReader& reader) {
  Volume volume;
  volume.name = reader.String("name");
  volume.source = OtherVolume{"emptyDir"};  // what a volume without a source is
  for (const Value::Member& member : reader.value().members()) {
    if (member.key == "name" || member.value.is_null()) continue;
    if (!DecodeKnownSource(reader, member.key, volume)) volume.source = OtherVolume{member.key};
    break;
  }
  return volume;
}

Volume DecodePersistentSource(FieldReader& spec) {
  Volume volume;
  for (const Value::Member& member : spec.value().members()) {
    if (member.value.is_null() || std::ranges::find(kPersistentSources, member.key) == kPersistentSources.end())
      continue;
    if (!DecodeKnownSource(spec, member.key, volume)) volume.source = OtherVolume{member.key};
    break;
  }
  return volume;
}

}  // namespace berth::api
