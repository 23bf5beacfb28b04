// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/volume_binding.h"

#include "plugins/volume_binding/test_objects.h"
#include "support/volume_world.h"

#include <gtest/gtest.h>

namespace berth::plugins {
namespace {

using namespace test_objects;
using framework::PodInfoPtr;
using Names = std::vector<std::string>;

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
