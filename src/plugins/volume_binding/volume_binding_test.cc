// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/volume_binding.h"

#include "support/volume_world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::plugins {
namespace {

using framework::Code;
using framework::PodInfoPtr;
using Names = std::vector<std::string>;

std::string Node(std::string_view name) {
  return fmt::format(
      "---\nkind: Node\napiVersion: v1\nmetadata: {{name: {0}, labels: {{kubernetes.io/hostname: {0}}}}}\n", name);
}

std::string Class(std::string_view name, std::string_view provisioner) {
  return fmt::format(
      "---\nkind: StorageClass\napiVersion: storage.k8s.io/v1\nmetadata: {{name: {}}}\nprovisioner: {}\n"
      "volumeBindingMode: WaitForFirstConsumer\n",
      name, provisioner);
}

std::string Claim(std::string_view name, std::string_view storage_class, std::string_view size,
                  std::string_view extra_meta = "") {
  return fmt::format(
      "---\nkind: PersistentVolumeClaim\napiVersion: v1\nmetadata: {{name: {}, uid: {}{}}}\n"
      "spec: {{storageClassName: {}, accessModes: [ReadWriteOnce], resources: {{requests: {{storage: {}}}}}}}\n",
      name, name, extra_meta, storage_class, size);
}

std::string LocalVolume(std::string_view name, std::string_view node, std::string_view size,
                        std::string_view version = "1") {
  return fmt::format(
      "---\nkind: PersistentVolume\napiVersion: v1\nmetadata: {{name: {}, resourceVersion: \"{}\"}}\n"
      "spec: {{storageClassName: local, accessModes: [ReadWriteOnce], capacity: {{storage: {}}}, local: {{path: /x}}, "
      "nodeAffinity: {{required: {{nodeSelectorTerms: [{{matchExpressions: [{{key: kubernetes.io/hostname, operator: "
      "In, "
      "values: [{}]}}]}}]}}}}}}\nstatus: {{phase: Available}}\n",
      name, version, size, node);
}

class VolumeBindingTest : public testing::Test {
 protected:
  VolumeBindingTest() {
    world_.Load(Node("a") + Node("b") + Class("local", "kubernetes.io/no-provisioner") +
                Class("csi", "csi.example.com"));
  }
  Names Feasible(const PodInfoPtr& pod) { return world_.FeasibleFor(*pod, cycle_); }

  test::VolumeWorld world_;
  runtime::Cycle cycle_;
};

TEST_F(VolumeBindingTest, ReservedVolumesAreTakenUntilTheyAreGivenBack) {
  world_.Load(LocalVolume("pv", "a", "1Gi") + Claim("one", "local", "1Gi") + Claim("two", "local", "1Gi"));
  const PodInfoPtr first = world_.PodWithClaims("first", {"one"});
  const PodInfoPtr second = world_.PodWithClaims("second", {"two"});
  EXPECT_EQ(Feasible(first), Names{"a"});
  runtime::Cycle reserved = std::move(cycle_);
  cycle_ = {};
  ASSERT_TRUE(world_.profile().RunReserve(reserved.state, *first, "a").ok());

  EXPECT_EQ(Feasible(second), Names{});
  EXPECT_EQ(Feasible(first), Names{"a"});  // set aside for it
  world_.profile().RunUnreserve(reserved.state, *first, "a");
  world_.profile().RunUnreserve(reserved.state, *first, "a");
  EXPECT_EQ(Feasible(second), Names{"a"});

  ASSERT_TRUE(world_.profile().RunReserve(reserved.state, *first, "a").ok());
  EXPECT_EQ(Feasible(second), Names{});
  world_.Load(LocalVolume("pv", "a", "1Gi", "2"));  // what the cluster says is newer than what was assumed
  EXPECT_EQ(Feasible(second), Names{"a"});
}

TEST_F(VolumeBindingTest, ReservedClaimsStayWithTheirNode) {
  world_.Load(Claim("one", "csi", "1Gi"));
  const PodInfoPtr pod = world_.PodWithClaims("pod", {"one"});
  EXPECT_EQ(Feasible(pod), (Names{"a", "b"}));
  runtime::Cycle reserved = std::move(cycle_);
  cycle_ = {};
  ASSERT_TRUE(world_.profile().RunReserve(reserved.state, *pod, "b").ok());
  EXPECT_EQ(Feasible(pod), Names{"b"});
  world_.profile().RunUnreserve(reserved.state, *pod, "b");
  EXPECT_EQ(Feasible(pod), (Names{"a", "b"}));
}

TEST_F(VolumeBindingTest, PreBindSaysWhatItLacks) {
  world_.Load(
      Claim("open", "csi", "1Gi") +
      "---\nkind: PersistentVolumeClaim\napiVersion: v1\n"
      "metadata: {name: bound, annotations: {pv.kubernetes.io/bind-completed: \"yes\"}}\nspec: {volumeName: pv}\n"
      "---\nkind: PersistentVolume\napiVersion: v1\nmetadata: {name: pv}\n"
      "spec: {csi: {driver: csi.example.com, volumeHandle: h}}\n");

  framework::PreBindPlugin& pre_bind = *world_.profile().FindPlugin(kVolumeBinding)->pre_bind;
  const auto reserve = [&](const PodInfoPtr& pod) {
    EXPECT_EQ(Feasible(pod), (Names{"a", "b"}));
    EXPECT_TRUE(world_.profile().RunReserve(cycle_.state, *pod, "a").ok());
  };
  const PodInfoPtr ready = world_.PodWithClaims("ready", {"bound"});
  reserve(ready);
  EXPECT_TRUE(pre_bind.PreBindPreFlight(cycle_.state, *ready, "a").status.is_skip());

  const PodInfoPtr waiting = world_.PodWithClaims("waiting", {"bound", "open"});
  reserve(waiting);
  EXPECT_TRUE(pre_bind.PreBindPreFlight(cycle_.state, *waiting, "a").status.ok());
  const framework::Status status = pre_bind.PreBind(cycle_.state, *waiting, "a", {});
  EXPECT_EQ(status.code(), Code::Error);
  EXPECT_EQ(
      status.Message(),
      "binding volumes needs a cluster connection: persistentvolumeclaim \"default/open\" is not bound, and only a "
      "Kubernetes cluster can bind it for node \"a\"");
}

TEST_F(VolumeBindingTest, TwoClaimsNeedTwoVolumes) {
  world_.Load(LocalVolume("a1", "a", "5Gi") + LocalVolume("b1", "b", "2Gi") + LocalVolume("b2", "b", "9Gi") +
              Claim("large", "local", "4Gi") + Claim("small", "local", "1Gi") + Claim("tiny", "local", "1Mi"));
  EXPECT_EQ(Feasible(world_.PodWithClaims("p", {"large"})), (Names{"a", "b"}));
  EXPECT_EQ(Feasible(world_.PodWithClaims("p", {"large", "small"})), Names{"b"});
  EXPECT_EQ(Feasible(world_.PodWithClaims("p", {"large", "small", "tiny"})), Names{});
  // Volumes go to claims by size: the small claim leaves the large volume alone.
  const PodInfoPtr pod = world_.PodWithClaims("p", {"large", "small"});
  EXPECT_EQ(Feasible(pod), Names{"b"});
  ASSERT_TRUE(world_.profile().RunReserve(cycle_.state, *pod, "b").ok());
  runtime::Cycle next;
  EXPECT_EQ(world_.FeasibleFor(*world_.PodWithClaims("q", {"tiny"}), next), Names{"a"});
}

}  // namespace
}  // namespace berth::plugins
