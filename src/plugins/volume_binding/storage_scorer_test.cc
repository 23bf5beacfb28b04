// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/storage_scorer.h"

#include "plugins/volume_binding/test_objects.h"
#include "plugins/volume_binding/volume_binding_args.h"
#include "support/volume_test_bed.h"

#include <map>

#include <gtest/gtest.h>

namespace berth::plugins {
namespace {

using namespace test_objects;
using framework::PodInfoPtr;
using Scores = std::map<std::string, int64_t>;
using Shape = std::vector<node_resources::UtilizationShapePoint>;

struct ScoreCase {
  std::vector<StorageShare> shares;  // by class
  int64_t score;
};

void ExpectScores(const Shape& shape, const std::vector<ScoreCase>& cases) {
  const StorageScorer scorer(shape);
  for (size_t i = 0; i < cases.size(); ++i) EXPECT_EQ(scorer.Score(cases[i].shares), cases[i].score) << "case " << i;
}

TEST(StorageScorer, FollowsTheShape) {
  ExpectScores({{0, 0}, {100, 10}}, {{{}, 0},
                                     {{{0, 100}}, 0},
                                     {{{30, 100}}, 30},
                                     {{{50, 100}}, 50},
                                     {{{100, 100}}, 100},
                                     {{{0, 0}}, 100},
                                     {{{101, 100}}, 100}});
  ExpectScores(DefaultStorageShape(), {{{}, 0}, {{{0, 100}}, 100}, {{{30, 100}}, 70}, {{{1, 3}}, 67}, {{{0, 0}}, 0}});
}

TEST(StorageScorer, AveragesTheClasses) {
  ExpectScores({{0, 0}, {100, 10}}, {{{{0, 100}, {0, 100}}, 0},
                                     {{{0, 100}, {30, 100}}, 15},
                                     {{{30, 100}, {30, 100}}, 30},
                                     {{{30, 100}, {60, 100}}, 45},
                                     {{{50, 100}, {50, 100}}, 50},
                                     {{{50, 100}, {100, 100}}, 75},
                                     {{{100, 100}, {100, 100}}, 100},
                                     {{{0, 100}, {1, 100}}, 1}});  // halves go up
  ExpectScores({{50, 0}, {80, 3}, {100, 5}}, {{{{0, 100}, {0, 100}}, 0},
                                              {{{0, 100}, {30, 100}}, 0},
                                              {{{30, 100}, {30, 100}}, 0},
                                              {{{30, 100}, {60, 100}}, 5},
                                              {{{50, 100}, {100, 100}}, 25},
                                              {{{90, 100}, {90, 100}}, 40},
                                              {{{100, 100}, {100, 100}}, 50}});
}

std::string Volume(const std::string& name, const std::string& storage_class, const std::string& label,
                   const std::string& value, const std::string& size) {
  return "---\nkind: PersistentVolume\napiVersion: v1\nmetadata: {name: " + name + ", uid: " + name +
         "}\nspec: {storageClassName: " + storage_class +
         ", accessModes: [ReadWriteOnce], capacity: {storage: " + size +
         "}, local: {path: /x}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: " + label +
         ", operator: In, values: [" + value + "]}]}]}}}\nstatus: {phase: Available}\n";
}

std::string OnNode(const std::string& name, const std::string& storage_class, const std::string& node,
                   const std::string& size) {
  return Volume(name, storage_class, "kubernetes.io/hostname", node, size);
}

std::string Capacity(const std::string& storage_class, const std::string& node, const std::string& fields) {
  return "---\nkind: CSIStorageCapacity\napiVersion: storage.k8s.io/v1\nmetadata: {name: " + storage_class + "-" +
         node + ", namespace: default}\nstorageClassName: " + storage_class +
         "\nnodeTopology: {matchLabels: {kubernetes.io/hostname: " + node + "}}\n" + fields + "\n";
}

// A pod's scores on the nodes where it can run, in both forms of the plugin.
class StorageScoringTest : public testing::Test {
 protected:
  StorageScoringTest() {
    bed_.Load(Node("a") + Node("b") + Node("c") + Class("ssd", "provisioned.example.com") +
              Class("hdd", "provisioned.example.com") +
              "---\nkind: CSIDriver\napiVersion: storage.k8s.io/v1\nmetadata: {name: provisioned.example.com}\n"
              "spec: {storageCapacity: true}\n");
    UseShape(std::nullopt);
  }

  void UseShape(std::optional<Shape> shape) {
    auto args = std::make_shared<VolumeBindingArgs>();
    args->shape = std::move(shape);
    profile_ = bed_.MakeProfile(std::move(args), *features::FeatureGates::FromMap({{"StorageCapacityScoring", true}}));
  }

  Scores ScoresOf(const std::vector<std::string>& claims) { return ScoresOf(*profile_, claims); }

  Scores ScoresOf(const runtime::Profile& profile, const std::vector<std::string>& claims) {
    const PodInfoPtr pod = bed_.PodWithClaims("pod", claims);
    bed_.FeasibleFor(profile, *pod, cycle_);
    const framework::PluginInstance& plugin = *profile.plugins().Find("VolumeBinding");
    Scores scores;
    if (!plugin.pre_score->PreScore(cycle_.state, *pod, bed_.cluster(), cycle_.feasible).ok()) return scores;
    framework::ScoreColumn column;
    column.Reset(bed_.cluster().node_slots(), cycle_.feasible);
    EXPECT_TRUE(plugin.score_all->ScoreAll(cycle_.state, *pod, bed_.cluster(), column).ok());
    for (const framework::NodeId id : cycle_.feasible) {
      const framework::NodeInfo& node = bed_.cluster().node(id);
      const Result<int64_t> score = plugin.score->Score(cycle_.state, *pod, node);
      EXPECT_EQ(score.value(), column.Get(id)) << node.name();
      scores[std::string(node.name())] = column.Get(id);
    }
    return scores;
  }

  test::VolumeTestBed bed_;
  std::unique_ptr<runtime::Profile> profile_;
  runtime::Cycle cycle_;
};

TEST_F(StorageScoringTest, IsSkippedWithoutItsGate) {
  bed_.Load(OnNode("pv", "ssd", "a", "100Gi") + Claim("one", "ssd", "50Gi"));
  EXPECT_EQ(ScoresOf(bed_.profile(), {"one"}), Scores{});
}

TEST_F(StorageScoringTest, PodsWithoutUnboundClaimsScoreZero) {
  EXPECT_EQ(ScoresOf({}), (Scores{{"a", 0}, {"b", 0}, {"c", 0}}));
  bed_.Load(
      "---\nkind: PersistentVolume\napiVersion: v1\nmetadata: {name: pv}\nspec: {storageClassName: ssd, capacity: "
      "{storage: 100Gi}, claimRef: {namespace: default, name: bound}}\nstatus: {phase: Bound}\n" +
      Claim("bound", "ssd", "50Gi", ", annotations: {pv.kubernetes.io/bind-completed: \"yes\"}", ", volumeName: pv"));
  EXPECT_EQ(ScoresOf({"bound"}), (Scores{{"a", 0}, {"b", 0}, {"c", 0}}));
}

TEST_F(StorageScoringTest, LocalVolumesWithRoomArePreferred) {
  bed_.Load(OnNode("a1", "ssd", "a", "200Gi") + OnNode("a2", "ssd", "a", "200Gi") + OnNode("b1", "ssd", "b", "100Gi") +
            OnNode("b2", "ssd", "b", "100Gi") + OnNode("c1", "ssd", "c", "100Gi") + OnNode("c2", "ssd", "c", "50Gi") +
            Claim("small", "ssd", "20Gi") + Claim("one", "ssd", "80Gi") + Claim("two", "ssd", "80Gi"));
  EXPECT_EQ(ScoresOf({"small"}), (Scores{{"a", 90}, {"b", 80}, {"c", 60}}));
  // On c there is a volume for one of them; the other would be made, but nobody tells of room.
  EXPECT_EQ(ScoresOf({"one", "two"}), (Scores{{"a", 60}, {"b", 20}}));
}

TEST_F(StorageScoringTest, VolumesOfAZoneAreSharedByItsNodes) {
  bed_.Load(
      "---\nkind: Node\napiVersion: v1\nmetadata: {name: a, labels: {zone: left}}\n"
      "---\nkind: Node\napiVersion: v1\nmetadata: {name: b, labels: {zone: left}}\n"
      "---\nkind: Node\napiVersion: v1\nmetadata: {name: c, labels: {zone: right}}\n" +
      Volume("x1", "ssd", "zone", "left", "100Gi") + Volume("x2", "hdd", "zone", "left", "200Gi") +
      Volume("y1", "ssd", "zone", "right", "50Gi") + Volume("y2", "hdd", "zone", "right", "100Gi") +
      Claim("one", "ssd", "50Gi") + Claim("two", "hdd", "50Gi"));
  EXPECT_EQ(ScoresOf({"one", "two"}), (Scores{{"a", 63}, {"b", 63}, {"c", 25}}));
  UseShape(Shape{{0, 0}, {100, 10}});
  EXPECT_EQ(ScoresOf({"one", "two"}), (Scores{{"a", 38}, {"b", 38}, {"c", 75}}));
}

TEST_F(StorageScoringTest, VolumesToBeMadeShareTheRoomOfTheirClass) {
  bed_.Load(Capacity("ssd", "a", "capacity: 100Gi") + Capacity("ssd", "b", "capacity: 200Gi\nmaximumVolumeSize: 60Gi") +
            Capacity("hdd", "a", "capacity: 80Gi") + Capacity("hdd", "b", "capacity: 50Gi") +
            Capacity("ssd", "c", "maximumVolumeSize: 60Gi") + Claim("one", "ssd", "20Gi") +
            Claim("two", "ssd", "30Gi") + Claim("three", "hdd", "40Gi"));
  // Where no room is told, but only how large a volume may be, storage counts as full.
  EXPECT_EQ(ScoresOf({"one"}), (Scores{{"a", 80}, {"b", 90}, {"c", 0}}));
  EXPECT_EQ(ScoresOf({"one", "two"}), (Scores{{"a", 50}, {"b", 75}, {"c", 0}}));
  EXPECT_EQ(ScoresOf({"one", "three"}), (Scores{{"a", 65}, {"b", 55}}));
}

TEST_F(StorageScoringTest, RoomDoesNotCountBesideExistingVolumes) {
  bed_.Load(Capacity("ssd", "a", "capacity: 100Gi") + Capacity("ssd", "b", "capacity: 100Gi") +
            OnNode("a1", "hdd", "a", "100Gi") + Capacity("hdd", "b", "capacity: 40Gi") + Claim("one", "ssd", "20Gi") +
            Claim("two", "hdd", "10Gi"));
  EXPECT_EQ(ScoresOf({"one", "two"}), (Scores{{"a", 90}, {"b", 78}}));  // a: of hdd alone; b: (80 + 75) / 2
}

TEST_F(StorageScoringTest, DriversThatTellNoRoomScoreZero) {
  bed_.Load(Class("silent", "silent.example.com") + Claim("one", "silent", "20Gi"));
  EXPECT_EQ(ScoresOf({"one"}), (Scores{{"a", 0}, {"b", 0}, {"c", 0}}));
}

}  // namespace
}  // namespace berth::plugins
