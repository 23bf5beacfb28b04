// SPDX-License-Identifier: Apache-2.0
#include "api/document.h"
#include "api/object.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace {

template <typename T>
T DecodeText(std::string_view text) {
  Result<std::vector<Document>> documents = ReadDocuments(text, "f");
  EXPECT_TRUE(documents.has_value()) << (documents ? "" : documents.error().message);
  DecodeErrors errors;
  T object = Decode<T>((*documents)[0].root, errors);
  EXPECT_TRUE(errors.empty()) << errors.Text("f");
  return object;
}

template <typename S>
S SourceOf(std::string_view volume) {
  const Pod pod = DecodeText<Pod>("metadata: {name: a}\nspec: {volumes: [{name: v, " + std::string(volume) + "}]}");
  const S* source = std::get_if<S>(&pod.spec->volumes.at(0).source);
  EXPECT_NE(source, nullptr) << volume;
  return source != nullptr ? *source : S{};
}

TEST(DecodeVolume, TellsSourcesApart) {
  EXPECT_EQ(SourceOf<ClaimVolume>("persistentVolumeClaim: {claimName: c, readOnly: true}").claim_name, "c");
  SourceOf<EphemeralVolume>("ephemeral: {volumeClaimTemplate: {}}");
  EXPECT_TRUE(SourceOf<GcePersistentDisk>("gcePersistentDisk: {pdName: d, readOnly: true}").read_only);
  EXPECT_EQ(SourceOf<AwsElasticBlockStore>("awsElasticBlockStore: {volumeID: d}").volume_id, "d");
  const Iscsi iscsi = SourceOf<Iscsi>("iscsi: {targetPortal: p, iqn: i, lun: 3}");
  EXPECT_EQ(iscsi.iqn, "i");
  EXPECT_EQ(iscsi.lun, 3);
  EXPECT_EQ(SourceOf<Rbd>("rbd: {monitors: [a, b], image: i}").pool, "rbd");
  EXPECT_EQ(SourceOf<Rbd>("rbd: {monitors: [a, b], image: i, pool: p}").pool, "p");
  EXPECT_EQ(SourceOf<AzureDisk>("azureDisk: {diskName: d, diskURI: u}").data_disk_uri, "u");
  EXPECT_EQ(SourceOf<AzureFile>("azureFile: {secretName: d, shareName: u}").share_name, "u");
  EXPECT_EQ(SourceOf<Cinder>("cinder: {volumeID: d}").volume_id, "d");
  EXPECT_EQ(SourceOf<VsphereVolume>("vsphereVolume: {volumePath: d}").volume_path, "d");
  EXPECT_EQ(SourceOf<Portworx>("portworxVolume: {volumeID: d}").volume_id, "d");
  EXPECT_EQ(SourceOf<ImageVolume>("image: {reference: r}").reference, "r");
  SourceOf<ConfigVolume>("configMap: {name: c}");
  SourceOf<ConfigVolume>("secret: {secretName: c}");
  EXPECT_EQ(SourceOf<OtherVolume>("hostPath: {path: /x}").kind, "hostPath");
  EXPECT_EQ(SourceOf<OtherVolume>("emptyDir: null").kind, "emptyDir");
}

TEST(DecodeStorage, ReadsVolumesAndClaims) {
  const auto volume = DecodeText<PersistentVolume>(R"(
metadata: {name: pv}
spec:
  capacity: {storage: 5Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: fast
  volumeMode: Block
  volumeAttributesClassName: gold
  claimRef: {kind: PersistentVolumeClaim, namespace: ns, name: c, uid: u}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: z, operator: Exists}]}]}}
  csi: {driver: d, volumeHandle: h}
status: {phase: Bound}
)");
  EXPECT_EQ(volume.storage.Value(), int64_t{5} << 30);
  EXPECT_EQ(volume.access_modes, std::vector<std::string>{"ReadWriteOnce"});
  EXPECT_EQ(volume.volume_mode, "Block");
  EXPECT_EQ(volume.volume_attributes_class_name, "gold");
  EXPECT_EQ(volume.claim_ref->name, "c");
  EXPECT_EQ(volume.node_affinity->terms.size(), 1U);
  EXPECT_EQ(volume.csi_volume_handle, "h");
  EXPECT_EQ(volume.phase, "Bound");
  EXPECT_EQ(std::get<OtherVolume>(volume.in_tree.source).kind, "");

  const auto disk = DecodeText<PersistentVolume>("metadata: {name: pv}\nspec: {gcePersistentDisk: {pdName: d}}");
  EXPECT_EQ(std::get<GcePersistentDisk>(disk.in_tree.source).pd_name, "d");
  EXPECT_EQ(disk.phase, "Pending");
  EXPECT_FALSE(disk.node_affinity.has_value());

  const auto claim = DecodeText<PersistentVolumeClaim>(
      "metadata: {name: c}\nspec: {storageClassName: '', volumeName: pv, resources: {requests: {storage: 1Gi}}, "
      "selector: {matchLabels: {a: b}}}");
  EXPECT_EQ(claim.storage_class_name, "");
  EXPECT_EQ(claim.storage_request.Value(), 1 << 30);
  EXPECT_TRUE(claim.selector.has_value());
  EXPECT_FALSE(claim.volume_attributes_class_name.has_value());
}

TEST(DecodeStorage, ReadsClassesAndDrivers) {
  const auto storage_class = DecodeText<StorageClass>(
      "metadata: {name: s}\nprovisioner: p\nallowedTopologies: [{matchLabelExpressions: [{key: z, values: [a, b]}]}]");
  EXPECT_EQ(storage_class.volume_binding_mode, "Immediate");
  EXPECT_EQ(storage_class.allowed_topologies[0][0].values.size(), 2U);

  const auto node = DecodeText<CsiNode>(
      "metadata: {name: node}\nspec: {drivers: [{name: d, nodeID: i, topologyKeys: [z], allocatable: {count: 3}}, "
      "{name: "
      "e, allocatable: null}]}");
  EXPECT_EQ(node.drivers[0].allocatable_count, 3);
  EXPECT_EQ(node.drivers[0].topology_keys, std::vector<std::string>{"z"});
  EXPECT_FALSE(node.drivers[1].allocatable_count.has_value());

  EXPECT_TRUE(DecodeText<CsiDriver>("metadata: {name: d}\nspec: {storageCapacity: true}").attach_required);
  EXPECT_FALSE(DecodeText<CsiDriver>("metadata: {name: d}\nspec: {attachRequired: false}").attach_required);

  const auto capacity = DecodeText<CsiStorageCapacity>(
      "metadata: {name: c}\nstorageClassName: s\nnodeTopology: {matchLabels: {z: a}}\ncapacity: 5Gi");
  EXPECT_EQ(capacity.meta.namespace_, "default");
  EXPECT_EQ(capacity.capacity->Value(), int64_t{5} << 30);
  EXPECT_FALSE(capacity.maximum_volume_size.has_value());

  const auto attachment = DecodeText<VolumeAttachment>(
      "metadata: {name: a}\nspec: {attacher: d, nodeName: node, source: {inlineVolumeSpec: {cinder: {volumeID: v}}}}");
  EXPECT_FALSE(attachment.persistent_volume_name.has_value());
  EXPECT_EQ(std::get<Cinder>(attachment.inline_volume->in_tree.source).volume_id, "v");
}

}  // namespace
}  // namespace berth::api
