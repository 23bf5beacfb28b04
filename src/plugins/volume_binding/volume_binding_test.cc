// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/volume_binding.h"

#include "plugins/volume_binding/test_objects.h"
#include "support/volume_test_bed.h"

#include <gtest/gtest.h>

namespace berth::plugins {
namespace {

using namespace test_objects;
using framework::PodInfoPtr;
using Names = std::vector<std::string>;

class VolumeBindingTest : public testing::Test {
 protected:
  VolumeBindingTest() {
    bed_.Load(Node("a") + Node("b") + Class("local", "kubernetes.io/no-provisioner") + Class("csi", "csi.example.com"));
  }
  Names Feasible(const PodInfoPtr& pod) { return bed_.FeasibleFor(*pod, cycle_); }

  test::VolumeTestBed bed_;
  runtime::Cycle cycle_;
};

TEST_F(VolumeBindingTest, ReservedVolumesAreTakenUntilTheyAreGivenBack) {
  bed_.Load(LocalVolume("pv", "a", "1Gi") + Claim("one", "local", "1Gi") + Claim("two", "local", "1Gi"));
  const PodInfoPtr first = bed_.PodWithClaims("first", {"one"});
  const PodInfoPtr second = bed_.PodWithClaims("second", {"two"});
  EXPECT_EQ(Feasible(first), Names{"a"});
  runtime::Cycle reserved = std::move(cycle_);
  cycle_ = {};
  ASSERT_TRUE(bed_.profile().binding().RunReserve(reserved.state, *first, "a").ok());

  EXPECT_EQ(Feasible(second), Names{});
  EXPECT_EQ(Feasible(first), Names{"a"});  // set aside for it
  bed_.profile().binding().RunUnreserve(reserved.state, *first, "a");
  bed_.profile().binding().RunUnreserve(reserved.state, *first, "a");
  EXPECT_EQ(Feasible(second), Names{"a"});

  ASSERT_TRUE(bed_.profile().binding().RunReserve(reserved.state, *first, "a").ok());
  EXPECT_EQ(Feasible(second), Names{});
  bed_.Load(LocalVolume("pv", "a", "1Gi", "2"));  // what the cluster says is newer than what was assumed
  EXPECT_EQ(Feasible(second), Names{"a"});
}

TEST_F(VolumeBindingTest, ReservedClaimsStayWithTheirNode) {
  bed_.Load(Claim("one", "csi", "1Gi"));
  const PodInfoPtr pod = bed_.PodWithClaims("pod", {"one"});
  EXPECT_EQ(Feasible(pod), (Names{"a", "b"}));
  runtime::Cycle reserved = std::move(cycle_);
  cycle_ = {};
  ASSERT_TRUE(bed_.profile().binding().RunReserve(reserved.state, *pod, "b").ok());
  EXPECT_EQ(Feasible(pod), Names{"b"});
  bed_.profile().binding().RunUnreserve(reserved.state, *pod, "b");
  EXPECT_EQ(Feasible(pod), (Names{"a", "b"}));
}

TEST_F(VolumeBindingTest, TwoClaimsNeedTwoVolumes) {
  bed_.Load(LocalVolume("a1", "a", "5Gi") + LocalVolume("b1", "b", "2Gi") + LocalVolume("b2", "b", "9Gi") +
            Claim("large", "local", "4Gi") + Claim("small", "local", "1Gi") + Claim("tiny", "local", "1Mi"));
  EXPECT_EQ(Feasible(bed_.PodWithClaims("p", {"large"})), (Names{"a", "b"}));
  EXPECT_EQ(Feasible(bed_.PodWithClaims("p", {"large", "small"})), Names{"b"});
  EXPECT_EQ(Feasible(bed_.PodWithClaims("p", {"large", "small", "tiny"})), Names{});
  // Volumes go to claims by size: the small claim leaves the large volume alone.
  const PodInfoPtr pod = bed_.PodWithClaims("p", {"large", "small"});
  EXPECT_EQ(Feasible(pod), Names{"b"});
  ASSERT_TRUE(bed_.profile().binding().RunReserve(cycle_.state, *pod, "b").ok());
  runtime::Cycle next;
  EXPECT_EQ(bed_.FeasibleFor(*bed_.PodWithClaims("q", {"tiny"}), next), Names{"a"});
}

}  // namespace
}  // namespace berth::plugins
