// SPDX-License-Identifier: Apache-2.0
// Pods of one template fail alike while nothing changes: they are told so without being judged again.
#include "engine/live_cluster.h"
#include "engine/test_plugins.h"
#include "plugins/registry.h"

#include <gtest/gtest.h>

namespace berth::test {
namespace {

// Rejects everything, counts how often it is asked, and is not helped by any event.
struct No : framework::PreFilterPlugin, framework::EnqueueExtensions {
  virtual ~No() = default;
  framework::PreFilterResult PreFilter(framework::CycleState&, const framework::PodInfo&,
                                       framework::IndexedCluster&) override {
    ++asked;
    return {framework::Status::Unschedulable("no"), std::nullopt};
  }
  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override { return {}; }
  mutable int asked = 0;
};
struct NoByTemplate final : No, framework::VerdictsByTemplate {
  bool FollowFromTemplate(const framework::PodInfo& pod) const override { return !pod->meta.labels.Has("special"); }
};

template <typename Plugin>
class Repeated : public testing::Test {
 protected:
  Repeated() {
    framework::Registry registry = plugins::InTreeRegistry();
    std::vector<config::ProfilePlan> plans = DefaultPlansWith(registry, {EntryOf("No", no_)});
    cluster_ = std::make_unique<LiveCluster>(std::move(registry), std::move(plans));
    cluster_->AddNode("a", "4");
    cluster_->AddNode("b", "4");
    cluster_->Settle();
  }
  // How often the plugin is asked about so many pods of one kind.
  int AskedAbout(const std::string& prefix, int pods, const PodWish& wish) {
    no_->asked = 0;
    for (int i = 0; i < pods; ++i) cluster_->AddPod(prefix + std::to_string(i), wish);
    cluster_->Settle();
    for (int i = 0; i < pods; ++i) {
      const auto records = cluster_->engine().log().OfPod("default/" + prefix + std::to_string(i));
      EXPECT_EQ(records.size(), 1U);
      EXPECT_EQ(records.back().rejectors, std::vector<std::string>{"No"});
      EXPECT_EQ(records.back().rejections.size(), 1U);
      EXPECT_NE(cluster_->DocumentOf(prefix + std::to_string(i)).find("0/2 nodes are available: no."),
                std::string::npos);
    }
    return no_->asked;
  }

  std::shared_ptr<Plugin> no_ = std::make_shared<Plugin>();
  std::unique_ptr<LiveCluster> cluster_;
};

using ByTemplate = Repeated<NoByTemplate>;

TEST_F(ByTemplate, OneOfATemplateIsAsked) {
  EXPECT_EQ(AskedAbout("p", 20, {.cpu = "1"}), 1);
  EXPECT_EQ(AskedAbout("q", 20, {.cpu = "2"}), 1) << "another template";
  EXPECT_EQ(AskedAbout("r", 20, {.cpu = "1", .more_meta = R"("labels":{"app":"r"})"}), 1) << "other labels";
}

TEST_F(ByTemplate, AChangeIsAReasonToAskAgain) {
  EXPECT_EQ(AskedAbout("p", 5, {.cpu = "1"}), 1);
  EXPECT_EQ(AskedAbout("q", 5, {.cpu = "1"}), 0) << "nothing has changed since";
  cluster_->AddPod("running", {.cpu = "1", .node = "a"});
  cluster_->Settle();
  EXPECT_EQ(AskedAbout("r", 5, {.cpu = "1"}), 1);
}

TEST_F(ByTemplate, PodsOfWhichMoreMattersAreAsked) {
  EXPECT_EQ(AskedAbout("p", 5, {.cpu = "1", .more_meta = R"("labels":{"special":"yes"})"}), 5);
}

using NotByTemplate = Repeated<No>;

TEST_F(NotByTemplate, WhoDoesNotSaySoIsAskedAboutEveryPod) { EXPECT_EQ(AskedAbout("p", 20, {.cpu = "1"}), 20); }

}  // namespace
}  // namespace berth::test
