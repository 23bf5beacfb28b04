// SPDX-License-Identifier: Apache-2.0
// What a plugin has declared to follow from a pod's class and a node is asked for once.
#include "remote/remote_bed.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace berth::test {
namespace {

using framework::ExtensionPoint;
using framework::PointSet;

constexpr PointSet kFilterPoints{ExtensionPoint::PreFilter, ExtensionPoint::Filter};

struct RememberedVerdictsTest : testing::Test {
  void Build(wire::Dependence dependence) {
    wire::Welcome welcome = bed.plugin.welcome();
    welcome.set_dependence(dependence);
    bed.plugin.SetWelcome(welcome);
    // Rejects n1.
    bed.plugin.Answer([](const wire::Call& call) -> std::optional<wire::Answer> {
      if (call.filter().pre_filter()) return FilterAnswers(call, {}, {});
      std::vector<uint32_t> verdicts;
      const std::string& bits = call.filter().nodes().bits();
      for (size_t id = 0; id < bits.size() * 8; ++id) {
        if (((static_cast<unsigned char>(bits[id / 8]) >> (id % 8)) & 1U) != 0) verdicts.push_back(id == 1 ? 1 : 0);
      }
      return FilterAnswers(call, verdicts, {"it is far"});
    });
    bed.Build();
  }
  // Judges the pod, checks what comes out, and says how many calls it took.
  size_t Calls() {
    const size_t before = bed.plugin.calls().size();
    EXPECT_TRUE(bed.Filter().ok());
    EXPECT_TRUE(bed.VerdictOn("n0").ok());
    EXPECT_EQ(bed.VerdictOn("n1").Message(), "it is far");
    EXPECT_EQ(bed.VerdictOn("n1").plugin(), "far");
    EXPECT_TRUE(bed.VerdictOn("n2").ok());
    return bed.plugin.calls().size() - before;
  }
  void Place(const std::string& node) { bed.bed.cluster.PlacePod(MakePod("on-" + node).Info(bed.bed.names), node); }

  RemoteBed bed{kFilterPoints};
};

TEST_F(RememberedVerdictsTest, WithoutADeclarationEveryCycleAsks) {
  Build(wire::ANYTHING);
  EXPECT_EQ(Calls(), 2U);
  EXPECT_EQ(Calls(), 2U);
}

TEST_F(RememberedVerdictsTest, OnlyNodesThatChangedAreAskedAbout) {
  Build(wire::CLASS_AND_NODE);
  EXPECT_EQ(Calls(), 2U);
  EXPECT_EQ(Calls(), 0U);
  Place("n2");
  EXPECT_EQ(Calls(), 1U);
  EXPECT_EQ(bed.plugin.calls().back().filter().nodes().bits().front(), '\4') << "n2 alone";
  EXPECT_EQ(Calls(), 0U);
}

TEST_F(RememberedVerdictsTest, PodsThatComeChangeNothingAboutTheNodesObject) {
  Build(wire::CLASS_AND_NODE_OBJECT);
  EXPECT_EQ(Calls(), 2U);
  Place("n2");
  EXPECT_EQ(Calls(), 0U);
  bed.bed.cluster.SetNode(MakeNode("n2"));
  EXPECT_EQ(Calls(), 1U);
}

TEST_F(RememberedVerdictsTest, PodsOfAnotherClassAreAskedAbout) {
  Build(wire::CLASS_AND_NODE);
  EXPECT_EQ(Calls(), 2U);
  bed.pod = MakePod("other").Priority(20).Info(bed.bed.names);
  EXPECT_EQ(Calls(), 2U);
}

TEST_F(RememberedVerdictsTest, ANewSessionBeginsWithNothing) {
  Build(wire::CLASS_AND_NODE);
  EXPECT_EQ(Calls(), 2U);
  bed.plugin.Cut("it was restarted");
  bed.plugin.WaitForSessions(2);
  WaitUntil(
      [&] { return bed.Counts("berth_remote_plugin_connected{plugin=\"far\",profile=\"default-scheduler\"} 1"); });
  EXPECT_EQ(Calls(), 2U);
}

}  // namespace
}  // namespace berth::test
