// SPDX-License-Identifier: Apache-2.0
// Which kinds a scheduler listens to, and custom resources that its plugins read.
#include "engine/hooked_store.h"
#include "engine/live_cluster.h"
#include "engine/test_plugins.h"
#include "framework/event_objects.h"
#include "plugins/registry.h"
#include "support/test_bed.h"

#include <array>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::test {
namespace {

using framework::QueueingHint;
using framework::Status;
using queue::Place;
using Names = std::vector<std::string>;

constexpr std::string_view kTenant = "Tenant.example.com";

// Lets a pod go nowhere until the tenant that it is labelled with is there and admits it.
struct TenantGate final : framework::PreFilterPlugin, framework::EnqueueExtensions {
  static constexpr std::array kReads = {kTenant};

  framework::PreFilterResult PreFilter(framework::CycleState&, const framework::PodInfo& pod,
                                       framework::IndexedCluster&) override {
    ++asked;
    const api::CustomObject* tenant = handle->lister().FindCustom(kTenant, "", TenantOf(pod));
    if (tenant != nullptr && Admits(*tenant)) return {};
    return {Status::Unresolvable("the tenant does not admit the pod"), {}};
  }
  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override {
    const auto hint = [](const framework::PodInfo& pod, const api::Object*,
                         const api::Object* after) -> Result<QueueingHint> {
      const auto* tenant = framework::ObjectAs<api::CustomObject>(after);
      const bool helps = tenant != nullptr && tenant->meta.name == TenantOf(pod) && Admits(*tenant);
      return helps ? QueueingHint::Queue : QueueingHint::QueueSkip;
    };
    return {{{framework::EventResource::Custom, framework::kAdd | framework::kUpdate, kTenant}, hint}};
  }
  static std::string TenantOf(const framework::PodInfo& pod) {
    const std::string* name = pod->meta.labels.Find("tenant");
    return name == nullptr ? "" : *name;
  }
  static bool Admits(const api::CustomObject& tenant) {
    return tenant.document->Find("spec")->Find("admits")->bool_value();
  }

  framework::Handle* handle = nullptr;
  int asked = 0;
};

store::Operation TenantOperation(store::Operation::Type type, const std::string& name, bool admits) {
  store::Operation operation;
  operation.type = type;
  operation.key = {std::string(kTenant), "", name};
  operation.uid = "uid-" + name;
  operation.value = fmt::format(
      R"({{"apiVersion":"example.com/v1","kind":"Tenant","metadata":{{"name":"{}"}},"spec":{{"admits":{}}}}})", name,
      admits);
  return operation;
}

class CustomResourceTest : public testing::Test {
 protected:
  CustomResourceTest() {
    framework::Registry registry = plugins::InTreeRegistry();
    auto plans = DefaultPlansWith(registry, {EntryOf("TenantGate", gate_)});
    cluster_ = std::make_unique<LiveCluster>(std::move(registry), std::move(plans));
    cluster_->AddNode("a");
  }
  void Write(store::Operation::Type type, const std::string& name, bool admits) {
    cluster_->Write({TenantOperation(type, name, admits)});
    cluster_->Settle();
  }
  using Type = store::Operation::Type;

  std::shared_ptr<TenantGate> gate_ = std::make_shared<TenantGate>();
  std::unique_ptr<LiveCluster> cluster_;
};

TEST_F(CustomResourceTest, APodIsWokenByTheCustomResourceItNeeds) {
  cluster_->AddPod("p", {.more_meta = R"("labels":{"tenant":"blue"})"});
  cluster_->Settle();
  EXPECT_EQ(cluster_->PlaceOf("p"), Place::Unschedulable);
  EXPECT_EQ(gate_->asked, 1);
  Write(Type::Create, "red", true);
  Write(Type::Create, "blue", false);
  EXPECT_EQ(gate_->asked, 1) << "neither helps";
  EXPECT_EQ(cluster_->PlaceOf("p"), Place::Unschedulable);
  Write(Type::Update, "red", true);
  EXPECT_EQ(gate_->asked, 1);
  Write(Type::Update, "blue", true);
  EXPECT_EQ(cluster_->NodeOf("p"), "a");
  EXPECT_EQ(cluster_->engine().CheckInvariants(), "");
}

TEST_F(CustomResourceTest, ACustomResourceThatIsThereFromTheStartIsRead) {
  Write(Type::Create, "blue", true);
  cluster_->AddPod("p", {.more_meta = R"("labels":{"tenant":"blue"})"});
  cluster_->Settle();
  EXPECT_EQ(cluster_->NodeOf("p"), "a");
}

TEST_F(CustomResourceTest, ACustomResourceThatIsDeletedCountsNoMore) {
  Write(Type::Create, "blue", true);
  Write(Type::Delete, "blue", true);
  cluster_->AddPod("p", {.more_meta = R"("labels":{"tenant":"blue"})"});
  cluster_->Settle();
  EXPECT_EQ(cluster_->PlaceOf("p"), Place::Unschedulable);
}

// The kinds that a scheduler with this configuration lists and watches.
Names KindsWatchedBy(std::string_view configuration, framework::Registry registry = plugins::InTreeRegistry()) {
  ManualClock clock;
  store::MemoryStore memory(clock);
  HookedStore store(&memory);
  const auto scheduler = scheduler::Scheduler::Create(PlansOf(configuration, registry), registry, store, clock, {},
                                                      /*threads=*/false)
                             .value();
  while (scheduler->Pump()) {
  }
  EXPECT_EQ(store.listed_kinds, store.watched_kinds);
  return store.listed_kinds;
}

std::string Enabling(const std::string& plugins) {
  return "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n"
         "- plugins: {multiPoint: {disabled: [{name: \"*\"}], enabled: [{name: PrioritySort}, {name: DefaultBinder}" +
         plugins + "]}}\n";
}

TEST(WatchedKinds, TheDefaultConfigurationReadsWhatItsPluginsDeclare) {
  EXPECT_EQ(KindsWatchedBy(""),
            (Names{"CSIDriver", "CSINode", "CSIStorageCapacity", "Namespace", "Node", "PersistentVolume",
                   "PersistentVolumeClaim", "Pod", "PodDisruptionBudget", "ReplicaSet", "ReplicationController",
                   "Service", "StatefulSet", "StorageClass", "VolumeAttachment"}));
}

TEST(WatchedKinds, WithoutTheVolumePluginsNoStorageIsWatched) {
  EXPECT_EQ(KindsWatchedBy(Enabling(", {name: NodeResourcesFit}")), (Names{"Node", "Pod"}));
  EXPECT_EQ(KindsWatchedBy(Enabling(", {name: NodeAffinity}, {name: InterPodAffinity}")),
            (Names{"Namespace", "Node", "Pod"}));
  EXPECT_EQ(KindsWatchedBy(Enabling(", {name: VolumeRestrictions}")), (Names{"Node", "PersistentVolumeClaim", "Pod"}));
}

TEST(WatchedKinds, CustomKindsAreWatchedForThoseWhoDeclareOrRegisterThem) {
  const auto gate = std::make_shared<TenantGate>();
  framework::Registry registry = plugins::InTreeRegistry();
  ASSERT_TRUE(registry.Add(EntryOf("TenantGate", gate)));
  EXPECT_EQ(KindsWatchedBy(Enabling(", {name: TenantGate}"), registry), (Names{"Node", "Pod", "Tenant.example.com"}));
  EXPECT_EQ(KindsWatchedBy(Enabling(""), registry), (Names{"Node", "Pod"})) << "it is not enabled";

  framework::Registry undeclared = plugins::InTreeRegistry();
  framework::PluginEntry entry = EntryOf("TenantGate", gate);
  entry.kinds.clear();
  ASSERT_TRUE(undeclared.Add(std::move(entry)));
  EXPECT_EQ(KindsWatchedBy(Enabling(", {name: TenantGate}"), undeclared), (Names{"Node", "Pod", "Tenant.example.com"}));
}

TEST(WatchedKinds, AKindThatCannotBeNamedIsAnError) {
  for (const char* kind : {"ConfigMap", "ReplicaSet.apps"}) {
    framework::Registry registry = plugins::InTreeRegistry();
    framework::PluginEntry entry = EntryOf("TenantGate", std::make_shared<TenantGate>());
    entry.kinds = {kind};
    ASSERT_TRUE(registry.Add(std::move(entry)));
    ManualClock clock;
    store::MemoryStore store(clock);
    const auto scheduler = scheduler::Scheduler::Create(PlansOf(Enabling(", {name: TenantGate}"), registry), registry,
                                                        store, clock, {}, /*threads=*/false);
    ASSERT_FALSE(scheduler.has_value());
    EXPECT_NE(scheduler.error().message.find(fmt::format("\"TenantGate\" cannot read what it declares: \"{}\"", kind)),
              std::string::npos)
        << scheduler.error().message;
  }
}

}  // namespace
}  // namespace berth::test
