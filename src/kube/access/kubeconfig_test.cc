// SPDX-License-Identifier: Apache-2.0
#include "kube/access/kubeconfig.h"

#include "config/fields/base64.h"
#include "kube/access/test_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::kube {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

class KubeconfigTest : public testing::Test {
 protected:
  ClusterAccess Load(const std::string& path = "/etc/k/config", const KubeconfigOverrides& overrides = {}) {
    Result<ClusterAccess> access = LoadKubeconfig(path, overrides, files_.surroundings());
    EXPECT_TRUE(access) << access.error().message;
    return access ? *std::move(access) : ClusterAccess();
  }
  ClusterAccess LoadSmall(const std::string& cluster, const std::string& user) {
    files_.Write("/etc/k/config", SmallKubeconfig(cluster, user));
    return Load();
  }

  TestFiles files_;
};

TEST_F(KubeconfigTest, NamesServerTokenAndNamespace) {
  files_.Write(
      "/etc/k/config",
      SmallKubeconfig("{server: 'https://1.2.3.4:6443/p', tls-server-name: k8s, insecure-skip-tls-verify: true}",
                      "{token: abc}", "{cluster: k, user: u, namespace: shop}"));
  const ClusterAccess access = Load();
  EXPECT_EQ(access.origin, "kubeconfig /etc/k/config, context c");
  EXPECT_EQ(access.server.Text(), "https://1.2.3.4:6443/p");
  EXPECT_EQ(access.trust.server_name, "k8s");
  EXPECT_TRUE(access.trust.skip_verification);
  EXPECT_EQ(access.credentials.token, "abc");
  EXPECT_EQ(access.namespace_name, "shop");
  EXPECT_TRUE(access.warnings.empty());
}

TEST_F(KubeconfigTest, IsReadAsJsonAndToleratesUnknownFields) {
  files_.Write("/etc/k/config",
               R"({"kind": "Config", "zip": 1, "preferences": {"colors": true}, "current-context": "c",
                   "clusters": [{"name": "k", "cluster": {"server": "https://h", "zap": [1], "disable-compression": true}}],
                   "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u", "extensions": []}}],
                   "users": [{"name": "u", "user": null}]})");
  const ClusterAccess access = Load();
  EXPECT_EQ(access.server.host, "h");
  EXPECT_EQ(access.namespace_name, "default");
}

TEST_F(KubeconfigTest, HasPemAsDataOrInFilesBesideIt) {
  files_.Write("/etc/ca.pem", FakeCertificate("ca"));
  files_.Write("/etc/k/my.pem", FakeCertificate("me"));
  files_.Write("/abs/key.pem", FakeKey("mine"));
  const ClusterAccess by_file = LoadSmall("{server: 'https://h', certificate-authority: ../ca.pem}",
                                          "{client-certificate: ./my.pem, client-key: /abs/key.pem}");
  EXPECT_EQ(by_file.trust.ca, FakeCertificate("ca"));
  EXPECT_EQ(by_file.credentials.key_pair, (KeyPair{FakeCertificate("me"), FakeKey("mine")}));
  EXPECT_EQ(by_file.credentials.certificate_file, "/etc/k/my.pem");
  EXPECT_EQ(by_file.credentials.ca_file, "/etc/ca.pem");
  EXPECT_EQ(by_file.credentials.key_file, "/abs/key.pem");

  const auto data = [](const std::string& pem) { return config::EncodeBase64(pem); };
  const ClusterAccess by_data =
      LoadSmall(fmt::format("{{server: 'https://h', certificate-authority-data: {}}}", data(FakeCertificate("ca2"))),
                fmt::format("{{client-certificate-data: {}, client-key: /abs/key.pem}}", data(FakeCertificate("me2"))));
  EXPECT_EQ(by_data.trust.ca, FakeCertificate("ca2"));
  EXPECT_EQ(by_data.credentials.key_pair, (KeyPair{FakeCertificate("me2"), FakeKey("mine")}));
  EXPECT_EQ(by_data.credentials.certificate_file, "") << "data does not rotate";
  EXPECT_EQ(by_data.credentials.ca_file, "");
}

TEST_F(KubeconfigTest, ReadsTheTokenFileWhenThereIsNoToken) {
  files_.Write("/etc/k/token", " from-file \n");
  EXPECT_EQ(LoadSmall("{server: 'https://h'}", "{tokenFile: token}").credentials.token, "from-file");
  const ClusterAccess both = LoadSmall("{server: 'https://h'}", "{tokenFile: token, token: written}");
  EXPECT_EQ(both.credentials.token, "written") << "until the file is read again";
  EXPECT_EQ(both.credentials.token_file, "/etc/k/token");
  files_.Remove("/etc/k/token");
  EXPECT_EQ(LoadSmall("{server: 'https://h'}", "{tokenFile: token, token: written}").credentials.token, "written");
}

TEST_F(KubeconfigTest, SendsNoCredentialsInClearText) {
  const ClusterAccess access = LoadSmall(
      "{server: 'http://h'}", "{token: abc, as: jane, exec: {command: x, apiVersion: v9, interactiveMode: Never}}");
  EXPECT_EQ(access.credentials.token, "");
  EXPECT_FALSE(access.credentials.exec);
  EXPECT_EQ(access.impersonation, (Headers{{"impersonate-user", "jane"}}));
  ASSERT_EQ(access.warnings.size(), 1U);
  EXPECT_EQ(access.warnings[0],
            "kubeconfig /etc/k/config, context c: server http://h:80 is not https: no credentials are sent to it");
}

TEST_F(KubeconfigTest, SaysThatTheUserOfAUrlIsSentInClearTextButNotWhoItIs) {
  const ClusterAccess access = LoadSmall("{server: 'http://joe:secret@h'}", "{token: abc}");
  EXPECT_EQ(access.credentials.basic->password, "secret");
  ASSERT_EQ(access.warnings.size(), 1U);
  EXPECT_EQ(access.warnings[0],
            "kubeconfig /etc/k/config, context c: server http://h:80 is not https: no credentials are sent to it but "
            "those of its URL, in clear text");
}

TEST_F(KubeconfigTest, ReadsATokenWithoutTheLineEndAfterIt) {
  EXPECT_EQ(LoadSmall("{server: 'https://h'}", R"({token: " abc\n"})").credentials.token, "abc");
}

TEST_F(KubeconfigTest, KnowsBasicUsers) {
  EXPECT_EQ(LoadSmall("{server: 'https://h'}", "{username: joe, password: pw}").credentials.basic->password, "pw");
  EXPECT_FALSE(LoadSmall("{server: 'https://h'}", "{password: pw}").credentials.basic);
  EXPECT_EQ(LoadSmall("{server: 'https://joe:pw@h'}", "{}").credentials.basic->name, "joe");
  EXPECT_FALSE(LoadSmall("{server: 'https://joe:pw@h'}", "{token: t}").credentials.basic);
}

TEST_F(KubeconfigTest, AsksToBeTakenForSomeoneElse) {
  const ClusterAccess access =
      LoadSmall("{server: 'https://h'}",
                "{as: jane, as-uid: '7', as-groups: [a, b], as-user-extra: {'Scopes/x y': ['1', '2'], '%z': ['3']}}");
  EXPECT_EQ(access.impersonation, (Headers{{"impersonate-user", "jane"},
                                           {"impersonate-uid", "7"},
                                           {"impersonate-group", "a"},
                                           {"impersonate-group", "b"},
                                           {"impersonate-extra-%25z", "3"},
                                           {"impersonate-extra-scopes%2fx%20y", "1"},
                                           {"impersonate-extra-scopes%2fx%20y", "2"}}));
}

TEST_F(KubeconfigTest, PrefersItsProxyToTheEnvironment) {
  files_.Set("HTTPS_PROXY", "http://env:1");
  EXPECT_EQ(LoadSmall("{server: 'https://h', proxy-url: 'http://joe:pw@file:2'}", "{}").proxy->host, "file");
  EXPECT_EQ(LoadSmall("{server: 'https://h'}", "{}").proxy->host, "env");
  files_.Set("NO_PROXY", "h");
  EXPECT_FALSE(LoadSmall("{server: 'https://h'}", "{}").proxy);
}

TEST_F(KubeconfigTest, DescribesExecPlugins) {
  const std::string exec =
      "{exec: {apiVersion: client.authentication.k8s.io/v1, command: COMMAND, args: [a, b], "
      "env: [{name: X, value: z}], installHint: \"get \\e[1mit\", interactiveMode: Always, provideClusterInfo: "
      "true}EXTRA}";
  const auto with = [&](const std::string& command, const std::string& extra = "") {
    std::string user = exec;
    user.replace(user.find("COMMAND"), 7, command);
    user.replace(user.find("EXTRA"), 5, extra);
    return LoadSmall(
        "{server: 'https://h/x', extensions: [{name: client.authentication.k8s.io/exec, extension: {a: 1}}]}", user);
  };
  const ClusterAccess access = with("../bin/plug");
  const ExecPlugin& plugin = access.credentials.exec.value();
  EXPECT_EQ(plugin.command, "/etc/bin/plug");
  EXPECT_EQ(plugin.arguments, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(plugin.variables, (Headers{{"X", "z"}}));
  EXPECT_EQ(plugin.install_hint, "get U+001B[1mit");
  EXPECT_EQ(plugin.interactive_mode, InteractiveMode::Always);
  EXPECT_EQ(plugin.cluster_info, R"({"server":"https://h/x","config":{"a":1}})");
  EXPECT_EQ(plugin.user, "u");
  EXPECT_EQ(with("plug").credentials.exec->command, "plug") << "is found in PATH";
  EXPECT_EQ(with("/plug").credentials.exec->command, "/plug");
  EXPECT_FALSE(with("plug", ", token: t").credentials.exec) << "a written token wins";
  EXPECT_EQ(LoadSmall("{server: 'https://h'}", "{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: x}}")
                .credentials.exec->interactive_mode,
            InteractiveMode::IfAvailable);
}

constexpr const char* kTwoContexts = R"(
current-context: c
clusters: [{name: k, cluster: {server: 'https://one', tls-server-name: sni}}, {name: k2, cluster: {server: 'https://two'}}]
users: [{name: u, user: {token: '1'}}, {name: u2, user: {token: '2'}}]
contexts: [{name: c, context: {cluster: k, user: u}}, {name: d, context: {cluster: k2, user: u2, namespace: n2}}]
)";

TEST_F(KubeconfigTest, IsOverriddenByTheCommandLine) {
  files_.Write("/etc/k/config", kTwoContexts);
  const auto text = [&](const KubeconfigOverrides& overrides) {
    const ClusterAccess access = Load("/etc/k/config", overrides);
    return fmt::format("{} {} {} {}", access.server.Text(), access.trust.server_name, access.credentials.token,
                       access.namespace_name);
  };
  EXPECT_EQ(text({}), "https://one:443 sni 1 default");
  EXPECT_EQ(text({.context = "d"}), "https://two:443  2 n2");
  EXPECT_EQ(text({.cluster = "k2"}), "https://two:443  1 default");
  EXPECT_EQ(text({.user = "u2"}), "https://one:443 sni 2 default");
  EXPECT_EQ(text({.server = "https://three:1/p"}), "https://three:1/p  1 default");
  EXPECT_EQ(text({.context = "d", .namespace_name = "other"}), "https://two:443  2 other");
}

TEST_F(KubeconfigTest, IsMergedFromSeveralFilesOfWhichTheFirstWins) {
  files_.Write("/x/a", SmallKubeconfig("{server: 'https://first'}", "{tokenFile: t}"));
  files_.Write("/x/t", "from-x");
  files_.Write("/y/b", R"(
current-context: other
clusters: [{name: k, cluster: {server: 'https://second', tls-server-name: x}}]
users: [{name: u, user: {as: q}}, {name: v, user: {tokenFile: t}}]
contexts: [{name: other, context: {cluster: k, user: v}}]
)");
  files_.Write("/y/t", "from-y");
  files_.Set("KUBECONFIG", "/x/a:/missing::/x/a:/y/b");
  const ClusterAccess access = Load("");
  EXPECT_EQ(access.origin, "kubeconfig /x/a:/y/b, context c");
  EXPECT_EQ(access.server.host, "first");
  EXPECT_EQ(access.trust.server_name, "") << "entries are taken whole";
  EXPECT_EQ(access.credentials.token, "from-x");
  EXPECT_TRUE(access.impersonation.empty());
  EXPECT_EQ(Load("", {.user = "v"}).credentials.token, "from-y") << "paths are relative to their own file";
  files_.Set("KUBECONFIG", "/y/b:/x/a");
  EXPECT_EQ(Load("").server.host, "second");
  EXPECT_EQ(Load("").credentials.token, "from-y");
}

TEST_F(KubeconfigTest, IsFoundAtHomeUnlessTheEnvironmentOrACallerNamesAnother) {
  files_.Write("/home/joe/.kube/config", SmallKubeconfig("{server: 'https://home'}", "{}"));
  files_.Write("/project/here", SmallKubeconfig("{server: 'https://here'}", "{tokenFile: t}"));
  files_.Write("/project/t", "rel");
  EXPECT_EQ(Load("").server.host, "home");
  files_.Set("KUBECONFIG", "here");
  EXPECT_EQ(Load("").server.host, "here");
  EXPECT_EQ(Load("").credentials.token, "rel");
  EXPECT_EQ(Load("/home/joe/.kube/config").server.host, "home");
}

TEST_F(KubeconfigTest, WarnsOfAUserThatIsNotThere) {
  files_.Write("/etc/k/config", SmallKubeconfig("{server: 'https://h'}", "{}", "{cluster: k, user: nobody}"));
  const ClusterAccess access = Load();
  ASSERT_EQ(access.warnings.size(), 1U);
  EXPECT_EQ(access.warnings[0],
            "kubeconfig /etc/k/config, context c: user \"nobody\" is not among the users (u): requests are anonymous");
}

}  // namespace
}  // namespace berth::kube
