// SPDX-License-Identifier: Apache-2.0
#include "kube/access/find_cluster.h"

#include "kube/access/test_files.h"

#include <gtest/gtest.h>

namespace berth::kube {
namespace {

const ServiceAccountFiles kAccount{"/sa/token", "/sa/ca.crt", "/sa/namespace"};

class FindClusterTest : public testing::Test {
 protected:
  void EnterCluster() {
    files_.Set("KUBERNETES_SERVICE_HOST", "10.96.0.1");
    files_.Set("KUBERNETES_SERVICE_PORT", "443");
    files_.Write("/sa/token", "account-token\n");
    files_.Write("/sa/ca.crt", FakeCertificate("ca"));
    files_.Write("/sa/namespace", "kube-system\n");
  }
  Result<ClusterAccess> ForScheduler(const std::string& kubeconfig = "", const std::string& master = "") {
    return FindClusterForScheduler(kubeconfig, master, kAccount, files_.surroundings());
  }
  Result<ClusterAccess> ForUser(const KubeconfigOverrides& overrides = {}) {
    return FindClusterForUser("", overrides, kAccount, files_.surroundings());
  }

  TestFiles files_;
};

TEST_F(FindClusterTest, InsideAClusterTheServiceAccountIsUsed) {
  EnterCluster();
  const Result<ClusterAccess> access = ForScheduler();
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->origin, "in-cluster configuration");
  EXPECT_EQ(access->server.Text(), "https://10.96.0.1:443");
  EXPECT_EQ(access->trust.ca, FakeCertificate("ca"));
  EXPECT_EQ(access->credentials.token, "account-token");
  EXPECT_EQ(access->credentials.token_file, "/sa/token");
  EXPECT_EQ(access->namespace_name, "kube-system");
  EXPECT_TRUE(access->warnings.empty());
}

TEST_F(FindClusterTest, InsideAClusterTheEnvironmentCounts) {
  EnterCluster();
  files_.Set("KUBERNETES_SERVICE_HOST", "fd00::1");
  files_.Set("POD_NAMESPACE", "mine");
  files_.Set("HTTPS_PROXY", "http://p:1");
  const Result<ClusterAccess> access = ForScheduler();
  EXPECT_EQ(access->server.Text(), "https://[fd00::1]:443");
  EXPECT_EQ(access->namespace_name, "mine");
  EXPECT_EQ(access->proxy->host, "p");
}

TEST_F(FindClusterTest, InsideAClusterTheNamespaceNeedNotBeKnown) {
  EnterCluster();
  files_.Remove("/sa/namespace");
  EXPECT_EQ(ForScheduler()->namespace_name, "default");
}

TEST_F(FindClusterTest, InsideAClusterTheSystemsAuthoritiesAreNotTrusted) {
  EnterCluster();
  files_.Remove("/sa/ca.crt");
  const std::string unreadable =
      "unable to load in-cluster configuration, root certificates /sa/ca.crt cannot be read: no such file or directory";
  ASSERT_FALSE(ForScheduler());
  EXPECT_EQ(ForScheduler().error().message, unreadable);
  ASSERT_FALSE(ForUser());
  EXPECT_EQ(ForUser().error().message, unreadable);
  files_.Write("/sa/ca.crt", "");
  EXPECT_EQ(ForScheduler().error().message,
            "unable to load in-cluster configuration, root certificates /sa/ca.crt have no certificate in PEM");
}

TEST_F(FindClusterTest, OutsideAClusterTheSchedulerSaysWhatToDo) {
  EXPECT_EQ(
      ForScheduler().error().message,
      "neither --kubeconfig nor --master was specified, and this process does not run in a cluster: unable to load "
      "in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined; give "
      "--kubeconfig");
  EnterCluster();
  files_.Remove("/sa/token");
  EXPECT_EQ(
      ForScheduler().error().message,
      "neither --kubeconfig nor --master was specified, and this process does not run in a cluster: unable to load "
      "in-cluster configuration, token file /sa/token cannot be read: no such file or directory; does the pod have a "
      "service account?; give --kubeconfig");
}

TEST_F(FindClusterTest, TheSchedulerLooksOnlyWhereItIsTold) {
  files_.Write("/home/joe/.kube/config", SmallKubeconfig("{server: 'https://home'}", "{}"));
  files_.Set("KUBECONFIG", "/home/joe/.kube/config");
  EXPECT_FALSE(ForScheduler());
  EXPECT_EQ(ForScheduler("/home/joe/.kube/config")->server.host, "home");
  EXPECT_EQ(ForScheduler("/home/joe/.kube/config", "https://9.9.9.9")->server.host, "9.9.9.9");
  EXPECT_EQ(ForScheduler("", "http://1.2.3.4:8080")->server.Text(), "http://1.2.3.4:8080");
  EnterCluster();
  EXPECT_EQ(ForScheduler("/home/joe/.kube/config")->server.host, "home");
}

TEST_F(FindClusterTest, AUserInsideAClusterNeedsNoKubeconfig) {
  EXPECT_EQ(ForUser().error().message,
            "invalid configuration: no configuration has been provided: /home/joe/.kube/config does not exist; set "
            "--kubeconfig or KUBECONFIG");
  EnterCluster();
  EXPECT_EQ(ForUser()->server.host, "10.96.0.1");
  EXPECT_EQ(ForUser({.namespace_name = "shop"})->namespace_name, "shop");
  EXPECT_FALSE(ForUser({.context = "z"})) << "a context that was asked for must exist";
  files_.Write("/home/joe/.kube/config", SmallKubeconfig("{server: 'https://home'}", "{}"));
  EXPECT_EQ(ForUser()->server.host, "home");
}

}  // namespace
}  // namespace berth::kube
