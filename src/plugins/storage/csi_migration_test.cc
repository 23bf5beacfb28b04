// SPDX-License-Identifier: Apache-2.0
#include "plugins/storage/csi_migration.h"

#include <gtest/gtest.h>

namespace berth::plugins::storage {
namespace {

TEST(CsiMigration, HandlesOfDisks) {
  struct Case {
    api::Volume volume;
    std::string expected;  // the handle, or the error
  };
  const std::vector<Case> cases = {
      {{"v", api::AwsElasticBlockStore{"vol-1", false}}, "vol-1"},
      {{"v", api::AwsElasticBlockStore{"aws://z0/vol-1", false}}, "vol-1"},
      {{"v", api::AwsElasticBlockStore{"aws:///vol-1/", false}}, "vol-1"},
      {{"v", api::AwsElasticBlockStore{"aws://z0/a/vol-1", false}},
       "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (aws://z0/a/vol-1)"},
      {{"v", api::GcePersistentDisk{"d", false}}, "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"},
      {{"v", api::Cinder{"c"}}, "c"},
      {{"v", api::Portworx{"p"}}, "p"},
  };
  for (const Case& c : cases) {
    const Result<std::string> handle = TranslateInlineVolume(c.volume);
    EXPECT_EQ(handle ? *handle : handle.error().message, c.expected);
  }
}

TEST(CsiMigration, GceDisksAreNamedByTheirZones) {
  api::PersistentVolume volume;
  volume.in_tree.source = api::GcePersistentDisk{"d", false};
  volume.meta.labels.Set("topology.kubernetes.io/zone", "us-east1-b");
  EXPECT_EQ(TranslateVolume(volume)->handle, "projects/UNSPECIFIED/zones/us-east1-b/disks/d");
  volume.meta.labels.Set("topology.kubernetes.io/zone", "us-east1-b__us-east1-c");
  EXPECT_EQ(TranslateVolume(volume)->handle, "projects/UNSPECIFIED/regions/us-east1/disks/d");
  volume.meta.labels.Set("topology.kubernetes.io/zone", "us-east1-b__us-west1-c");
  EXPECT_EQ(TranslateVolume(volume).error().message,
            "failed to get region from zones: multiple or no regions gotten from zones, got: map[us-east1:{} "
            "us-west1:{}]");
}

TEST(CsiMigration, AffinityIsReadInTheDriversTerms) {
  api::PersistentVolume volume;
  volume.in_tree.source = api::AwsElasticBlockStore{"vol-1", false};
  EXPECT_FALSE(TranslateVolume(volume)->node_affinity.has_value());

  volume.meta.labels.Set("failure-domain.beta.kubernetes.io/zone", "z1__ z0__");
  const api::NodeSelector from_label{{{{{"topology.ebs.csi.aws.com/zone", "In", {"z0", "z1"}}}, {}}}};
  EXPECT_EQ(TranslateVolume(volume)->node_affinity, from_label);

  volume.node_affinity = api::NodeSelector{{{{{"failure-domain.beta.kubernetes.io/zone", "In", {"z2"}},
                                              {"failure-domain.beta.kubernetes.io/region", "In", {"r"}}},
                                             {}}}};
  const api::NodeSelector renamed{
      {{{{"topology.ebs.csi.aws.com/zone", "In", {"z2"}}, {"topology.kubernetes.io/region", "In", {"r"}}}, {}}}};
  EXPECT_EQ(TranslateVolume(volume)->node_affinity, renamed);
}

TEST(CsiMigration, NodesNameThePluginsTheyLeaveToCsi) {
  api::CsiNode node;
  EXPECT_FALSE(IsMigratedOn(nullptr, "kubernetes.io/gce-pd"));
  EXPECT_FALSE(IsMigratedOn(&node, "kubernetes.io/gce-pd"));
  node.meta.annotations.Set("storage.alpha.kubernetes.io/migrated-plugins",
                            "kubernetes.io/aws-ebs,kubernetes.io/gce-pd");
  EXPECT_TRUE(IsMigratedOn(&node, "kubernetes.io/gce-pd"));
  EXPECT_FALSE(IsMigratedOn(&node, "kubernetes.io/gce"));
}

}  // namespace
}  // namespace berth::plugins::storage
