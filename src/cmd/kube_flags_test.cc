// SPDX-License-Identifier: Apache-2.0
#include "cmd/kube_flags.h"

#include "cmd/kube_version.h"

#include <fstream>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

namespace berth::cmd {
namespace {

using Arguments = std::vector<std::string>;

std::string ValueOf(const KubeFlags& kube, const std::string& flag) {
  for (const auto& [name, value] : kube.values) {
    if (name == flag) return value;
  }
  return "no such flag";
}

std::string Mistake(const Arguments& arguments) {
  const Result<KubeFlags> kube = ParseKubeFlags(arguments);
  return kube ? "" : kube.error().message;
}

// Names, types and defaults by section, as in the file of kube-scheduler's.
std::string Outline(const std::string& usage) {
  const std::regex title(R"((\w[\w ]*) flags:)");
  const std::regex entry(R"((?:  (-., )|      )(--\S+(?: \S+)?) *(?:   (.*))?)");
  const std::regex initial(R"(.*\(default (.*)\))");
  std::istringstream lines(usage);
  std::string outline;
  std::string last;
  std::smatch found;
  const auto end_entry = [&] {
    if (std::regex_match(last, found, initial)) outline += " = " + found[1].str();
    if (!outline.empty()) outline += "\n";
    last.clear();
  };
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, found, title)) {
      const std::string name = found[1].str();
      end_entry();
      outline += "# " + name;
    } else if (std::regex_match(line, found, entry)) {
      const std::string names = found[1].str() + found[2].str();
      const std::string text = found[3].str();
      end_entry();
      outline += names;
      last = text;
    } else if (!line.empty()) {
      last = line;
    }
  }
  end_entry();
  return outline;
}

TEST(KubeFlagsTest, AllFlagsOfKubeSchedulerAreThereWithTheirTypesAndDefaults) {
  std::ifstream file(BERTH_SOURCE_DIR "/src/cmd/testdata/kube_scheduler_flags.txt");
  std::ostringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(Outline(KubeFlagsUsage(0)), expected.str());
}

TEST(KubeFlagsTest, EveryFlagIsRead) {
  const struct {
    std::string flag;
    std::string given;
    std::string value;
  } cases[] = {
      {"config", "c.yaml", "c.yaml"},
      {"master", "https://m", "https://m"},
      {"write-config-to", "out.yaml", "out.yaml"},
      {"bind-address", "::1", "::1"},
      {"secure-port", "0x10", "16"},
      {"disable-http2-serving", "true", "true"},
      {"cert-dir", "certs", "certs"},
      {"tls-cert-file", "a.crt", "a.crt"},
      {"tls-private-key-file", "a.key", "a.key"},
      {"tls-cipher-suites", "A,B", "[A,B]"},
      {"tls-curve-preferences", "29,23", "[29,23]"},
      {"tls-min-version", "VersionTLS13", "VersionTLS13"},
      {"tls-sni-cert-key", "a.crt, a.key: x.io , *.y.io", "[a.crt,a.key:x.io,*.y.io]"},
      {"http2-max-streams-per-connection", "100", "100"},
      {"permit-port-sharing", "true", "true"},
      {"permit-address-sharing", "true", "true"},
      {"authentication-kubeconfig", "kc", "kc"},
      {"authentication-skip-lookup", "true", "true"},
      {"authentication-token-webhook-cache-ttl", "1m", "1m0s"},
      {"authentication-tolerate-lookup-failure", "false", "false"},
      {"client-ca-file", "ca", "ca"},
      {"requestheader-client-ca-file", "ca", "ca"},
      {"requestheader-allowed-names", "a,b", "[a,b]"},
      {"requestheader-username-headers", "X-U", "[X-U]"},
      {"requestheader-uid-headers", "X-I", "[X-I]"},
      {"requestheader-group-headers", "X-G", "[X-G]"},
      {"requestheader-extra-headers-prefix", "X-E-", "[X-E-]"},
      {"authorization-kubeconfig", "kc", "kc"},
      {"authorization-always-allow-paths", "/metrics", "[/metrics]"},
      {"authorization-webhook-cache-authorized-ttl", "0", "0s"},
      {"authorization-webhook-cache-unauthorized-ttl", "1.5s", "1.5s"},
      {"profiling", "false", "false"},
      {"contention-profiling", "false", "false"},
      {"kubeconfig", "kc", "kc"},
      {"kube-api-content-type", "application/json", "application/json"},
      {"kube-api-qps", "0.5", "0.5"},
      {"kube-api-burst", "7", "7"},
      {"pod-max-in-unschedulable-pods-duration", "30s", "30s"},
      {"leader-elect", "false", "false"},
      {"leader-elect-lease-duration", "30s", "30s"},
      {"leader-elect-renew-deadline", "20s", "20s"},
      {"leader-elect-retry-period", "4s", "4s"},
      {"leader-elect-resource-lock", "l", "l"},
      {"leader-elect-resource-name", "n", "n"},
      {"leader-elect-resource-namespace", "ns", "ns"},
      {"emulated-version", "1.34", "[1.34]"},
      {"min-compatibility-version", "kube=1.34", "[kube=1.34]"},
      {"feature-gates", "A=true,kube:B=false", "A=true,kube:B=false"},
      {"show-hidden-metrics-for-version", "1.35", "1.35"},
      {"disabled-metrics", "a,b", "[a,b]"},
      {"allow-metric-labels", "m,l=v1,v2", "[\"m,l=v1,v2\"]"},
      {"allow-metric-labels-manifest", "m.yaml", "m.yaml"},
      {"logging-format", "json", "json"},
      {"log-flush-frequency", "1s", "1s"},
      {"v", "4", "4"},
      {"vmodule", "queue=4,,plugins/*=2", "queue=4,plugins/*=2"},
      {"log-text-split-stream", "true", "true"},
      {"log-text-info-buffer-size", "2Ki", "2048"},
      {"log-json-split-stream", "true", "true"},
      {"log-json-info-buffer-size", "1k", "1000"},
      {"help", "true", "true"},
      {"version", "raw", "raw"},
  };
  std::set<std::string> tried;
  for (const auto& test : cases) {
    const Result<KubeFlags> kube = ParseKubeFlags({"--" + test.flag + "=" + test.given});
    ASSERT_TRUE(kube) << kube.error().message;
    EXPECT_EQ(ValueOf(*kube, test.flag), test.value);
    EXPECT_EQ(kube->given, (std::set<std::string, std::less<>>{test.flag}));
    tried.insert(test.flag);
  }
  for (const std::string& name : KubeFlagNames()) EXPECT_TRUE(tried.contains(name)) << name;
}

TEST(KubeFlagsTest, RepeatedFlagsAddUpWhereTheyHoldSeveralThings) {
  const Result<KubeFlags> kube = ParseKubeFlags(
      {"--feature-gates", "A=true", "--feature_gates=B=false", "--vmodule=a=1", "--vmodule=b=2", "--tls-sni-cert-key",
       "a,b", "--tls-sni-cert-key", "c,d:e", "--requestheader-username-headers=X", "--requestheader-username-headers=Y",
       "-v2", "--v", "3", "--allow-metric-labels=m,l=1", "--allow-metric-labels=m,k=2"});
  ASSERT_TRUE(kube) << kube.error().message;
  EXPECT_EQ(kube->gates.feature_gates, (Arguments{"A=true", "B=false"}));
  EXPECT_EQ(ValueOf(*kube, "vmodule"), "a=1,b=2");
  EXPECT_EQ(ValueOf(*kube, "tls-sni-cert-key"), "[a,b;c,d:e]");
  EXPECT_EQ(kube->authentication.requestheader_username_headers, (Arguments{"X", "Y"}));
  EXPECT_EQ(kube->logging.verbosity, 3);
  EXPECT_EQ(kube->metrics.allow_metric_labels.size(), 2U);
}

TEST(KubeFlagsTest, TheVersionToReportMayBeSet) {
  const Result<KubeFlags> kube = ParseKubeFlags({"--version=v1.36.4-vendor.1+build"});
  ASSERT_TRUE(kube) << kube.error().message;
  EXPECT_EQ(kube->version, VersionRequest::None);
  EXPECT_EQ(kube->reported_version, "v1.36.4-vendor.1+build");
  EXPECT_EQ(ValueOf(*kube, "version"), "v1.36.4-vendor.1+build");
  EXPECT_TRUE(CheckReportedVersion(KubeVersion()));
}

TEST(KubeFlagsTest, MistakesAreNamedAsKubeSchedulerDoes) {
  const struct {
    std::string argument;
    std::string says;
  } cases[] = {
      {"--v=x", "invalid argument \"x\" for \"-v, --v\" flag: strconv.ParseUint: parsing \"x\": invalid syntax"},
      {"-v=2147483648",
       "invalid argument \"2147483648\" for \"-v, --v\" flag: strconv.ParseUint: parsing \"2147483648\": value out of "
       "range"},
      {"--vmodule=a", "invalid argument \"a\" for \"--vmodule\" flag: \"a\" does not have the pattern=N format"},
      {"--vmodule=a=x",
       "invalid argument \"a=x\" for \"--vmodule\" flag: parsing verbosity in \"a=x\": strconv.ParseUint: parsing "
       "\"x\": invalid syntax"},
      {"--tls-sni-cert-key=a",
       "invalid argument \"a\" for \"--tls-sni-cert-key\" flag: expected comma separated certificate and key file "
       "paths"},
      {"--tls-sni-cert-key=a,b:",
       "invalid argument \"a,b:\" for \"--tls-sni-cert-key\" flag: empty names list is not allowed"},
      {"--log-text-info-buffer-size=abc",
       "invalid argument \"abc\" for \"--log-text-info-buffer-size\" flag: quantities must match the regular "
       "expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
      {"--log-json-info-buffer-size=1K",
       "invalid argument \"1K\" for \"--log-json-info-buffer-size\" flag: unable to parse quantity's suffix"},
      {"--version=vx", "invalid argument \"vx\" for \"--version\" flag: could not parse \"vx\" as version"},
      {"--version=v1.36", "invalid argument \"v1.36\" for \"--version\" flag: illegal version string \"v1.36\""},
      {"--version=v1.036.4",
       "invalid argument \"v1.036.4\" for \"--version\" flag: illegal zero-prefixed version component \"036\" in "
       "\"v1.036.4\""},
      {"--version=v1.36.4_a",
       "invalid argument \"v1.36.4_a\" for \"--version\" flag: could not parse pre-release/metadata (_a) in version "
       "\"v1.36.4_a\""},
      {"--version=v1.2.3",
       "invalid argument \"v1.2.3\" for \"--version\" flag: version \"v1.2.3\" must match "
       "major/minor/patch of default version \"" +
           KubeVersion() + "\""},
      {"--version=maybe",
       "invalid argument \"maybe\" for \"--version\" flag: strconv.ParseBool: parsing \"maybe\": invalid syntax"},
      {"--emulation-forward-compatible", "unknown flag: --emulation-forward-compatible"},
  };
  for (const auto& test : cases) EXPECT_EQ(Mistake({test.argument}), test.says);
}

}  // namespace
}  // namespace berth::cmd
