// SPDX-License-Identifier: Apache-2.0
#include "queue/nominated_pods.h"

#include "support/builders.h"

#include <gtest/gtest.h>

namespace berth::queue {
namespace {

using test::MakePod;

class NominatedPodsTest : public testing::Test {
 protected:
  std::vector<std::string> On(std::string_view node) const {
    std::vector<std::string> names;
    for (const framework::PodInfoPtr& pod : nominated_.PodsFor(node)) names.push_back(pod->pod->meta.name);
    return names;
  }
  using Names = std::vector<std::string>;
  framework::ResourceNames names_;
  NominatedPods nominated_;
};

TEST_F(NominatedPodsTest, KeepsTheOrderOfPromises) {
  for (const char* name : {"z", "a", "m"}) nominated_.Add(MakePod(name).Info(names_), "n1");
  nominated_.Add(MakePod("other").Info(names_), "n0");
  EXPECT_EQ(On("n1"), (Names{"z", "a", "m"}));
  EXPECT_EQ(nominated_.NodesWithNominations(), (Names{"n0", "n1"}));
  EXPECT_TRUE(On("n2").empty());
}

TEST_F(NominatedPodsTest, APodHasOnePromise) {
  nominated_.Add(MakePod("p").Info(names_), "n0");
  nominated_.Add(MakePod("q").Info(names_), "n0");
  nominated_.Add(MakePod("p").Priority(5).Info(names_), "n1");
  EXPECT_EQ(On("n0"), (Names{"q"}));
  EXPECT_EQ(On("n1"), (Names{"p"}));
  EXPECT_EQ(nominated_.PodsFor("n1").front()->pod->priority(), 5) << "the newer object counts";
  EXPECT_EQ(nominated_.NodeOf("default/p"), "n1");
  EXPECT_EQ(nominated_.NodeOf("nobody"), "");
}

TEST_F(NominatedPodsTest, RemovedPromisesLeaveNothing) {
  nominated_.Add(MakePod("p").Info(names_), "n0");
  nominated_.Remove("default/p");
  nominated_.Remove("default/p");
  nominated_.Remove("nobody");
  EXPECT_TRUE(nominated_.NodesWithNominations().empty());
  EXPECT_TRUE(On("n0").empty());
}

TEST_F(NominatedPodsTest, PodsAreToldApartByUid) {
  nominated_.Add(MakePod("p").Uid("first").Info(names_), "n0");
  nominated_.Add(MakePod("p").Uid("second").Info(names_), "n0");
  nominated_.Remove("first");
  EXPECT_EQ(On("n0"), (Names{"p"}));
}

}  // namespace
}  // namespace berth::queue
