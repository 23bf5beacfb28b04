// SPDX-License-Identifier: Apache-2.0
#include "cmd/kube_configuration.h"

#include "cmd/test_commands.h"
#include "plugins/registry.h"

#include <gtest/gtest.h>

namespace berth::cmd {
namespace {

using Arguments = std::vector<std::string>;
using std::chrono::seconds;

const std::string kHead = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

class KubeConfigurationTest : public ::testing::Test, public TestCommands {
 protected:
  Result<config::SchedulerConfiguration> Configured(const Arguments& arguments) {
    const Result<KubeFlags> kube = ParseKubeFlags(arguments);
    if (!kube) return kube.error();
    auto gates = features::FeatureGates::FromFlags(kube->gates);
    if (!gates) return gates.error();
    auto planned = ConfigurationOf(*kube, registry_, *gates);
    if (!planned) return planned.error();
    EXPECT_EQ(planned->plans.size(), planned->loaded.config.profiles.size());
    return planned->loaded.config;
  }

  framework::Registry registry_ = plugins::InTreeRegistry();
};

TEST_F(KubeConfigurationTest, WithoutAFileDeprecatedFlagsApply) {
  const auto config =
      Configured({"--profiling=false", "--contention-profiling=false", "--kubeconfig=kc", "--kube-api-qps=7.5",
                  "--kube-api-burst=9", "--kube-api-content-type=application/json", "--leader-elect=false"});
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_FALSE(config->enable_profiling);
  EXPECT_EQ(config->enable_contention_profiling, false);
  EXPECT_EQ(config->client_connection.kubeconfig, "kc");
  EXPECT_EQ(config->client_connection.qps, 7.5);
  EXPECT_EQ(config->client_connection.burst, 9);
  EXPECT_EQ(config->client_connection.content_type, "application/json");
  EXPECT_FALSE(config->leader_election.leader_elect);
}

TEST_F(KubeConfigurationTest, WithAFileOnlyFlagsAboutLeaderElectionPrecede) {
  const std::string file = File("config.yaml", kHead +
                                                   "clientConnection: {kubeconfig: fromfile, qps: 3}\n"
                                                   "leaderElection: {leaseDuration: 60s, resourceName: mine}\n");
  const Arguments arguments = {"--config=" + file,  "--kubeconfig=kc",
                               "--kube-api-qps=9",  "--leader-elect-renew-deadline=40s",
                               "--profiling=false", "--leader-elect-resource-namespace=other"};
  const auto config = Configured(arguments);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->client_connection.kubeconfig, "fromfile");
  EXPECT_EQ(config->client_connection.qps, 3);
  EXPECT_TRUE(config->enable_profiling);
  EXPECT_EQ(config->leader_election.lease_duration, seconds(60));
  EXPECT_EQ(config->leader_election.renew_deadline, seconds(40));
  EXPECT_EQ(config->leader_election.resource_name, "mine");
  EXPECT_EQ(config->leader_election.resource_namespace, "other");
  EXPECT_EQ(FlagsIgnoredForFile(*ParseKubeFlags(arguments)), (Arguments{"kube-api-qps", "kubeconfig", "profiling"}));
}

TEST_F(KubeConfigurationTest, AFileIsValidatedWithTheFlags) {
  const std::string file = File("config.yaml", kHead + "leaderElection: {leaseDuration: 5s}\n");
  const auto refused = Configured({"--config", file});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("must be greater than `RenewDeadline`"), std::string::npos);
  EXPECT_TRUE(Configured({"--config", file, "--leader-elect-lease-duration=20s"}));
  EXPECT_TRUE(Configured({"--config", file, "--leader-elect=false"}));
  EXPECT_FALSE(Configured({"--config", file, "--leader-elect-lease-duration=20s", "--leader-elect-retry-period=9s"}));
}

TEST_F(KubeConfigurationTest, ABurstOfNothingIsRefused) {
  const auto refused = Configured({"--kube-api-burst=0"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "burst is required to be greater than 0 when RateLimiter is not set and QPS is set to greater than 0");
  EXPECT_TRUE(Configured({"--kube-api-burst=0", "--kube-api-qps=-1"}));
}

TEST_F(KubeConfigurationTest, GatesDecideAboutDefaults) {
  const auto now = Configured({});
  const auto then = Configured({"--emulated-version=1.33"});
  ASSERT_TRUE(now && then);
  EXPECT_EQ(then->features.emulated_version().minor, 33U);
  EXPECT_NE(now->profiles[0].plugins.multi_point.enabled.size(), then->profiles[0].plugins.multi_point.enabled.size());
}

TEST_F(KubeConfigurationTest, AWrittenConfigurationReadsTheSame) {
  const auto config = Configured({"--kube-api-qps=7.5", "--leader-elect-resource-name=mine"});
  ASSERT_TRUE(config);
  const std::string file = File("written.yaml", "");
  ASSERT_TRUE(WriteConfiguration(*config, file));
  const auto again = Configured({"--config=" + file});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->client_connection.qps, 7.5);
  EXPECT_EQ(again->leader_election.resource_name, "mine");
  const Result<void> nowhere = WriteConfiguration(*config, "/no/such/folder/file");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().message, "open /no/such/folder/file: No such file or directory");
}

}  // namespace
}  // namespace berth::cmd
