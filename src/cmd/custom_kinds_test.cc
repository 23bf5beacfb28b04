// SPDX-License-Identifier: Apache-2.0
// Files with objects of kinds that Berth has no type for, and a plugin that reads them.
#include "cmd/streams.h"
#include "cmd/test_commands.h"
#include "plugins/registry.h"

#include <array>

#include <gtest/gtest.h>

namespace berth::cmd {
namespace {

constexpr std::string_view kTenantKind = "Tenant.example.com";

// Lets pods go nowhere until there is a tenant of their namespace's name.
class TenantFilter final : public framework::PreFilterPlugin, public framework::EnqueueExtensions {
 public:
  static constexpr std::array kReads = {kTenantKind};

  explicit TenantFilter(framework::Handle& handle) : handle_(handle) {}
  framework::PreFilterResult PreFilter(framework::CycleState&, const framework::PodInfo& pod,
                                       framework::IndexedCluster&) override {
    if (handle_.lister().FindCustom(kTenantKind, "", pod->meta.namespace_) != nullptr) return {};
    return {framework::Status::Unresolvable("no tenant"), {}};
  }
  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override {
    return {{{framework::EventResource::Custom, framework::kAdd, kTenantKind}, nullptr}};
  }

 private:
  framework::Handle& handle_;
};

const std::string kConfiguration =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    "profiles: [{plugins: {multiPoint: {enabled: [{name: TenantFilter}]}}}]\n";
const std::string kNode = "kind: Node\nmetadata: {name: node}\nstatus: {allocatable: {cpu: 4, pods: 10}}\n---\n";
const std::string kPod = "kind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c}]}\n---\n";
const std::string kTenant = "apiVersion: example.com/v1\nkind: Tenant\nmetadata: {name: default}\n";

class CustomKindsTest : public ::testing::Test, public TestCommands {
 protected:
  CustomKindsTest() { EXPECT_TRUE(registry_.Add(framework::Entry<TenantFilter>("TenantFilter"))); }
  int Simulate(std::vector<std::string> arguments, bool with_plugin) {
    arguments.insert(arguments.begin(), "simulate");
    if (with_plugin) arguments.insert(arguments.end(), {"--config", File("config.yaml", kConfiguration)});
    return BerthWith(registry_, arguments);
  }

  framework::Registry registry_ = plugins::InTreeRegistry();
};

TEST_F(CustomKindsTest, SimulateReadsTheKindsThatAnEnabledPluginDeclares) {
  EXPECT_EQ(Simulate({"-f", File("cluster.yaml", kNode + kPod + kTenant)}, true), kExitOk) << err_ << out_;
  EXPECT_EQ(err_, "");
  EXPECT_EQ(Simulate({"-f", File("cluster.yaml", kNode + kPod)}, true), kExitNo) << err_;
  EXPECT_NE(out_.find("no tenant"), std::string::npos) << out_;
}

TEST_F(CustomKindsTest, OtherwiseTheyAreIgnored) {
  EXPECT_EQ(Simulate({"-f", File("cluster.yaml", kNode + kPod + kTenant)}, false), kExitOk) << err_;
  EXPECT_EQ(err_, "berth: ignored 1 Tenant: the scheduler does not read these kinds\n");
}

const std::string kScenario =
    "apiVersion: berth/v1alpha1\nkind: Scenario\nduration: 10m\n"
    "nodes: [{name: node, allocatable: {cpu: 2}}]\n"
    "workloads: [{name: a, template: {spec: {containers: [{name: c}]}}}]\n"
    "events:\n"
    "- {at: 1m, action: apply, object: {apiVersion: example.com/v1, kind: Tenant, metadata: {name: default}}}\n"
    "- {at: 2m, action: delete, kind: Tenant.example.com, name: default}\n";

TEST_F(CustomKindsTest, AScenarioMayCreateAndDeleteThem) {
  const std::string scenario = File("scenario.yaml", kScenario);
  EXPECT_EQ(Simulate({"--scenario", scenario, "-o", "json"}, true), kExitOk) << err_;
  EXPECT_NE(out_.find("\"p50\": \"1m0s\""), std::string::npos) << "bound when the tenant came\n" << out_;
  EXPECT_EQ(out_.find("there is no"), std::string::npos) << out_;
}

TEST_F(CustomKindsTest, AScenarioIsToldWhenNobodyReadsThem) {
  EXPECT_EQ(Simulate({"--scenario", File("scenario.yaml", kScenario)}, false), kExitFailed);
  EXPECT_NE(err_.find("\"Tenant\" is not a kind that scheduling reads"), std::string::npos) << err_;
  EXPECT_NE(err_.find("\"Tenant.example.com\" is not a kind that scheduling reads"), std::string::npos) << err_;
}

}  // namespace
}  // namespace berth::cmd
