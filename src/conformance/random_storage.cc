// SPDX-License-Identifier: Apache-2.0
#include "conformance/random_storage.h"

#include "conformance/random_parts.h"

#include <fmt/format.h>

namespace berth::conformance {
namespace {

constexpr size_t kClaimsPerNamespace = 4;
constexpr const char* kCsi = "csi.example.com";
constexpr const char* kCapacityCsi = "cap.example.com";

template <typename T>
std::shared_ptr<T> Named(std::string_view name, std::string_view ns = {}) {
  auto object = std::make_shared<T>();
  object->meta.name = name;
  object->meta.namespace_ = ns;
  object->meta.uid = fmt::format("{}/{}/{}", api::KindOf<T>(), ns, name);
  return object;
}

class StorageMaker {
 public:
  StorageMaker(Dice& dice, const ClusterShape& shape) : dice_(dice), shape_(shape) {}

  std::vector<api::Object> Make() {
    AddClasses();
    AddDrivers();
    for (size_t i = dice_.Below(4); i > 0; --i) AddCapacity(i);
    for (size_t i = 0; i < shape_.nodes; ++i) {
      if (dice_.Chance(0.8)) AddCsiNode(fmt::format("node-{:03}", i));
    }
    for (size_t i = dice_.Below(4); i > 0; --i) AddVolume("local", "ReadWriteOnce");
    for (const std::string& ns : RandomNamespaces()) {
      for (size_t i = 0; i < kClaimsPerNamespace; ++i) {
        if (dice_.Chance(0.95)) AddClaim(ns, fmt::format("claim-{}", i));
      }
    }
    for (size_t i = dice_.Below(4); i > 0; --i) AddAttachment(i);
    return std::move(objects_);
  }

 private:
  void AddClass(std::string_view name, std::string_view provisioner, std::optional<std::string> mode) {
    auto storage_class = Named<api::StorageClass>(name);
    storage_class->provisioner = provisioner;
    storage_class->volume_binding_mode = std::move(mode);
    if (name == "csi" && dice_.Chance(0.4)) storage_class->allowed_topologies = {{{kZone, {"z0", "z1"}}}};
    objects_.emplace_back(std::move(storage_class));
  }

  void AddClasses() {
    AddClass("local", "kubernetes.io/no-provisioner", "WaitForFirstConsumer");
    AddClass("csi", kCsi, "WaitForFirstConsumer");
    AddClass("csi-cap", kCapacityCsi, "WaitForFirstConsumer");
    AddClass("now", kCsi, "Immediate");
    if (!shape_.stored && dice_.Chance(0.5)) AddClass("modeless", kCsi, std::nullopt);
  }

  void AddDrivers() {
    objects_.emplace_back(std::shared_ptr<const api::CsiDriver>(Named<api::CsiDriver>(kCsi)));
    auto with_capacity = Named<api::CsiDriver>(kCapacityCsi);
    with_capacity->storage_capacity = true;
    objects_.emplace_back(std::move(with_capacity));
  }

  void AddCapacity(size_t i) {
    auto capacity = Named<api::CsiStorageCapacity>(fmt::format("capacity-{}", i), "default");
    capacity->storage_class_name = "csi-cap";
    capacity->capacity = Amount(dice_.Pick({"1Gi", "5Gi", "20Gi"}));
    if (dice_.Chance(0.3)) capacity->maximum_volume_size = Amount("2Gi");
    if (dice_.Chance(0.9)) {
      capacity->node_topology.emplace().match_labels.Set(kZone, dice_.Pick({"z0", "z1", "z2"}));
    }
    objects_.emplace_back(std::move(capacity));
  }

  void AddCsiNode(const std::string& node) {
    auto csi_node = Named<api::CsiNode>(node);
    if (dice_.Chance(0.5)) {
      csi_node->meta.annotations.Set("storage.alpha.kubernetes.io/migrated-plugins",
                                     "kubernetes.io/aws-ebs,kubernetes.io/gce-pd");
      csi_node->drivers.push_back({"ebs.csi.aws.com", node, {}, dice_.Between(1, 2)});
    }
    for (const char* driver : {kCsi, kCapacityCsi}) {
      if (!dice_.Chance(0.8)) continue;
      csi_node->drivers.push_back({driver, node, {kZone}, std::nullopt});
      if (dice_.Chance(0.7)) csi_node->drivers.back().allocatable_count = dice_.Between(1, 3);
    }
    objects_.emplace_back(std::move(csi_node));
  }

  std::shared_ptr<api::PersistentVolume> NewVolume(const std::string& storage_class, const std::string& mode) {
    auto volume = Named<api::PersistentVolume>(fmt::format("pv-{:02}", volumes_++));
    volume->storage = Amount(dice_.Pick({"1Gi", "5Gi", "10Gi"}));
    volume->access_modes = {mode};
    volume->storage_class_name = storage_class;
    volume->phase = "Available";
    const auto tie_to = [&](std::string_view key, const std::string& value) {
      volume->node_affinity.emplace().terms = {{{{std::string(key), "In", {value}}}, {}}};
    };
    if (storage_class == "local") {
      volume->in_tree.source = api::OtherVolume{"local"};
      tie_to(kHostname, RandomNodeName(dice_, shape_.nodes));
      return volume;
    }
    if (dice_.Chance(0.2)) {
      volume->in_tree.source = api::AwsElasticBlockStore{dice_.Pick({"vol-1", "vol-2", "aws://z0/vol-9"}), false};
    } else {
      volume->csi_driver = storage_class == "csi-cap" ? kCapacityCsi : kCsi;
      volume->csi_volume_handle = "handle-" + volume->meta.name;
    }
    if (dice_.Chance(0.5)) {
      const std::string key = dice_.Pick({kZone, kZone, "failure-domain.beta.kubernetes.io/zone"});
      volume->meta.labels.Set(key, dice_.Pick({"z0", "z1", "z0__z1", "z2"}));
      if (dice_.Chance(0.3)) volume->meta.labels.Set(kRegion, dice_.Pick({"r1", "r2"}));
    }
    if (dice_.Chance(0.3)) tie_to(kZone, dice_.Pick({"z0", "z1", "z2"}));
    return volume;
  }

  void AddVolume(const std::string& storage_class, const std::string& mode) {
    objects_.emplace_back(std::shared_ptr<const api::PersistentVolume>(NewVolume(storage_class, mode)));
  }

  void AddClaim(const std::string& ns, const std::string& name) {
    auto claim = Named<api::PersistentVolumeClaim>(name, ns);
    const std::string storage_class = dice_.Chance(0.95) ? dice_.Pick({"local", "csi", "csi", "csi-cap", "now"})
                                                         : dice_.Pick({"modeless", "missing"});
    const std::string mode =
        dice_.Pick({"ReadWriteOnce", "ReadWriteOnce", "ReadWriteMany", "ReadWriteOncePod", "ReadWriteOncePod"});
    if (dice_.Chance(0.99)) claim->storage_class_name = storage_class;
    claim->access_modes = {mode};
    claim->storage_request = Amount(dice_.Pick({"1Gi", "3Gi", "8Gi"}));
    claim->phase = "Pending";
    if (storage_class == "now" || dice_.Chance(0.55)) {
      std::shared_ptr<api::PersistentVolume> volume = NewVolume(storage_class, mode);
      volume->claim_ref = {"PersistentVolumeClaim", ns, name, claim->meta.uid};
      volume->phase = "Bound";
      claim->volume_name = volume->meta.name;
      claim->phase = "Bound";
      if (dice_.Chance(0.98)) claim->meta.annotations.Set("pv.kubernetes.io/bind-completed", "yes");
      if (dice_.Chance(0.97)) objects_.emplace_back(std::shared_ptr<const api::PersistentVolume>(std::move(volume)));
    } else if (dice_.Chance(0.1)) {
      claim->meta.annotations.Set("volume.kubernetes.io/selected-node", RandomNodeName(dice_, shape_.nodes));
    }
    if (dice_.Chance(0.02)) claim->meta.deleted = AtSecond(0);
    objects_.emplace_back(std::move(claim));
  }

  void AddAttachment(size_t i) {
    auto attachment = Named<api::VolumeAttachment>(fmt::format("attachment-{}", i));
    attachment->attacher = dice_.Pick({kCsi, kCapacityCsi, "ebs.csi.aws.com"});
    attachment->node_name = RandomNodeName(dice_, shape_.nodes);
    attachment->persistent_volume_name = fmt::format("pv-{:02}", dice_.Below(volumes_ + 1));
    objects_.emplace_back(std::move(attachment));
  }

  Dice& dice_;
  const ClusterShape& shape_;
  std::vector<api::Object> objects_;
  size_t volumes_ = 0;
};

}  // namespace

std::vector<api::Object> RandomStorage(Dice& dice, const ClusterShape& shape) {
  return StorageMaker(dice, shape).Make();
}

decltype(api::Volume::source) RandomVolumeSource(Dice& dice) {
  if (dice.Chance(0.6)) return api::ClaimVolume{fmt::format("claim-{}", dice.Below(kClaimsPerNamespace)), false};
  switch (dice.Below(8)) {
    case 0: return api::GcePersistentDisk{dice.Pick({"d1", "d2"}), dice.Chance(0.4)};
    case 1: return api::AwsElasticBlockStore{dice.Pick({"vol-1", "vol-2"}), false};
    case 2: return api::Rbd{{dice.Pick({"m1", "m2"}), "m3"}, "p", dice.Pick({"i1", "i2"}), dice.Chance(0.4)};
    case 3:
      return api::Iscsi{"10.0.0.1:3260", dice.Pick({"iqn.2015-06.com.example:a", "iqn.2015-06.com.example:b"}), 0,
                        dice.Chance(0.4)};
    case 4: return api::EphemeralVolume{};
    case 5: return api::ImageVolume{RandomImage(dice)};
    case 6: return api::ConfigVolume{};
    default: return api::OtherVolume{"emptyDir"};
  }
}

}  // namespace berth::conformance
