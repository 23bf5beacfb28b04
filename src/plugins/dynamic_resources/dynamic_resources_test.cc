// SPDX-License-Identifier: Apache-2.0
#include "plugins/dynamic_resources/dynamic_resources.h"

#include "cluster/cluster_state.h"
#include "runtime/profile.h"

#include <memory>

#include <gtest/gtest.h>

namespace berth::plugins {
namespace {

using framework::Code;
using framework::ExtensionPoint;

class DynamicResourcesTest : public testing::Test {
 protected:
  DynamicResourcesTest() : cluster_(names_) {
    config::ProfilePlan plan;
    for (const ExtensionPoint point :
         {ExtensionPoint::PreEnqueue, ExtensionPoint::PreFilter, ExtensionPoint::PostFilter}) {
      plan.at(point) = {{std::string(kDynamicResources), 0}};
    }
    runtime::Services services;
    services.cluster = &cluster_;
    profile_ = *runtime::Profile::Build(std::move(plan), framework::Registry({DynamicResourcesEntry()}), services);
  }

  framework::PodInfoPtr Pod(std::vector<std::string> claims) {
    auto spec = std::make_shared<api::PodSpec>();
    spec->resource_claims = std::move(claims);
    auto pod = std::make_shared<api::Pod>();
    pod->spec = spec;
    pod->status = std::make_shared<api::PodStatus>();
    return framework::MakePodInfo(pod, names_);
  }

  framework::ResourceNames names_;
  cluster::ClusterState cluster_;
  std::unique_ptr<runtime::Profile> profile_;
  runtime::Cycle cycle_;
};

TEST_F(DynamicResourcesTest, RefusesClaimsInTheOpen) {
  const framework::PodInfoPtr pod = Pod({"gpu"});
  EXPECT_TRUE(profile_->RunPreEnqueue(*pod->pod).ok());
  const framework::Status status = profile_->filtering().RunPreFilter(cycle_, *pod);
  EXPECT_EQ(status.code(), Code::UnschedulableAndUnresolvable);
  EXPECT_EQ(status.Message(), "pod has resource claims, which this scheduler does not allocate yet");
}

TEST_F(DynamicResourcesTest, PostFilterTellsWhetherPreFilterRan) {
  const framework::PodInfoPtr pod = Pod({});
  framework::Status status = profile_->filtering().RunPostFilter(cycle_, *pod).status;
  EXPECT_EQ(status.code(), Code::Error);
  EXPECT_EQ(status.Message(), "not found");

  EXPECT_TRUE(profile_->filtering().RunPreFilter(cycle_, *pod).ok());
  status = profile_->filtering().RunPostFilter(cycle_, *pod).status;
  EXPECT_EQ(status.code(), Code::Unschedulable);
  EXPECT_EQ(status.Message(), "no new claims to deallocate");
}

}  // namespace
}  // namespace berth::plugins
