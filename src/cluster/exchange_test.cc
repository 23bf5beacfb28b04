// SPDX-License-Identifier: Apache-2.0
// Every binding is confirmed by a pod that differs from the placed one in nothing that counts.
#include "cluster/cluster_state.h"
#include "support/builders.h"
#include "support/random_cluster.h"
#include "support/rounds.h"
#include "support/same_text.h"

#include <functional>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::cluster {
namespace {

using framework::PodInfoPtr;
using test::MakeNode;
using test::MakePod;
using test::SameText;

// The pod as it comes back from an API server: nothing is shared with the original, and its status has moved on.
PodInfoPtr Confirmed(const PodInfoPtr& info, framework::ResourceNames& names,
                     const std::function<void(api::Pod&, api::PodSpec&)>& change = {}) {
  api::Pod pod = **info;
  api::PodSpec spec = info->spec();
  api::PodStatus status = *pod.status;
  pod.meta.resource_version = "2";
  status.start_time = test::AtSecond(77);
  status.conditions.push_back({"PodScheduled", "True", "", ""});
  if (change) change(pod, spec);
  pod.spec = std::make_shared<const api::PodSpec>(std::move(spec));
  pod.status = std::make_shared<const api::PodStatus>(std::move(status));
  return framework::MakePodInfo(std::make_shared<const api::Pod>(std::move(pod)), names);
}

std::vector<std::string> Order(const ClusterState& state, std::string_view node) {
  std::vector<std::string> names;
  for (const PodInfoPtr& pod : state.node(state.FindNode(node)).pods) names.push_back((*pod)->meta.name);
  return names;
}

class Exchange : public testing::Test {
 protected:
  Exchange() : state_(names_) {
    state_.SetNode(MakeNode("a").Allocatable("cpu", "8"));
    for (const char* name : {"first", "second", "third"}) state_.PlacePod(Pod(name).Info(names_), "a");
  }

  static test::PodBuilder Pod(const char* name) {
    return MakePod(name)
        .Label("app", name)
        .Request("cpu", "1")
        .Request("example.com/gpu", "1")
        .Priority(5)
        .Claim("data")
        .Away("app", name, "zone");
  }
  uint64_t Version() const { return state_.row_version()[state_.FindNode("a")]; }

  framework::ResourceNames names_;
  ClusterState state_;
};

TEST_F(Exchange, LeavesTheRowAsItIs) {
  const std::string before = state_.Describe();
  const uint64_t version = Version();
  const PodInfoPtr confirmed = Confirmed(Pod("first").Info(names_), names_);
  const uint64_t revision = state_.journal().revision();
  ClusterState fork = state_.Fork();
  state_.PlacePod(confirmed, "a");
  EXPECT_TRUE(SameText(before, state_.Describe()));
  EXPECT_EQ(Version(), version);
  EXPECT_EQ(state_.FindPod("default/first"), confirmed.get());
  EXPECT_EQ(state_.node(state_.FindNode("a")).pods.back(), confirmed);
  EXPECT_EQ(state_.NodeOf("default/first"), "a");

  // Forks that catch up exchange it, too; whoever follows rows has nothing to do.
  EXPECT_NE(fork.FindPod("default/first"), confirmed.get());
  EXPECT_TRUE(state_.journal().Since(revision, [&](const Change& change) {
    EXPECT_EQ(change.node, framework::kNoNode);
    fork.Apply(change);
  }));
  EXPECT_EQ(fork.FindPod("default/first"), confirmed.get());
  EXPECT_EQ(state_.journal().revision(), revision + 1);
  EXPECT_TRUE(SameText(before, fork.Describe()));
}

TEST_F(Exchange, KeepsTheOrderOfTakingOffAndPuttingOn) {
  ClusterState other = state_.Fork();
  const PodInfoPtr confirmed = Confirmed(Pod("first").Info(names_), names_);
  other.RemovePod("default/first");
  other.PlacePod(confirmed, "a");
  state_.PlacePod(confirmed, "a");
  EXPECT_EQ(Order(state_, "a"), Order(other, "a"));
  EXPECT_EQ(Order(state_, "a"), (std::vector<std::string>{"third", "second", "first"}));
  state_.PlacePod(Confirmed(confirmed, names_), "a");
  EXPECT_EQ(Order(state_, "a"), (std::vector<std::string>{"third", "second", "first"})) << "it was the last already";
}

TEST_F(Exchange, SeesImagesAsUpstreamDoesAfterAnUpdate) {
  state_.SetNode(MakeNode("a").Image("x", 100));
  state_.BeginCycle();
  state_.SetNode(MakeNode("b").Image("x", 100));
  state_.BeginCycle();
  const auto seen = [&] { return state_.image("x")->HoldersSeenFrom(state_.row_cycle()[state_.FindNode("a")]); };
  EXPECT_EQ(seen(), 1U);
  state_.PlacePod(Confirmed(Pod("first").Info(names_), names_), "a");
  EXPECT_EQ(seen(), 2U);
}

TEST_F(Exchange, APodThatIsGoneIsFoundByTheNewOnesUid) {
  {
    const PodInfoPtr confirmed = Confirmed(Pod("first").Info(names_), names_);
    state_.PlacePod(confirmed, "a");
  }
  state_.RemovePod("default/first");
  EXPECT_EQ(state_.FindPod("default/first"), nullptr);
  EXPECT_EQ(Order(state_, "a"), (std::vector<std::string>{"third", "second"}));
}

struct Difference {
  std::string what;
  std::function<void(api::Pod&, api::PodSpec&)> change;
};

TEST_F(Exchange, WhateverCountsIsCounted) {
  const std::vector<Difference> differences = {
      {"label", [](api::Pod& pod, api::PodSpec&) { pod.meta.labels.Set("app", "other"); }},
      {"request", [](api::Pod&, api::PodSpec& s) { s.containers[0].resources.requests.Set("cpu", test::Amount("2")); }},
      {"scalar", [](api::Pod&,
                    api::PodSpec& s) { s.containers[0].resources.requests.Set("example.com/gpu", test::Amount("3")); }},
      {"priority", [](api::Pod&, api::PodSpec& spec) { spec.priority = 1; }},
      {"deletion", [](api::Pod& pod, api::PodSpec&) { pod.meta.deleted = test::AtSecond(1); }},
      {"claim",
       [](api::Pod&, api::PodSpec& spec) {
         spec.volumes[0].source = api::ClaimVolume{"other", false};
       }},
      {"disk",
       [](api::Pod&, api::PodSpec& spec) {
         spec.volumes.push_back({"d", api::GcePersistentDisk{"x", false}});
       }},
      {"port",
       [](api::Pod&, api::PodSpec& spec) {
         spec.containers[0].ports.push_back({80, 80, "", ""});
       }},
      {"term",
       [](api::Pod&, api::PodSpec& spec) {
         auto affinity = std::make_shared<api::Affinity>(*spec.affinity);
         affinity->anti->required[0].topology_key = "host";
         spec.affinity = affinity;
       }},
      {"no term", [](api::Pod&, api::PodSpec& spec) { spec.affinity = nullptr; }},
  };
  for (const Difference& difference : differences) {
    SCOPED_TRACE(difference.what);
    ClusterState changed = state_.Fork();
    const framework::AffinityTerm everyone{*api::Selector::Parse("app=first"), {"default"}, {}, "zone"};
    const framework::AffinityTerm* const everyone_term = &everyone;
    EXPECT_EQ(changed.CountPods({.all_of = {&everyone_term, 1}, .skip_terminating = true}).total(), 1);
    const PodInfoPtr confirmed = Confirmed(Pod("first").Info(names_), names_, difference.change);
    changed.PlacePod(confirmed, "a");
    ClusterState afresh(names_);
    afresh.SetNode(MakeNode("a").Allocatable("cpu", "8"));
    for (const char* name : {"second", "third"}) afresh.PlacePod(Pod(name).Info(names_), "a");
    afresh.PlacePod(confirmed, "a");
    EXPECT_TRUE(SameText(afresh.Describe(), changed.Describe()));
    EXPECT_EQ(changed.CountPods({.all_of = {&everyone_term, 1}, .skip_terminating = true}).total(),
              afresh.CountPods({.all_of = {&everyone_term, 1}, .skip_terminating = true}).total());
    EXPECT_GT(changed.row_version()[changed.FindNode("a")], Version());
    EXPECT_EQ(changed.FindPod("default/first"), confirmed.get());
  }
}

TEST_F(Exchange, AnotherNodeIsAMove) {
  state_.SetNode(MakeNode("b"));
  state_.PlacePod(Confirmed(Pod("first").Info(names_), names_), "b");
  EXPECT_EQ(Order(state_, "a"), (std::vector<std::string>{"third", "second"}));
  EXPECT_EQ(Order(state_, "b"), (std::vector<std::string>{"first"}));
  EXPECT_EQ(state_.NodeOf("default/first"), "b");
}

TEST_F(Exchange, ASharedPortIsTakenAgain) {
  const auto on_port = [&](const char* name) { return MakePod(name).HostPort(80).Info(names_); };
  state_.PlacePod(on_port("x"), "a");
  state_.PlacePod(on_port("y"), "a");
  state_.RemovePod("default/y");
  EXPECT_TRUE(state_.node(state_.FindNode("a")).used_ports.empty()) << "as upstream, the first to go frees it";
  state_.PlacePod(Confirmed(on_port("x"), names_), "a");
  EXPECT_EQ(state_.node(state_.FindNode("a")).used_ports.size(), 1U);
}

TEST(ExchangeAnyPod, LeavesTheClusterAsIfMadeAfresh) {
  for (uint64_t seed = 0; seed < test::Rounds(20) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    framework::ResourceNames names;
    test::RandomCluster random(
        seed,
        {.nodes = 3 + seed % 6, .pods = 20, .ports = 0.3, .pod_affinity = 0.8, .volumes = 0.5, .unique_ports = true},
        names);
    ClusterState state(names);
    random.FillIn(state);
    const std::string before = state.Describe();
    size_t without_ports = 0;
    size_t kept = 0;
    for (size_t slot = 0; slot < state.node_slots(); ++slot) {
      const auto id = static_cast<framework::NodeId>(slot);
      const std::vector<PodInfoPtr> pods = state.node(id).pods;
      for (const PodInfoPtr& pod : pods) {
        const uint64_t version = state.row_version()[id];
        state.PlacePod(Confirmed(pod, names), state.node(id).name());
        without_ports += pod->traits->host_ports.empty() ? 1U : 0U;
        kept += state.row_version()[id] == version ? 1U : 0U;
      }
    }
    EXPECT_EQ(kept, without_ports);
    EXPECT_GT(kept, 0U);
    EXPECT_TRUE(SameText(before, state.Describe()));
    for (size_t step = 0; step < 20; ++step) state.Apply(random.NextChange());
    ClusterState afresh(names);
    random.FillIn(afresh);
    EXPECT_TRUE(SameText(afresh.Describe(), state.Describe()));
  }
}

}  // namespace
}  // namespace berth::cluster
