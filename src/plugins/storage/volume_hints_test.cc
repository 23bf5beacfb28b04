// SPDX-License-Identifier: Apache-2.0
#include "support/volume_test_bed.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::plugins::storage {
namespace {

using framework::EventResource;
using framework::QueueingHint;
using test::ReadObject;
using test::VolumeTestBed;

constexpr std::string_view kPod = R"(
kind: Pod
apiVersion: v1
metadata: {name: pod, namespace: default}
spec:
  containers: [{name: c, image: i}]
  volumes:
  - {name: data, persistentVolumeClaim: {claimName: mine}}
  - {name: scratch, ephemeral: {volumeClaimTemplate: {}}}
  - {name: disk, gcePersistentDisk: {pdName: d}}
)";

std::string Object(std::string_view kind, std::string_view name, std::string_view rest = "") {
  const bool is_storage = kind != "Pod" && kind != "PersistentVolume" && kind != "PersistentVolumeClaim";
  return fmt::format(
      "kind: {}\napiVersion: {}\n{}", kind, is_storage ? "storage.k8s.io/v1" : "v1",
      rest.starts_with("metadata") ? std::string(rest) : fmt::format("metadata: {{name: {}}}\n{}", name, rest));
}

struct HintCase {
  std::string plugin;
  EventResource resource;
  std::string before;
  std::string after;
  QueueingHint expected;
};

// Golden cases change nodes and pods only; these are the hints on storage objects.
TEST(VolumeHints, StorageObjects) {
  const std::string binding = "VolumeBinding";
  const std::string limits = "NodeVolumeLimits";
  const std::string zone = "VolumeZone";
  const std::string restrictions = "VolumeRestrictions";
  const auto queue = QueueingHint::Queue;
  const auto skip = QueueingHint::QueueSkip;
  const std::string mine = Object("PersistentVolumeClaim", "mine");
  const std::string scratch = Object("PersistentVolumeClaim", "pod-scratch");
  const std::string foreign = Object("PersistentVolumeClaim", "", "metadata: {name: mine, namespace: other}");
  const std::string delayed = Object("StorageClass", "c", "provisioner: x\nvolumeBindingMode: WaitForFirstConsumer");
  const std::string immediate = Object("StorageClass", "c", "provisioner: x\nvolumeBindingMode: Immediate");
  const std::string in_zone = Object("StorageClass", "c",
                                     "provisioner: x\nallowedTopologies: [{matchLabelExpressions: [{key: z, values: "
                                     "[a]}]}]");
  const std::string volume = Object("PersistentVolume", "v");
  const std::string zoned =
      Object("PersistentVolume", "", "metadata: {name: v, labels: {topology.kubernetes.io/zone: a}}");
  const std::string csi_node =
      Object("CSINode", "node-1", "spec: {drivers: [{name: d, nodeID: node-1, allocatable: {count: 2}}]}");
  const std::string roomier =
      Object("CSINode", "node-1", "spec: {drivers: [{name: d, nodeID: node-1, allocatable: {count: 3}}]}");
  const std::string migrated = Object(
      "CSINode", "",
      "metadata: {name: node-1, annotations: {storage.alpha.kubernetes.io/migrated-plugins: x}}\nspec: {drivers: []}");
  const auto capacity = [](std::string_view fields) {
    return Object("CSIStorageCapacity", "c", fmt::format("storageClassName: s\n{}", fields));
  };
  const std::string attachment = Object("VolumeAttachment", "a", "spec: {attacher: d, nodeName: node-1, source: {}}");
  const std::vector<HintCase> cases = {
      {binding, EventResource::PersistentVolumeClaim, "", mine, queue},
      {binding, EventResource::PersistentVolumeClaim, scratch, scratch, queue},
      {binding, EventResource::PersistentVolumeClaim, "", foreign, skip},
      {limits, EventResource::PersistentVolumeClaim, "", scratch, queue},
      {limits, EventResource::PersistentVolumeClaim, "", foreign, skip},
      {zone, EventResource::PersistentVolumeClaim, "", mine, queue},
      {zone, EventResource::PersistentVolumeClaim, "", scratch, skip},
      {restrictions, EventResource::PersistentVolumeClaim, "", mine, queue},
      {restrictions, EventResource::PersistentVolumeClaim, "", scratch, skip},
      {binding, EventResource::StorageClass, "", immediate, queue},
      {binding, EventResource::StorageClass, delayed, immediate, skip},
      {binding, EventResource::StorageClass, immediate, in_zone, queue},
      {zone, EventResource::StorageClass, "", delayed, queue},
      {zone, EventResource::StorageClass, "", immediate, skip},
      {binding, EventResource::PersistentVolume, volume, volume, queue},
      {zone, EventResource::PersistentVolume, "", volume, queue},
      {zone, EventResource::PersistentVolume, volume, zoned, queue},
      {zone, EventResource::PersistentVolume, zoned, zoned, skip},
      {binding, EventResource::CsiNode, "", csi_node, queue},
      {binding, EventResource::CsiNode, csi_node, roomier, skip},
      {binding, EventResource::CsiNode, csi_node, migrated, queue},
      {limits, EventResource::CsiNode, csi_node, roomier, queue},
      {limits, EventResource::CsiNode, roomier, csi_node, skip},
      {limits, EventResource::CsiNode, migrated, csi_node, queue},
      {binding, EventResource::CsiStorageCapacity, "", capacity("capacity: 1Gi"), queue},
      {binding, EventResource::CsiStorageCapacity, capacity(""), capacity("capacity: 1Gi"), queue},
      {binding, EventResource::CsiStorageCapacity, capacity("capacity: 1Gi"), capacity("capacity: 2Gi"), queue},
      {binding, EventResource::CsiStorageCapacity, capacity("capacity: 2Gi"),
       capacity("capacity: 9Gi\nmaximumVolumeSize: 1Gi"), skip},
      {limits, EventResource::VolumeAttachment, attachment, "", queue},
  };
  VolumeTestBed bed;
  const auto pod = bed.Pod(kPod);
  for (const HintCase& c : cases) {
    const std::optional<api::Object> before = c.before.empty() ? std::nullopt : std::optional(ReadObject(c.before));
    const std::optional<api::Object> after = c.after.empty() ? std::nullopt : std::optional(ReadObject(c.after));
    const uint32_t action = !before ? framework::kAdd : after ? framework::kUpdate : framework::kDelete;
    bool is_registered = false;
    for (const auto& [event, hint, by_template, keys] :
         bed.profile().plugins().Find(c.plugin)->enqueue_extensions->EventsToRegister()) {
      if (event.resource != c.resource || (event.actions & action) == 0) continue;
      is_registered = true;
      const QueueingHint said =
          hint == nullptr ? queue : *hint(*pod, before ? &*before : nullptr, after ? &*after : nullptr);
      EXPECT_EQ(said, c.expected) << c.plugin << "\n" << c.before << "\n->\n" << c.after;
    }
    EXPECT_TRUE(is_registered) << c.plugin << "\n" << c.after;
  }
}

}  // namespace
}  // namespace berth::plugins::storage
