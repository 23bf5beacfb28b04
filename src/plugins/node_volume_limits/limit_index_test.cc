// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_volume_limits/limit_index.h"

#include "base/rng.h"
#include "support/volume_test_bed.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::plugins {
namespace {

using framework::ExtensionPoint;
using framework::NodeId;
using framework::PodInfoPtr;
using framework::Status;

// A cluster of volumes that changes at random, to see whether what plugins remember of it stays true.
class ChangingCluster {
 public:
  explicit ChangingCluster(uint64_t seed) : rng_(seed) {
    for (const char* name : {"csi.example.com", "kubernetes.io/gce-pd", "kubernetes.io/no-provisioner"}) {
      auto storage_class = std::make_shared<api::StorageClass>();
      storage_class->meta.name = fmt::format("class-{}", classes_++);
      storage_class->provisioner = name;
      storage_class->volume_binding_mode = "WaitForFirstConsumer";
      bed_.Set(std::shared_ptr<const api::StorageClass>(storage_class));
    }
    for (int i = 0; i < 40; ++i) Change();
  }

  void Change() {
    switch (rng_.Below(8)) {
      case 0: return SetNode();
      case 1: return SetCsiNode();
      case 2: return SetClaim();
      case 3: return SetVolume();
      case 4: return SetAttachment();
      case 5:
        if (rng_.Chance(0.3)) bed_.cluster().RemoveNode(Name("node", 6));
        return;
      case 6: bed_.cluster().RemovePod(Name("run", 20)); return;
      default: return PlacePod();
    }
  }

  PodInfoPtr NewPod() { return framework::MakePodInfo(MakePod("new"), bed_.names()); }
  test::VolumeTestBed& bed() { return bed_; }

 private:
  std::string Name(std::string_view prefix, uint64_t count) { return fmt::format("{}-{}", prefix, rng_.Below(count)); }
  std::string Zone() { return Name("us-east1", 3); }

  void SetNode() {
    auto node = std::make_shared<api::Node>();
    node->meta.name = Name("node", 6);
    if (rng_.Chance(0.8)) node->meta.labels.Set("topology.kubernetes.io/zone", Zone());
    if (rng_.Chance(0.5)) node->meta.labels.Set("topology.gke.io/zone", Zone());
    bed_.Set(api::NodePtr(node));
  }

  void SetCsiNode() {
    const std::string name = Name("node", 6);
    if (rng_.Chance(0.2)) return bed_.cluster().RemoveObject("CSINode", name);
    auto node = std::make_shared<api::CsiNode>();
    node->meta.name = name;
    if (rng_.Chance(0.5)) {
      node->meta.annotations.Set("storage.alpha.kubernetes.io/migrated-plugins", "kubernetes.io/gce-pd");
    }
    for (const char* driver : {"csi.example.com", "pd.csi.storage.gke.io"}) {
      if (rng_.Chance(0.2)) continue;
      std::optional<int32_t> limit;
      if (rng_.Chance(0.8)) limit = static_cast<int32_t>(rng_.Below(6));
      node->drivers.push_back({driver, name, {}, limit});
    }
    bed_.Set(std::shared_ptr<const api::CsiNode>(node));
  }

  void SetClaim() {
    auto claim = std::make_shared<api::PersistentVolumeClaim>();
    claim->meta.name = Name("claim", 8);
    claim->meta.namespace_ = "default";
    claim->storage_class_name = Name("class", 3);
    claim->access_modes = {rng_.Chance(0.2) ? "ReadWriteOncePod" : "ReadWriteOnce"};
    claim->storage_request = api::Quantity::FromInt(static_cast<int64_t>(rng_.Below(3)) + 1);
    if (rng_.Chance(0.6)) {
      claim->volume_name = Name("volume", 8);
      claim->meta.annotations.Set("pv.kubernetes.io/bind-completed", "yes");
    }
    bed_.Set(std::shared_ptr<const api::PersistentVolumeClaim>(claim));
  }

  void SetVolume() {
    auto volume = std::make_shared<api::PersistentVolume>();
    volume->meta.name = Name("volume", 8);
    volume->storage_class_name = Name("class", 3);
    volume->access_modes = {"ReadWriteOnce"};
    volume->storage = api::Quantity::FromInt(static_cast<int64_t>(rng_.Below(4)));
    volume->phase = "Available";
    if (rng_.Chance(0.6)) {
      volume->csi_driver = "csi.example.com";
      volume->csi_volume_handle = Name("handle", 8);
    } else {
      volume->in_tree.source = api::GcePersistentDisk{Name("disk", 4), false};
    }
    if (rng_.Chance(0.5)) {
      volume->meta.labels.Set("topology.kubernetes.io/zone", rng_.Chance(0.2) ? Zone() + "__broken" : Zone());
    }
    if (rng_.Chance(0.5)) {
      volume->node_affinity = api::NodeSelector{{{{{"topology.kubernetes.io/zone", "In", {Zone()}}}, {}}}};
    }
    bed_.Set(std::shared_ptr<const api::PersistentVolume>(volume));
  }

  void SetAttachment() {
    const std::string name = Name("attachment", 10);
    if (rng_.Chance(0.3)) return bed_.cluster().RemoveObject("VolumeAttachment", name);
    auto attachment = std::make_shared<api::VolumeAttachment>();
    attachment->meta.name = name;
    attachment->attacher = "csi.example.com";
    attachment->node_name = Name("node", 6);
    attachment->persistent_volume_name = Name("volume", 8);
    bed_.Set(std::shared_ptr<const api::VolumeAttachment>(attachment));
  }

  api::PodPtr MakePod(const std::string& name) {
    auto spec = std::make_shared<api::PodSpec>();
    for (uint64_t i = 0; i <= rng_.Below(2); ++i) {
      api::Volume volume{fmt::format("v{}", i), api::ClaimVolume{Name("claim", 8), false}};
      if (rng_.Chance(0.1)) volume.source = api::EphemeralVolume{};
      if (rng_.Chance(0.2)) volume.source = api::GcePersistentDisk{Name("disk", 4), rng_.Chance(0.5)};
      if (rng_.Chance(0.02)) volume.source = api::AwsElasticBlockStore{"aws://no-volume", false};
      spec->volumes.push_back(std::move(volume));
    }
    auto pod = std::make_shared<api::Pod>();
    pod->meta.name = pod->meta.uid = name;
    pod->meta.namespace_ = "default";
    pod->spec = spec;
    pod->status = std::make_shared<api::PodStatus>();
    return pod;
  }

  void PlacePod() {
    bed_.cluster().PlacePod(framework::MakePodInfo(MakePod(Name("run", 20)), bed_.names()), Name("node", 6));
  }

  Rng rng_;
  test::VolumeTestBed bed_;
  int classes_ = 0;
};

// Both forms of the four volume plugins agree, also on what they remember from earlier cycles.
TEST(LimitIndex, FollowsTheCluster) {
  ChangingCluster changing(7);
  runtime::Profile& profile = changing.bed().profile();
  const auto plugins = profile.plugins().NamesAt(ExtensionPoint::Filter);
  size_t rejections = 0;
  for (int step = 0; step < 3000; ++step) {
    changing.Change();
    const PodInfoPtr pod = changing.NewPod();
    runtime::Cycle cycle;
    cycle.Reset();
    if (!profile.filtering().RunPreFilter(cycle, *pod).ok()) continue;
    for (size_t i = 0; i < plugins.size(); ++i) {
      framework::Verdicts verdicts;
      if (profile.filtering().RunFilterAlone(i, cycle, *pod, verdicts).is_skip()) continue;
      const framework::FilterPlugin& plain = *profile.plugins().Find(plugins[i])->filter;
      changing.bed().cluster().live_nodes().ForEach([&](size_t slot) {
        const auto id = static_cast<NodeId>(slot);
        const Status expected = plain.Filter(cycle.state, *pod, changing.bed().cluster().node(id));
        ASSERT_EQ(verdicts.Of(id).code(), expected.code()) << plugins[i] << " at step " << step;
        ASSERT_EQ(verdicts.Of(id).reasons(), expected.reasons()) << plugins[i] << " at step " << step;
        rejections += expected.ok() ? 0 : 1;
      });
    }
  }
  EXPECT_GT(rejections, 1000U);
}

}  // namespace
}  // namespace berth::plugins
