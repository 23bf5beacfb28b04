// SPDX-License-Identifier: Apache-2.0
#include "kube/access/kubeconfig.h"
#include "kube/access/test_files.h"

#include <gtest/gtest.h>

namespace berth::kube {
namespace {

constexpr const char* kServer = "{server: 'https://h'}";
constexpr const char* kWhere = " (kubeconfig /f, context c)";
constexpr const char* kWho = "kubeconfig /f, context c: user \"u\": ";
constexpr const char* kAt = "kubeconfig /f, context c: cluster \"k\": ";

std::string ErrorOf(const std::string& text, const KubeconfigOverrides& overrides = {}) {
  TestFiles files;
  files.Write("/f", text);
  files.Write("/cert", FakeCertificate("c"));
  files.Write("/key", FakeKey("k"));
  files.Write("/blank", " \n");
  files.Write("/empty", "");
  files.Write("/closed", "unreadable");
  const Result<ClusterAccess> access = LoadKubeconfig("/f", overrides, files.surroundings());
  return access ? "" : access.error().message;
}

TEST(KubeconfigErrors, OfAUserSayWhatIsWrongAndWhere) {
  const std::string exec = "exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: x";
  const struct {
    std::string user;
    std::string error;
  } cases[] = {
      {"{token: a, username: b}",
       std::string(
           "invalid configuration: more than one authentication method found for u; found [token basicAuth], only "
           "one is allowed") +
           kWhere},
      {"{tokenFile: /cert, username: b}",
       std::string(kWho) + "username/password or bearer token may be set, but not both"},
      {"{tokenFile: t}", std::string(kWho) + "no token can be read from tokenFile /t: no such file or directory"},
      {"{tokenFile: /blank}", std::string(kWho) + "no token can be read from tokenFile /blank: it is empty"},
      {"{client-certificate: /cert}",
       std::string("invalid configuration: client-key-data or client-key must be specified for u to use the clientCert "
                   "authentication method.") +
           kWhere},
      {"{client-certificate: /cert, client-certificate-data: YQ==, client-key: /key}",
       std::string("invalid configuration: client-cert-data and client-cert are both specified for u. client-cert-data "
                   "will override. Remove one of them") +
           kWhere},
      {"{client-certificate: /cert, client-key: /key, client-key-data: YQ==}",
       std::string(
           "invalid configuration: client-key-data and client-key are both specified for u; client-key-data will "
           "override: remove one of them") +
           kWhere},
      {"{client-certificate: c.pem, client-key: /closed}",
       std::string("invalid configuration: [unable to read client-cert /c.pem for u due to no such file or directory, "
                   "unable to read client-key /closed for u due to permission denied]") +
           kWhere},
      {"{client-certificate: /key, client-key: /key}", std::string(kWho) + "/key has no certificate in PEM"},
      {"{client-certificate: /cert, client-key-data: YQ==}",
       std::string(kWho) + "client-key-data has no private key in PEM"},
      {"{as-groups: [a]}",
       std::string(
           "invalid configuration: requesting uid, groups or user-extra for u without impersonating a user: set "
           "`as` too") +
           kWhere},
      {"{auth-provider: {name: gcp}}",
       std::string(kWho) +
           "no Auth Provider found for name \"gcp\": auth-provider plugins have been removed, use an exec credential "
           "plugin instead"},
      {"{auth-provider: {name: gcp}, " + exec + "}}",
       std::string("invalid configuration: authProvider cannot be provided in combination with an exec plugin for u") +
           kWhere},
      {"{exec: {}}",
       std::string(
           "invalid configuration: [command must be specified for u to use exec authentication plugin, apiVersion "
           "must be specified for u to use exec authentication plugin, interactiveMode must be specified for u to "
           "use exec authentication plugin]") +
           kWhere},
      {"{" + exec + ", env: [{value: x}]}}",
       std::string(
           "invalid configuration: env variable name must be specified for u to use exec authentication plugin") +
           kWhere},
      {"{exec: {apiVersion: v, command: x, interactiveMode: Maybe}}",
       std::string(
           "invalid configuration: invalid interactiveMode for u: \"Maybe\": must be Never, IfAvailable or Always") +
           kWhere},
      {"{token: t, exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: x}}",
       std::string(kWho) + "exec plugin: invalid apiVersion \"client.authentication.k8s.io/v1alpha1\": must be "
                           "client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1"},
      {"{token: 12}", "error loading config file \"/f\": /f:9:17: users[0].user.token: expected string, found integer"},
      {"{client-key-data: '%'}",
       "error loading config file \"/f\": /f:9:27: users[0].user.client-key-data: is not base64"},
  };
  for (const auto& one : cases) EXPECT_EQ(ErrorOf(SmallKubeconfig(kServer, one.user)), one.error) << one.user;
}

TEST(KubeconfigErrors, OfAClusterSayWhatIsWrongAndWhere) {
  const struct {
    std::string cluster;
    std::string error;
  } cases[] = {
      {"{}", std::string("invalid configuration: no server found for cluster \"k\"") + kWhere},
      {"{server: 'https://h:x'}",
       std::string(kAt) + "server \"https://h:x\" cannot be used: invalid port \":x\" after host; give a URL such as "
                          "https://10.0.0.1:6443"},
      {"{server: 'https://h', certificate-authority: /cert, insecure-skip-tls-verify: true}",
       std::string(kAt) + "specifying a root certificates file with the insecure flag is not allowed: remove either "
                          "certificate-authority or insecure-skip-tls-verify"},
      {"{server: 'https://h', certificate-authority: /cert, certificate-authority-data: YQ==}",
       std::string("invalid configuration: certificate-authority-data and certificate-authority are both specified for "
                   "k. certificate-authority-data will override. Remove one of them") +
           kWhere},
      {"{server: 'http://h', certificate-authority: nope}",
       std::string(
           "invalid configuration: unable to read certificate-authority /nope for k due to no such file or directory") +
           kWhere},
      {"{server: 'https://h', certificate-authority: /key}",
       std::string(kAt) + "unable to load root certificates: /key has no certificate in PEM"},
      {"{server: 'https://h', certificate-authority: /empty}",
       std::string(kAt) + "unable to load root certificates: /empty is empty"},
      {"{server: 'https://h', certificate-authority-data: YQ==}",
       std::string(kAt) + "unable to load root certificates: certificate-authority-data has no certificate in PEM"},
      {"{server: 'https://h', proxy-url: 'https://joe:secret@p'}",
       std::string("invalid configuration: invalid 'proxy-url' \"https://joe:***@p\" for cluster \"k\": Berth does not "
                   "support https proxies: use an http or socks5 proxy") +
           kWhere},
      {"{server: 'https://h', proxy-url: 'p:3128'}",
       std::string("invalid configuration: invalid 'proxy-url' \"p:3128\" for cluster \"k\": unsupported scheme \"p\", "
                   "must be http or socks5") +
           kWhere},
      {"{server: 'https://h', proxy-url: 'http://p x'}",
       std::string(
           "invalid configuration: invalid 'proxy-url' \"http://p x\" for cluster \"k\": could not parse: invalid "
           "character in host name \"p x\"") +
           kWhere},
      {"{server: 5}",
       "error loading config file \"/f\": /f:6:21: clusters[0].cluster.server: expected string, found "
       "integer"},
  };
  for (const auto& one : cases) EXPECT_EQ(ErrorOf(SmallKubeconfig(one.cluster, "{}")), one.error) << one.cluster;
}

TEST(KubeconfigErrors, OfNamesListTheNamesThereAre) {
  const std::string good = SmallKubeconfig(kServer, "{}");
  EXPECT_EQ(ErrorOf(good, {.context = "z"}), "context \"z\" does not exist: kubeconfig /f has only c");
  EXPECT_EQ(ErrorOf(good, {.cluster = "z"}), "cluster \"z\" does not exist: kubeconfig /f, context c has only k");
  EXPECT_EQ(ErrorOf(good, {.user = "z"}), "auth info \"z\" does not exist: kubeconfig /f, context c has only u");
  EXPECT_EQ(
      ErrorOf("current-context: z\ncontexts: [{name: a}, {name: b}]"),
      "invalid configuration: [context was not found for specified context: z: change current-context, contexts are "
      "a, b, cluster has no server defined] (kubeconfig /f)");
  EXPECT_EQ(ErrorOf(SmallKubeconfig(kServer, "{}", "{cluster: z, user: u}")),
            "invalid configuration: no configuration has been provided: cluster \"z\" is not among the clusters (k) of "
            "kubeconfig /f, context c");
  EXPECT_EQ(
      ErrorOf("contexts: [{name: a}]"),
      "invalid configuration: no configuration has been provided: kubeconfig /f has no current-context; contexts are "
      "a; choose one by --context");
}

TEST(KubeconfigErrors, OfAFileNameIt) {
  const std::string prefix = "error loading config file \"/f\": /f:";
  EXPECT_EQ(ErrorOf("[]"), prefix + "1:1: expected map, found list");
  EXPECT_EQ(ErrorOf("hello"), prefix + "1:1: expected map, found string");
  EXPECT_EQ(ErrorOf("kind: Pod"), prefix + "1:7: kind: expected Config, found Pod: this is not a kubeconfig");
  EXPECT_EQ(ErrorOf("apiVersion: v2"),
            prefix + "1:13: apiVersion: no kind \"Config\" is registered for version \"v2\": must be v1");
  EXPECT_EQ(ErrorOf("users: [{name: a}, {name: a}]"),
            prefix + "1:27: users[1].name: duplicate name \"a\" in list: remove one of the entries");
  EXPECT_EQ(ErrorOf("a: ["), prefix + "1:1: invalid YAML: end of sequence flow not found");
  for (const char* text : {"", "# nothing\n", "null", "{}"}) {
    EXPECT_EQ(ErrorOf(text),
              "invalid configuration: no configuration has been provided: kubeconfig /f has no contexts");
  }
}

TEST(KubeconfigErrors, OfSeveralFilesAreToldTogether) {
  TestFiles files;
  const auto error = [&](const std::string& path) {
    return LoadKubeconfig(path, {}, files.surroundings()).error().message;
  };
  EXPECT_EQ(error("x"), "kubeconfig \"/project/x\" does not exist");
  EXPECT_EQ(error(""),
            "invalid configuration: no configuration has been provided: /home/joe/.kube/config does not exist; set "
            "--kubeconfig or KUBECONFIG");
  files.Set("KUBECONFIG", "/a:/b:/c");
  EXPECT_EQ(error(""),
            "invalid configuration: no configuration has been provided: /a, /b, /c does not exist; set --kubeconfig or "
            "KUBECONFIG");
  files.Write("/a", "unreadable");
  files.Write("/b", SmallKubeconfig(kServer, "{}"));
  files.Write("/c", "kind: Pod");
  EXPECT_EQ(
      error(""),
      "error loading config file \"/a\": permission denied\nerror loading config file \"/c\": /c:1:7: kind: expected "
      "Config, found Pod: this is not a kubeconfig");
}

}  // namespace
}  // namespace berth::kube
