// SPDX-License-Identifier: Apache-2.0
#include "cmd/kube_validate.h"

#include "cmd/kube_logging.h"
#include "cmd/metric_label_flags.h"
#include "cmd/test_commands.h"

#include <gtest/gtest.h>

namespace berth::cmd {
namespace {

using Arguments = std::vector<std::string>;
using config::Messages;

KubeFlags Parsed(const Arguments& arguments) {
  Result<KubeFlags> kube = ParseKubeFlags(arguments);
  EXPECT_TRUE(kube) << kube.error().message;
  return kube ? *kube : KubeFlags();
}

Messages Errors(const Arguments& arguments) {
  const KubeFlags kube = Parsed(arguments);
  const Result<features::FeatureGates> gates = features::FeatureGates::FromFlags(kube.gates);
  EXPECT_TRUE(gates);
  return ValidateKubeFlags(kube, *gates).errors;
}

TEST(KubeValidateTest, TheDefaultsAreValid) {
  const FlagProblems problems = ValidateKubeFlags({}, {});
  EXPECT_EQ(problems.errors, Messages());
  EXPECT_EQ(problems.warnings, Messages());
  EXPECT_EQ(ValidateLogging({}, {}), Messages());
  EXPECT_TRUE(ServingTlsOf({}));
  EXPECT_TRUE(CheckElection(KubeFlags().leader_election));
}

TEST(KubeValidateTest, ValuesAreRefusedInKubeSchedulersWords) {
  const struct {
    Arguments arguments;
    Messages errors;
  } cases[] = {
      {{"--secure-port=0"}, {}},
      {{"--secure-port=65535"}, {}},
      {{"--secure-port=65536"},
       {"--secure-port 65536 must be between 1 and 65535, inclusive. It cannot be turned off with 0"}},
      {{"--secure-port=-1"},
       {"--secure-port -1 must be between 0 and 65535, inclusive. 0 for turning off secure port"}},
      {{"--requestheader-username-headers=a, "}, {"empty value in \"requestheader-username-headers\""}},
      {{"--requestheader-allowed-names=,a", "--requestheader-group-headers=,"},
       {"empty value in \"requestheader-group-headers\"", "empty value in \"requestheader-allowed-names\""}},
      {{"--requestheader-uid-headers=X-Remote-UID"}, {}},
      {{"--requestheader-uid-headers=X-Uid"},
       {"--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - API aggregation will "
        "not work"}},
      {{"--requestheader-uid-headers=X-Uid", "--feature-gates=RemoteRequestHeaderUID=false"},
       {"--requestheader-uid-headers requires the \"RemoteRequestHeaderUID\" feature to be enabled"}},
      {{"--show-hidden-metrics-for-version=1.35"}, {}},
      {{"--show-hidden-metrics-for-version=1.34"},
       {"metrics.showHiddenMetricsForVersion: Invalid value: \"1.34\": must be omitted or have the value '1.35'; only "
        "the previous minor version is allowed"}},
      {{"--disabled-metrics=a:b,c.d"},
       {"metrics.disabledMetrics: Invalid value: [\"a:b\",\"c.d\"]: must be fully qualified metric names matching "
        "\"^[a-zA-Z_:][a-zA-Z0-9_:]*$\", got \"c.d\""}},
      {{"--allow-metric-labels=x=y,z"},
       {"metrics.allowListMapping: Invalid value: {\"x\":\"y,z\"}: must have keys with format `metricName,labelName` "
        "where metricName matches \"[a-zA-Z_:][a-zA-Z0-9_:]*\" and labelName matches \"[a-zA-Z_][a-zA-Z0-9_]*\""}},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(Errors(test.arguments), test.errors) << ::testing::PrintToString(test.arguments);
  }
}

TEST(KubeValidateTest, HeadersOtherThanTheUsualOnesAreOdd) {
  const KubeFlags kube =
      Parsed({"--requestheader-username-headers=X-User", "--requestheader-group-headers=x-Remote-group"});
  EXPECT_EQ(ValidateKubeFlags(kube, {}).warnings,
            Messages{"--requestheader-username-headers is set without specifying the standard X-Remote-User header - "
                     "API aggregation will not work"});
}

class MetricLabelsTest : public ::testing::Test, public TestCommands {};

TEST_F(MetricLabelsTest, AreReadFromAFile) {
  const std::string good = File("good.yaml", "\"metric1,label1\": \"a,b\"\n\"metric2,label2\": \"\"\n");
  EXPECT_EQ(Errors({"--allow-metric-labels-manifest=" + good}), Messages());
  const auto labels = AllowedMetricLabels(Parsed({"--allow-metric-labels-manifest=" + good}).metrics);
  ASSERT_TRUE(labels);
  EXPECT_EQ(*labels, (std::map<std::string, std::string>{{"metric1,label1", "a,b"}, {"metric2,label2", ""}}));

  EXPECT_EQ(Errors({"--allow-metric-labels-manifest=" + good, "--allow-metric-labels=m,l=v"}),
            Messages{"metrics: Invalid value: {\"allowListMapping\":{\"m,l\":\"v\"},\"allowListMappingManifest\":\"" +
                     good + "\"}: cannot specify both allowListMapping and allowListMappingManifest"});
  const std::string bad = File("bad.yaml", "metric: a\n");
  EXPECT_EQ(Errors({"--allow-metric-labels-manifest=" + bad}),
            Messages{"metrics.allowListMappingManifest: Invalid value: \"" + bad +
                     "\": invalid allow list mapping in manifest: [metrics.allowListMappingManifest: Invalid value: "
                     "{\"metric\":\"a\"}: must have keys with format `metricName,labelName` where metricName matches "
                     "\"[a-zA-Z_:][a-zA-Z0-9_:]*\" and labelName matches \"[a-zA-Z_][a-zA-Z0-9_]*\"]"});
  EXPECT_EQ(Errors({"--allow-metric-labels-manifest=" + File("list.yaml", "[a]\n")}).size(), 1U);
  EXPECT_EQ(Errors({"--allow-metric-labels-manifest=" + File("map.yaml", "\"a,b\": [c]\n")}).size(), 1U);
  EXPECT_EQ(Errors({"--allow-metric-labels-manifest=/no/such/file"}).size(), 1U);
}

TEST(KubeValidateTest, LoggingIsCheckedAsAWhole) {
  const struct {
    Arguments arguments;
    Messages errors;
  } cases[] = {
      {{"--logging-format=json", "-v4"}, {}},
      {{"--logging-format=xml"}, {"format: Invalid value: \"xml\": Unsupported log format"}},
      {{"--log-text-split-stream", "--vmodule=a=1", "--logging-format=json", "--log-flush-frequency=0s"},
       {"flushFrequency: Invalid value: \"0s\": Must be greater than zero",
        "vmodule: Forbidden: Only supported for text log format",
        "options.text.splitStream: Forbidden: Feature LoggingAlphaOptions is disabled"}},
      {{"--log-json-info-buffer-size=1"},
       {"options.json.infoBufferSize: Forbidden: Feature LoggingAlphaOptions is disabled"}},
      {{"--log-json-info-buffer-size=1", "--feature-gates=LoggingAlphaOptions=true"}, {}},
  };
  for (const auto& test : cases) {
    const KubeFlags kube = Parsed(test.arguments);
    const auto gates = features::FeatureGates::FromFlags(kube.gates);
    ASSERT_TRUE(gates);
    EXPECT_EQ(ValidateLogging(kube.logging, *gates), test.errors) << ::testing::PrintToString(test.arguments);
  }
}

TEST(KubeValidateTest, ServingNeedsNamesThatMeanSomething) {
  const struct {
    Arguments arguments;
    std::string says;
  } cases[] = {
      {{"--tls-cert-file=a"}, "missing filename for serving cert"},
      {{"--tls-private-key-file=a"}, "missing filename for serving cert"},
      {{"--tls-cipher-suites=TLS_NONE"}, "Cipher suite TLS_NONE not supported or doesn't exist"},
      {{"--tls-curve-preferences=0"}, "curve preference 0 is out of range (must be 1-65535)"},
      {{"--tls-curve-preferences=29,29"}, "duplicate curve preference 29"},
      {{"--tls-curve-preferences=30"}, "curve preference 30 is not supported"},
      {{"--tls-min-version=TLS12"}, "unknown tls version \"TLS12\""},
      {{"--tls-min-version=TLS12", "--secure-port=0"}, ""},
  };
  for (const auto& test : cases) {
    const Result<ServingTls> tls = ServingTlsOf(Parsed(test.arguments).serving);
    EXPECT_EQ(tls ? "" : tls.error().message, test.says);
  }
  const Result<ServingTls> tls =
      ServingTlsOf(Parsed({"--tls-cipher-suites=TLS_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305,TLS_RSA_"
                           "WITH_AES_128_CBC_SHA",
                           "--tls-curve-preferences=29,23", "--tls-min-version=VersionTLS13"})
                       .serving);
  ASSERT_TRUE(tls) << tls.error().message;
  EXPECT_EQ(tls->cipher_suites, (Arguments{"ECDHE-RSA-CHACHA20-POLY1305", "AES128-SHA"}));
  EXPECT_EQ(tls->groups, (Arguments{"X25519", "P-256"}));
  EXPECT_EQ(tls->min_version, TlsVersion::Tls13);
}

TEST(KubeValidateTest, ElectionsMustBeWinnable) {
  const struct {
    Arguments arguments;
    std::string says;
  } cases[] = {
      {{"--leader-elect-resource-lock=endpoints"},
       "couldn't create resource lock: endpoints lock is removed, migrate to leases"},
      {{"--leader-elect-resource-lock=foo"}, "couldn't create resource lock: Invalid lock-type foo"},
      {{"--leader-elect-resource-lock=foo", "--leader-elect=false"}, ""},
      {{"--leader-elect-lease-duration=10s"},
       "couldn't create leader elector: leaseDuration must be greater than renewDeadline"},
      {{"--leader-elect-retry-period=9s"},
       "couldn't create leader elector: renewDeadline must be greater than retryPeriod*JitterFactor"},
      {{"--leader-elect-retry-period=0s"}, "couldn't create leader elector: retryPeriod must be greater than zero"},
      {{"--leader-elect-retry-period=-9s", "--leader-elect-renew-deadline=-1s"},
       "couldn't create leader elector: renewDeadline must be greater than zero"},
  };
  for (const auto& test : cases) {
    const Result<void> checked = CheckElection(Parsed(test.arguments).leader_election);
    EXPECT_EQ(checked ? "" : checked.error().message, test.says);
  }
}

}  // namespace
}  // namespace berth::cmd
