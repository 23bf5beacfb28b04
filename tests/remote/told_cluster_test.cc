// SPDX-License-Identifier: Apache-2.0
// What a plugin is told, and makes a mirror of, must always look as the cluster does.
#include "remote/told_cluster.h"

#include "api/object.h"
#include "plugin_host/mirror.h"
#include "support/builders.h"
#include "support/random_cluster.h"
#include "support/rounds.h"
#include "support/same_text.h"
#include "support/test_bed.h"

#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::test {
namespace {

using cluster::ClusterState;
using framework::NodeId;

plugin::v1::Welcome WantsEverything() {
  plugin::v1::Welcome welcome;
  for (const std::string& kind : api::SchedulingKinds()) welcome.add_kinds(kind);
  welcome.add_kinds("Tenant.example.com");
  welcome.set_images(true);
  return welcome;
}

// A cluster, what a plugin was told of it, and what the plugin made of that.
class Pair {
 public:
  Pair() : profile_(bed.AddProfile(PlanOf({}), {})) {}

  // Brings the mirror up to date; what was sent counts as messages do.
  void Sync() {
    told_.Sync(profile_, writer_);
    for (const remote::SchedulerMessage& message : writer_.Take()) {
      ++messages;
      changes += static_cast<size_t>(message.objects().changes_size());
      plugin::v1::Objects read;
      ASSERT_TRUE(read.ParseFromString(message.objects().SerializeAsString()));
      const Result<void> taken = mirror.Take(read);
      ASSERT_TRUE(taken.has_value()) << taken.error().message;
    }
  }

  // Numbers of nodes, the order of pods, and everything that decisions can see.
  static std::string Describe(const ClusterState& state) {
    std::string text;
    state.live_nodes().ForEach([&](size_t slot) {
      const framework::NodeInfo& node = state.node(static_cast<NodeId>(slot));
      text += fmt::format("{} is {}:", slot, node.name());
      for (const auto& pod : node.pods)
        text += fmt::format(" {}@{}", pod->pod->meta.uid, pod->pod->meta.resource_version);
      text += '\n';
    });
    std::istringstream lines(state.Describe());
    for (std::string line; std::getline(lines, line);) {
      // Pods whose node is missing are nobody's business.
      const size_t on = line.rfind(" on ");
      const bool is_elsewhere = line.starts_with("pod ") && on != std::string::npos &&
                                state.FindNode(line.substr(on + 4)) == framework::kNoNode;
      // Resources are numbered in the order in which they are first seen, which may be another there.
      if (!is_elsewhere && !line.starts_with("  column ")) text += line + '\n';
    }
    for (const std::string& kind : api::SchedulingKinds()) {
      for (const api::Object& object : state.objects().ObjectsOf(kind)) {
        // An API server keeps no class without a binding mode, and so it is read with one.
        if (api::MetaOf(object).name == "modeless") continue;
        text += fmt::format("{} {}\n", kind, remote::DocumentOf(object));
      }
    }
    return text;
  }

  TestBed bed;
  plugin_host::Mirror mirror{features::FeatureGates()};
  size_t messages = 0;
  size_t changes = 0;

 private:
  runtime::Profile& profile_;
  remote::ToldCluster told_{WantsEverything()};
  remote::ObjectsWriter writer_;
};

// Without objects that no API server would keep, and without two pods on one port: which of them frees it depends on
// how they came there.
ClusterShape Shape() { return {.nodes = 8, .pods = 30, .unique_ports = true, .oddities = false}; }

TEST(ToldCluster, TheMirrorIsTheClusterAfterEveryChange) {
  for (uint64_t seed = 0; seed < Rounds(20); ++seed) {
    Pair pair;
    RandomCluster random(seed, Shape(), pair.bed.names);
    random.FillIn(pair.bed.cluster);
    pair.Sync();
    for (int step = 0; step < 150 && !testing::Test::HasFailure(); ++step) {
      pair.bed.cluster.BeginCycle();
      pair.bed.cluster.Apply(random.NextChange());
      pair.Sync();
      ASSERT_TRUE(SameText(Pair::Describe(pair.bed.cluster), Pair::Describe(pair.mirror.cluster())))
          << "seed " << seed << " step " << step;
    }
  }
}

TEST(ToldCluster, ManyChangesAtOnceLeadToTheSameOrderAndNumbers) {
  for (uint64_t seed = 100; seed < 100 + Rounds(20); ++seed) {
    Pair pair;
    RandomCluster random(seed, Shape(), pair.bed.names);
    random.FillIn(pair.bed.cluster);
    Dice dice(seed);
    for (int round = 0; round < 25 && !testing::Test::HasFailure(); ++round) {
      for (int i = static_cast<int>(dice.Below(12)); i > 0; --i) {
        // Several changes may fall into one cycle.
        if (dice.Chance(0.5)) pair.bed.cluster.BeginCycle();
        pair.bed.cluster.Apply(random.NextChange());
      }
      pair.Sync();
      ASSERT_TRUE(SameText(Pair::Describe(pair.bed.cluster), Pair::Describe(pair.mirror.cluster())))
          << "seed " << seed << " round " << round;
    }
  }
}

TEST(ToldCluster, WhatHasNotChangedIsNotTold) {
  Pair pair;
  for (const char* name : {"a", "b"}) pair.bed.cluster.SetNode(MakeNode(name));
  pair.bed.cluster.PlacePod(pair.bed.Info(MakePod("p").Node("a")), "a");
  pair.Sync();
  EXPECT_EQ(pair.changes, 4U);
  pair.Sync();
  pair.bed.cluster.BeginCycle();
  pair.Sync();
  EXPECT_EQ(pair.changes, 4U);
  pair.bed.cluster.PlacePod(pair.bed.Info(MakePod("q").Node("b")), "b");
  pair.Sync();
  EXPECT_EQ(pair.changes, 6U) << "the pod, and where it is";
}

TEST(ToldCluster, APodThatIsMerelyExchangedIsToldAnew) {
  Pair pair;
  pair.bed.cluster.SetNode(MakeNode("a"));
  for (const char* name : {"p", "q", "r"}) pair.bed.cluster.PlacePod(pair.bed.Info(MakePod(name).Node("a")), "a");
  pair.Sync();
  const size_t before = pair.changes;
  // Its status alone changes: the row keeps its version.
  pair.bed.cluster.PlacePod(pair.bed.Info(MakePod("p").Node("a").Started(5)), "a");
  pair.Sync();
  EXPECT_EQ(pair.changes, before + 1);
  EXPECT_EQ(Pair::Describe(pair.mirror.cluster()), Pair::Describe(pair.bed.cluster));
  EXPECT_TRUE(pair.mirror.cluster().FindPod("default/p")->pod->status->start_time.has_value());
}

TEST(ToldPods, PodsOfOneClassHaveOneNumber) {
  TestBed bed;
  remote::ToldPods pods;
  remote::ObjectsWriter out;
  framework::PodClasses classes(bed.names);
  const api::PodPtr first = MakePod("p").Label("app", "web");
  api::Pod like = *first;
  like.meta.name = like.meta.uid = "q";
  pods.Mention(*classes.InfoOf(first), out);
  pods.Mention(*classes.InfoOf(std::make_shared<const api::Pod>(like)), out);
  like.meta.uid = "r";
  like.meta.labels.Set("app", "db");
  pods.Mention(*classes.InfoOf(std::make_shared<const api::Pod>(like)), out);
  std::vector<uint64_t> numbers;
  for (const auto& message : out.Take()) {
    for (const auto& change : message.objects().changes()) numbers.push_back(change.pod().class_id());
  }
  EXPECT_EQ(numbers, (std::vector<uint64_t>{1, 1, 2}));
}

TEST(ToldPods, OfManyPendingPodsTheOldestAreForgotten) {
  TestBed bed;
  remote::ToldPods pods(/*most_pending=*/2);
  remote::ObjectsWriter out;
  const framework::PodInfoPtr p = bed.Info(MakePod("p"));
  const framework::PodInfoPtr q = bed.Info(MakePod("q"));
  const framework::PodInfoPtr r = bed.Info(MakePod("r"));
  const uint64_t id_of_p = pods.Mention(*p, out);
  const uint64_t id_of_q = pods.Mention(*q, out);
  EXPECT_EQ(pods.Mention(*p, out), id_of_p);
  const uint64_t id_of_r = pods.Mention(*r, out);
  EXPECT_EQ(pods.Find(id_of_q), nullptr);
  EXPECT_NE(pods.Find(id_of_p), nullptr);
  EXPECT_NE(pods.Find(id_of_r), nullptr);
  const auto messages = out.Take();
  EXPECT_EQ(messages.back().objects().changes().rbegin()->pod_gone(), id_of_q);
  EXPECT_GT(pods.Mention(*q, out), id_of_r) << "no number is used again";
}

}  // namespace
}  // namespace berth::test
