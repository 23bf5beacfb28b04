// SPDX-License-Identifier: Apache-2.0
#include "cmd/kube_entry.h"

#include "cmd/kube_version.h"
#include "cmd/test_commands.h"
#include "plugins/registry.h"

#include <fstream>
#include <optional>
#include <sstream>

#include <gtest/gtest.h>

namespace berth::cmd {
namespace {

using Arguments = std::vector<std::string>;

constexpr int kRan = 42;

class KubeEntryTest : public ::testing::Test, public TestCommands {
 protected:
  // kube-scheduler's exit code, or kRan when it would go on running.
  int Kube(const Arguments& arguments, std::string_view called_as = "kube-scheduler") {
    std::ostringstream out;
    std::ostringstream err;
    const framework::Registry registry = plugins::InTreeRegistry();
    const Streams streams{&out, &err};
    ran_ = false;
    const int code = RunKube(arguments, registry, streams, called_as, [&](const KubeStart& start) {
      ran_ = true;
      verbosity_ = start.log.On(4) ? 4 : 0;
      version_ = start.version;
      election_ = start.configuration.loaded.config.leader_election;
      start.log.Named("engine").Info("Runs");
      return kRan;
    });
    out_ = out.str();
    err_ = err.str();
    return code;
  }

  bool ran_ = false;
  int verbosity_ = 0;
  std::string version_;
  config::LeaderElection election_;
};

TEST_F(KubeEntryTest, AnUnknownFlagIsRefusedBelowTheUsage) {
  EXPECT_EQ(Kube({"--nope"}), kExitFailed);
  EXPECT_EQ(out_, "");
  EXPECT_TRUE(err_.starts_with("Usage:\n  kube-scheduler [flags]\n\nMisc flags:\n\n      --config string ")) << err_;
  EXPECT_TRUE(err_.ends_with("\n\nError: unknown flag: --nope\n")) << err_;
}

TEST_F(KubeEntryTest, ArgumentsAreRefused) {
  EXPECT_EQ(Kube({"foo"}), kExitFailed);
  EXPECT_EQ(err_, "Error: \"kube-scheduler\" does not take any arguments, got [\"foo\"]\n");
  EXPECT_EQ(Kube({"a b", "", "--leader-elect", "--", "--v"}, "berth kube"), kExitFailed);
  EXPECT_EQ(err_, "Error: \"berth kube\" does not take any arguments, got [\"a b\" \"\" \"--v\"]\n");
  EXPECT_EQ(Kube({""}), kRan);
}

TEST_F(KubeEntryTest, HelpPrecedesEverythingThatCanBeParsed) {
  EXPECT_EQ(Kube({"-h", "foo", "--feature-gates=Nope=true", "--secure-port=-1"}), kExitOk);
  EXPECT_NE(out_.find("Usage:\n  kube-scheduler [flags]\n"), std::string::npos);
  EXPECT_NE(out_.find("kube:AllAlpha=true|false (ALPHA - default=false)"), std::string::npos);
  EXPECT_EQ(err_, "");
  EXPECT_FALSE(ran_);
}

TEST_F(KubeEntryTest, TheVersionIsThatOfARelease) {
  EXPECT_EQ(Kube({"--version"}), kExitOk);
  EXPECT_EQ(out_, "Kubernetes " + KubeVersion() + "\n");
  EXPECT_TRUE(KubeVersion().starts_with("v1.36.4+berth."));
  EXPECT_EQ(Kube({"--version=raw"}), kExitOk);
  EXPECT_NE(out_.find("version.Info{Major:\"1\", Minor:\"36\", "), std::string::npos);
  EXPECT_NE(out_.find("GitVersion:\"" + KubeVersion() + "\""), std::string::npos);
  EXPECT_EQ(Kube({"--version=v1.36.4-vendor", "--version"}), kExitOk);
  EXPECT_EQ(out_, "Kubernetes v1.36.4-vendor\n");
  EXPECT_EQ(Kube({"--version=v1.36.4-vendor"}), kRan);
  EXPECT_EQ(version_, "v1.36.4-vendor");
  EXPECT_EQ(Kube({"--version", "--feature-gates=Nope=true"}), kExitFailed) << "gates are set first";
}

TEST_F(KubeEntryTest, WhatCannotRunIsLogged) {
  const struct {
    Arguments arguments;
    std::string says;
  } cases[] = {
      {{"--feature-gates=Nope=true"}, "setup] \"command failed\" err=\"unrecognized feature gate: Nope\"\n"},
      {{"--secure-port=-1", "--disabled-metrics=,"},
       "setup] \"command failed\" err=\"[--secure-port -1 must be between 0 and 65535, inclusive. 0 for turning off "
       "secure port, metrics.disabledMetrics: Invalid value: "},
      {{"--config=/no/such/file"}, "setup] \"command failed\" err=\""},
      {{"--tls-min-version=TLS12"}, "setup] \"command failed\" err=\"unknown tls version \\\"TLS12\\\"\"\n"},
      {{"--leader-elect-retry-period=9s"}, "renewDeadline must be greater than retryPeriod*JitterFactor\"\n"},
      {{"--write-config-to=/no/such/folder/f"}, "open /no/such/folder/f: No such file or directory\"\n"},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(Kube(test.arguments), kExitFailed);
    EXPECT_NE(err_.find(test.says), std::string::npos) << err_;
    EXPECT_TRUE(err_.starts_with("E")) << err_;
    EXPECT_FALSE(ran_);
  }
}

TEST_F(KubeEntryTest, WrongLoggingFlagsAreToldWithoutALog) {
  EXPECT_EQ(Kube({"--logging-format=xml"}), kExitFailed);
  EXPECT_EQ(err_, "format: Invalid value: \"xml\": Unsupported log format\n");
}

TEST_F(KubeEntryTest, AProcessStartsAsTheFlagsSay) {
  EXPECT_EQ(Kube({"-v", "4", "--leader-elect-lease-duration=20s"}), kRan);
  EXPECT_EQ(verbosity_, 4);
  EXPECT_EQ(version_, KubeVersion());
  EXPECT_EQ(election_.lease_duration, std::chrono::seconds(20));
  EXPECT_NE(err_.find("\"Flag\" name=\"leader-elect-lease-duration\" value=\"20s\""), std::string::npos) << err_;

  EXPECT_EQ(Kube({"--logging-format=json"}), kRan);
  EXPECT_TRUE(err_.starts_with("{\"ts\":")) << err_;
  EXPECT_NE(err_.find("\"msg\":\"Runs\""), std::string::npos) << err_;

  EXPECT_EQ(Kube({}), kRan);
  EXPECT_EQ(err_.find("Flag"), std::string::npos) << err_;
}

TEST_F(KubeEntryTest, WhatHasNoEffectIsSaid) {
  const std::string file =
      File("config.yaml", "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n");
  EXPECT_EQ(Kube({"--config", file, "--kubeconfig=kc", "--requestheader-username-headers=X-User"}), kRan);
  EXPECT_NE(err_.find("\"Flag is ignored because there is a configuration file\" flag=\"kubeconfig\""),
            std::string::npos);
  EXPECT_NE(err_.find("API aggregation will not work"), std::string::npos);
}

TEST_F(KubeEntryTest, TheConfigurationIsWrittenInsteadOfRunning) {
  const std::string file = File("out.yaml", "old");
  EXPECT_EQ(Kube({"--write-config-to", file, "--kubeconfig=kc"}), kExitOk);
  EXPECT_FALSE(ran_);
  EXPECT_NE(err_.find("\"Wrote configuration\" file=\"" + file + "\""), std::string::npos) << err_;
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_NE(text.str().find("kind: KubeSchedulerConfiguration"), std::string::npos);
  EXPECT_NE(text.str().find("kubeconfig: kc"), std::string::npos);
}

TEST_F(KubeEntryTest, BerthHasItAsACommand) {
  EXPECT_EQ(Berth({"kube", "--version"}), kExitOk);
  EXPECT_EQ(out_, "Kubernetes " + KubeVersion() + "\n");
  EXPECT_EQ(Berth({"help", "kube"}), kExitOk);
  EXPECT_NE(out_.find("Usage:\n  berth kube [flags]\n"), std::string::npos);
  EXPECT_EQ(Berth({"kube", "--nope"}), kExitFailed);
  EXPECT_NE(err_.find("Error: unknown flag: --nope\n"), std::string::npos);
}

}  // namespace
}  // namespace berth::cmd
