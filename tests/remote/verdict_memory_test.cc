// SPDX-License-Identifier: Apache-2.0
// Plugins whose verdicts follow from a pod's class and a node are asked again only about what changed.
#include "remote/verdict_memory.h"

#include "remote/remote_bed.h"

#include <set>

#include <gtest/gtest.h>

namespace berth::test {
namespace {

using framework::ExtensionPoint;
using framework::PointSet;

constexpr PointSet kAll{ExtensionPoint::PreFilter, ExtensionPoint::Filter, ExtensionPoint::PreScore,
                        ExtensionPoint::Score};

// Nodes n0 to n2; n1 is rejected, and a node's score is its number.
struct MemoryBed : RemoteBed {
  explicit MemoryBed(wire::Dependence dependence, PointSet points = kAll) : RemoteBed(points) {
    wire::Welcome welcome = plugin.welcome();
    welcome.set_dependence(dependence);
    plugin.SetWelcome(welcome);
    plugin.Answer([](const wire::Call& call) {
      wire::Answer answer;
      answer.set_id(call.id());
      if (call.has_filter()) {
        wire::FilterAnswer& filter = *answer.mutable_filter();
        const std::vector<uint32_t> nodes = Members(call.filter().nodes());
        for (const uint32_t node : nodes) filter.add_verdicts(node == 1 ? 1 : 0);
        if (!nodes.empty()) *filter.add_reasons() = Says(wire::UNSCHEDULABLE, "the second");
      } else {
        for (const uint32_t node : Members(call.score().nodes())) answer.mutable_score()->add_scores(node * 10);
      }
      return answer;
    });
    Build();
  }

  static std::vector<uint32_t> Members(const wire::NodeSet& set) {
    std::vector<uint32_t> members;
    for (uint32_t i = 0; i < set.bits().size() * 8; ++i) {
      if ((static_cast<unsigned char>(set.bits()[i / 8]) >> (i % 8) & 1U) != 0) members.push_back(i);
    }
    return members;
  }

  // What the plugin is asked in one cycle of the pod: "P f012 s02".
  std::string Cycle(const framework::PodInfoPtr& of) {
    const size_t before = plugin.calls().size();
    bed.cluster.BeginCycle();
    cycle.Reset();
    EXPECT_TRUE(profile().filtering().RunPreFilter(cycle, *of).ok());
    EXPECT_TRUE(profile().filtering().RunFilter(cycle, *of).ok());
    EXPECT_TRUE(profile().scoring().RunPreScore(cycle, *of).ok());
    EXPECT_TRUE(profile().scoring().RunScore(cycle, *of).ok());
    EXPECT_EQ(VerdictOn("n1").Message(), "the second");
    EXPECT_TRUE(VerdictOn("n0").ok());
    EXPECT_EQ(cycle.totals.back(), int64_t{10} * cycle.feasible.back());
    std::string asked;
    const std::vector<wire::Call> calls = plugin.calls();
    for (size_t i = before; i < calls.size(); ++i) {
      const wire::Call& call = calls[i];
      if (!asked.empty()) asked += ' ';
      if (call.has_filter() && call.filter().pre_filter()) asked += 'P';
      if (call.has_filter() && !call.filter().filter()) continue;
      asked += call.has_filter() ? 'f' : 's';
      for (const uint32_t node : Members(call.has_filter() ? call.filter().nodes() : call.score().nodes())) {
        asked += std::to_string(node);
      }
    }
    return asked;
  }
};

TEST(VerdictMemory, APluginThatPromisesNothingIsAskedInEveryCycle) {
  MemoryBed bed(wire::ANYTHING);
  EXPECT_EQ(bed.Cycle(bed.pod), "P f012 s02");
  EXPECT_EQ(bed.Cycle(bed.pod), "P f012 s02");
}

TEST(VerdictMemory, OnlyNodesThatChangedAreAskedAbout) {
  MemoryBed bed(wire::CLASS_AND_NODE);
  EXPECT_EQ(bed.Cycle(bed.pod), "P f012 s02");
  EXPECT_EQ(bed.Cycle(bed.pod), "");
  bed.bed.cluster.PlacePod(bed.bed.Info(MakePod("q").Node("n2")), "n2");
  EXPECT_EQ(bed.Cycle(bed.pod), "Pf2 s2") << "PreFilter was not asked in this cycle, and runs with Filter";
  EXPECT_EQ(bed.Cycle(bed.pod), "");
  bed.bed.cluster.SetNode(MakeNode("n3"));
  EXPECT_EQ(bed.Cycle(bed.pod), "Pf3 s3");
}

TEST(VerdictMemory, PodsThatComeAndGoMayNotMatter) {
  MemoryBed bed(wire::CLASS_AND_NODE_OBJECT);
  EXPECT_EQ(bed.Cycle(bed.pod), "P f012 s02");
  bed.bed.cluster.PlacePod(bed.bed.Info(MakePod("q").Node("n2")), "n2");
  EXPECT_EQ(bed.Cycle(bed.pod), "");
  bed.bed.cluster.SetNode(MakeNode("n2").Label("a", "b"));
  EXPECT_EQ(bed.Cycle(bed.pod), "Pf2 s2");
}

TEST(VerdictMemory, EveryClassOfPodsIsAskedFor) {
  MemoryBed bed(wire::CLASS_AND_NODE);
  framework::PodClasses classes(bed.bed.names);
  const api::PodPtr first = MakePod("a").Label("app", "web");
  api::Pod like = *first;
  like.meta.name = like.meta.uid = "b";
  EXPECT_EQ(bed.Cycle(classes.InfoOf(first)), "P f012 s02");
  const framework::PodInfoPtr twin = classes.InfoOf(std::make_shared<const api::Pod>(like));
  EXPECT_EQ(bed.Cycle(twin), "");
  like.meta.labels.Set("app", "db");
  EXPECT_EQ(bed.Cycle(classes.InfoOf(std::make_shared<const api::Pod>(like))), "P f012 s02");
}

TEST(VerdictMemory, ANewSessionKnowsNothing) {
  MemoryBed bed(wire::CLASS_AND_NODE);
  EXPECT_EQ(bed.Cycle(bed.pod), "P f012 s02");
  bed.plugin.Cut("it was restarted");
  WaitUntil([&] { return bed.plugin.sessions() == 2 && bed.PreFilter().ok(); });
  EXPECT_EQ(bed.Cycle(bed.pod), "Pf012 s02");
}

TEST(VerdictMemory, OfManyClassesTheOldestIsForgotten) {
  remote::VerdictMemory memory(/*most_classes=*/2);
  TestBed bed;
  remote::OpenCalls::Session session;
  session.number = 1;
  session.welcome.set_dependence(wire::CLASS_AND_NODE);
  const framework::PodInfoPtr a = bed.Info(MakePod("a"));
  const framework::PodInfoPtr b = bed.Info(MakePod("b"));
  const framework::PodInfoPtr c = bed.Info(MakePod("c"));
  for (const auto& pod : {a, b}) memory.Of(*pod, &session, 1)->filtered[0] = 7;
  EXPECT_EQ(memory.Of(*a, &session, 1)->filtered[0], 7U);
  EXPECT_EQ(memory.Of(*c, &session, 1)->filtered[0], 0U);
  EXPECT_EQ(memory.Of(*a, &session, 1)->filtered[0], 7U);
  EXPECT_EQ(memory.Of(*b, &session, 1)->filtered[0], 0U);
  EXPECT_EQ(memory.Of(*a, nullptr, 1), nullptr);
}

}  // namespace
}  // namespace berth::test
