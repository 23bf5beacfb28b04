// SPDX-License-Identifier: Apache-2.0
#include "queue/change_events.h"

#include "support/builders.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace berth::queue {
namespace {

using framework::ClusterEvent;
using framework::EventResource;
using test::MakeNode;
using test::MakePod;
using Labels = std::vector<std::string>;

Labels LabelsOf(const api::Object* before, const api::Object* after, const ChangeRules& rules = {}) {
  Labels labels;
  for (const ClusterEvent& event : EventsOf(before, after, rules)) labels.push_back(Label(event));
  return labels;
}

Labels Update(const api::Object& before, const api::Object& after) { return LabelsOf(&before, &after); }

api::Object NodeWith(const std::function<void(api::Node&)>& change) {
  api::Node node = *MakeNode("a").Allocatable("cpu", "4").Build();
  change(node);
  return std::make_shared<const api::Node>(node);
}

TEST(ChangeEvents, NodesComeAndGo) {
  const api::Object node = MakeNode("a").Build();
  EXPECT_EQ(LabelsOf(nullptr, &node), Labels{"NodeAdd"});
  EXPECT_EQ(LabelsOf(&node, nullptr), Labels{"NodeDelete"});
  EXPECT_EQ(LabelsOf(nullptr, nullptr), Labels{});
}

TEST(ChangeEvents, AnUpdateOfANodeMeansWhatChanged) {
  const api::Object plain = NodeWith([](api::Node&) {});
  const api::Object everything = NodeWith([](api::Node& node) {
    node.allocatable.Set("cpu", test::Amount("5"));
    node.meta.labels.Set("x", "y");
    node.taints.push_back({"k", "v", api::TaintEffect::NoSchedule});
    node.conditions.push_back({"Ready", "True", "", ""});
    node.meta.annotations.Set("x", "y");
    node.declared_features = {"F"};
  });
  EXPECT_EQ(Update(plain, everything),
            (Labels{"NodeUpdateNodeAllocatable", "NodeUpdateNodeLabel", "NodeUpdateNodeTaint",
                    "NodeUpdateNodeCondition", "NodeUpdateNodeAnnotation", "NodeUpdateNodeDeclaredFeature"}));
  EXPECT_EQ(Update(plain, plain), Labels{});
}

TEST(ChangeEvents, ANodeThatOpensAgainIsLikeALostTaint) {
  const api::Object open = NodeWith([](api::Node&) {});
  const api::Object closed = NodeWith([](api::Node& node) {
    node.unschedulable = true;
    node.taints.push_back({"node.kubernetes.io/unschedulable", "", api::TaintEffect::NoSchedule});
  });
  EXPECT_EQ(Update(closed, open), (Labels{"NodeUpdateNodeTaint", "NodeUpdateNodeTaint"}));
  EXPECT_EQ(Update(open, closed), Labels{"NodeUpdateNodeTaint"});
  const api::Object only_closed = NodeWith([](api::Node& node) { node.unschedulable = true; });
  EXPECT_EQ(Update(open, only_closed), Labels{});
}

TEST(ChangeEvents, EqualAmountsWrittenDifferentlyAreNoChange) {
  const api::Object before = NodeWith([](api::Node& node) { node.allocatable.Set("cpu", test::Amount("4000m")); });
  EXPECT_EQ(Update(before, NodeWith([](api::Node&) {})), Labels{});
}

TEST(ChangeEvents, TheTimeOfATaintCountsAndTheReasonOfAConditionDoesNot) {
  const auto tainted = [](int64_t second, std::string reason) {
    return NodeWith([&](api::Node& node) {
      node.taints.push_back({"k", "v", api::TaintEffect::NoExecute, test::AtSecond(second)});
      node.conditions.push_back({"Ready", "True", std::move(reason), ""});
    });
  };
  EXPECT_EQ(Update(tainted(1, "a"), tainted(1, "b")), Labels{});
  EXPECT_EQ(Update(tainted(1, "a"), tainted(2, "a")), Labels{"NodeUpdateNodeTaint"});
}

TEST(ChangeEvents, OnlyAssignedPodsComeAndGo) {
  const api::Object waiting = MakePod("p").Build();
  const api::Object assigned = MakePod("p").Node("a").Build();
  EXPECT_EQ(LabelsOf(nullptr, &waiting), Labels{});
  EXPECT_EQ(LabelsOf(&waiting, nullptr), Labels{});
  EXPECT_EQ(LabelsOf(nullptr, &assigned), Labels{"AssignedPodAdd"});
  EXPECT_EQ(LabelsOf(&waiting, &assigned), Labels{"AssignedPodAdd"});
  EXPECT_EQ(LabelsOf(&assigned, nullptr), Labels{"AssignedPodDelete"});
}

TEST(ChangeEvents, AnUpdateOfAPodMeansWhatChanged) {
  test::PodBuilder before = MakePod("p").Request("cpu", "2");
  before.spec().scheduling_gates = {"g"};
  test::PodBuilder after = MakePod("p").Request("cpu", "1").Label("x", "y").Tolerate("k");
  after.status().generated_claims =
      std::make_shared<const api::GeneratedClaims>(api::GeneratedClaims{{{"claim", "p-claim"}}, std::nullopt});
  EXPECT_EQ(Update(before.Build(), after.Build()),
            (Labels{"UnschedulablePodUpdatePodLabel", "UnschedulablePodUpdatePodScaleDown",
                    "UnschedulablePodUpdatePodSchedulingGatesEliminated", "UnschedulablePodUpdatePodToleration",
                    "UnschedulablePodUpdatePodGeneratedResourceClaim"}));
}

TEST(ChangeEvents, AnyOtherUpdateOfAPodIsAGeneralOne) {
  const api::Object small = MakePod("p").Node("a").Request("cpu", "1").Build();
  const api::Object large = MakePod("p").Node("a").Request("cpu", "2").Build();
  EXPECT_EQ(Update(small, large), Labels{"AssignedPodUpdate"});
  EXPECT_EQ(Update(large, small), Labels{"AssignedPodUpdatePodScaleDown"});
  EXPECT_EQ(Update(small, small), Labels{"AssignedPodUpdate"});
}

TEST(ChangeEvents, AResourceNoLongerAskedForIsAScaleDown) {
  const api::Object both = MakePod("p").Node("a").Request("cpu", "1").Request("memory", "0").Build();
  const api::Object one = MakePod("p").Node("a").Request("cpu", "1").Build();
  EXPECT_EQ(Update(both, one), Labels{"AssignedPodUpdatePodScaleDown"});
}

TEST(ChangeEvents, GatesDecideWhichPartsMeanSomething) {
  test::PodBuilder held = MakePod("p").Node("a").PodLevel({{"cpu", "1"}});
  held.status().resources.emplace().requests = test::Resources({{"cpu", "2"}});
  held.status().allocated_resources = test::Resources({{"cpu", "2"}});
  const api::Object resizing = held.Build();
  const api::Object resized = MakePod("p").Node("a").PodLevel({{"cpu", "1"}}).Build();
  EXPECT_EQ(Update(resizing, resized), Labels{"AssignedPodUpdatePodScaleDown"});
  EXPECT_EQ(LabelsOf(&resizing, &resized, {.resizes_at_pod_level = false}), Labels{"AssignedPodUpdate"});
  EXPECT_EQ(LabelsOf(&resizing, &resized, {.resizes = false}), Labels{"AssignedPodUpdate"});

  const api::Object held_by_container =
      MakePod("p").Node("a").Request("cpu", "1").InForce({{"cpu", "2"}}).Granted({{"cpu", "2"}}).Build();
  const api::Object given_back = MakePod("p").Node("a").Request("cpu", "1").Build();
  EXPECT_EQ(LabelsOf(&held_by_container, &given_back, {.resizes_at_pod_level = false}),
            Labels{"AssignedPodUpdatePodScaleDown"});
  EXPECT_EQ(LabelsOf(&held_by_container, &given_back, {.resizes = false}), Labels{"AssignedPodUpdate"});

  test::PodBuilder claims = MakePod("p");
  claims.status().generated_claims = std::make_shared<const api::GeneratedClaims>();
  const api::Object with_claims = claims.Build();
  const api::Object without = MakePod("p").Build();
  EXPECT_EQ(Update(without, with_claims), Labels{"UnschedulablePodUpdatePodGeneratedResourceClaim"});
  EXPECT_EQ(LabelsOf(&without, &with_claims, {.generated_claims = false}), Labels{"UnschedulablePodUpdate"});

  api::Node declaring = *MakeNode("n").Build();
  declaring.declared_features = {"Feature"};
  const api::Object before = MakeNode("n").Build();
  const api::Object after = std::make_shared<const api::Node>(declaring);
  EXPECT_EQ(Update(before, after), Labels{"NodeUpdateNodeDeclaredFeature"});
  EXPECT_EQ(LabelsOf(&before, &after, {.declared_features = false}), Labels{});
}

TEST(ChangeEvents, OtherKindsAreAddedUpdatedDeleted) {
  const api::Object driver = std::make_shared<const api::CsiDriver>();
  EXPECT_EQ(LabelsOf(nullptr, &driver), Labels{"storage.k8s.io/CSIDriverAdd"});
  EXPECT_EQ(LabelsOf(&driver, &driver), Labels{"storage.k8s.io/CSIDriverUpdate"});
  EXPECT_EQ(LabelsOf(&driver, nullptr), Labels{"storage.k8s.io/CSIDriverDelete"});
  const api::Object service = std::make_shared<const api::Service>();
  EXPECT_EQ(LabelsOf(nullptr, &service), Labels{});
}

TEST(Matches, ASpecialUpdateMatchesAGeneralRegistrationAndNotTheReverse) {
  const ClusterEvent any_update{EventResource::Node, framework::kUpdate};
  const ClusterEvent label{EventResource::Node, framework::kUpdateNodeLabel};
  EXPECT_TRUE(Matches(any_update, label));
  EXPECT_FALSE(Matches(label, any_update));
  EXPECT_TRUE(Matches({EventResource::Node, framework::kAll}, any_update));
  EXPECT_FALSE(Matches(any_update, {EventResource::Node, framework::kAdd}));
  EXPECT_FALSE(Matches(any_update, {EventResource::AssignedPod, framework::kUpdatePodLabel}));
}

TEST(Matches, BothKindsOfPodsMatchPod) {
  const ClusterEvent pods{EventResource::Pod, framework::kDelete | framework::kUpdatePodLabel};
  EXPECT_TRUE(Matches(pods, {EventResource::AssignedPod, framework::kDelete}));
  EXPECT_TRUE(Matches(pods, {EventResource::UnschedulablePod, framework::kUpdatePodLabel}));
  EXPECT_FALSE(Matches(pods, {EventResource::AssignedPod, framework::kUpdatePodScaleDown}));
  EXPECT_FALSE(Matches(pods, {EventResource::AssignedPod, framework::kUpdate}));
  EXPECT_FALSE(Matches({EventResource::AssignedPod, framework::kAll}, {EventResource::Pod, framework::kAdd}));
}

TEST(Matches, AWildCardMatchesEverything) {
  const ClusterEvent incoming{EventResource::StorageClass, framework::kAdd};
  const ClusterEvent everything{EventResource::WildCard, framework::kAll};
  EXPECT_TRUE(Matches(everything, incoming));
  EXPECT_TRUE(Matches({EventResource::WildCard, framework::kAdd}, incoming));
  EXPECT_FALSE(Matches({EventResource::WildCard, framework::kDelete}, incoming));
  EXPECT_FALSE(Matches({EventResource::StorageClass, framework::kAll}, everything));
  EXPECT_TRUE(Matches(everything, everything));
}

TEST(Label, AMixtureHasNoAction) {
  EXPECT_EQ(Label({EventResource::Pod, framework::kAdd | framework::kDelete}), "Pod");
  EXPECT_EQ(Label({EventResource::PodGroup, framework::kAll}), "scheduling.k8s.io/PodGroupAll");
}

api::Object Custom(std::string_view kind) {
  auto object = std::make_shared<api::CustomObject>();
  object->meta.name = "x";
  object->kind = kind;
  return api::CustomObjectPtr(std::move(object));
}

TEST(ChangeEvents, CustomObjectsComeChangeAndGo) {
  const api::Object tenant = Custom("Tenant.example.com");
  EXPECT_EQ(LabelsOf(nullptr, &tenant), Labels{"Tenant.example.comAdd"});
  EXPECT_EQ(LabelsOf(&tenant, &tenant), Labels{"Tenant.example.comUpdate"});
  EXPECT_EQ(LabelsOf(&tenant, nullptr), Labels{"Tenant.example.comDelete"});
}

TEST(Matches, CustomKindsAreToldApart) {
  const api::Object tenant = Custom("Tenant.example.com");
  const ClusterEvent added = EventsOf(nullptr, &tenant).front();
  const ClusterEvent changed = EventsOf(&tenant, &tenant).front();
  const uint32_t add_or_update = framework::kAdd | framework::kUpdate;
  EXPECT_TRUE(Matches({EventResource::Custom, add_or_update, "Tenant.example.com"}, added));
  EXPECT_TRUE(Matches({EventResource::Custom, add_or_update, "Tenant.example.com"}, changed));
  EXPECT_FALSE(Matches({EventResource::Custom, framework::kAdd, "Tenant.example.com"}, changed));
  EXPECT_FALSE(Matches({EventResource::Custom, framework::kAll, "Quota.example.com"}, added));
  EXPECT_FALSE(Matches({EventResource::Node, framework::kAll}, added));
  EXPECT_TRUE(Matches({EventResource::WildCard, framework::kAll}, added));
}

TEST(KindOf, NamesWhatAnEventIsAbout) {
  EXPECT_EQ(KindOf({EventResource::AssignedPod, framework::kAdd}), "Pod");
  EXPECT_EQ(KindOf({EventResource::CsiNode, framework::kAdd}), "CSINode");
  EXPECT_EQ(KindOf({EventResource::Custom, framework::kAdd, "Tenant.example.com"}), "Tenant.example.com");
  EXPECT_EQ(KindOf({EventResource::ResourceClaim, framework::kAdd}), "") << "not a kind that Berth knows";
  EXPECT_EQ(KindOf({EventResource::WildCard, framework::kAll}), "");
}

}  // namespace
}  // namespace berth::queue
