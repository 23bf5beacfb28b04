// SPDX-License-Identifier: Apache-2.0
#include "cluster/missing_nodes.h"

#include <gtest/gtest.h>

namespace berth::cluster {
namespace {

using Uids = std::vector<std::string>;

TEST(MissingNodes, HandsOverThePodsOfANodeInOrder) {
  MissingNodes missing;
  for (const char* uid : {"p1", "p2", "p3"}) missing.Add("a", uid);
  missing.Add("b", "q");
  EXPECT_EQ(missing.NodeOf("p2"), "a");
  EXPECT_EQ(missing.NodeOf("q"), "b");
  EXPECT_EQ(missing.Take("a"), (Uids{"p1", "p2", "p3"}));
  EXPECT_EQ(missing.NodeOf("p2"), "");
  EXPECT_EQ(missing.Take("a"), Uids());
  EXPECT_EQ(missing.Take("b"), Uids{"q"});
}

TEST(MissingNodes, TheLastPodTakesThePlaceOfOneThatGoes) {
  MissingNodes missing;
  for (const char* uid : {"p1", "p2", "p3", "p4"}) missing.Add("a", uid);
  missing.Remove("p1");
  missing.Remove("p4");  // which has moved
  missing.Remove("nobody");
  EXPECT_EQ(missing.Take("a"), (Uids{"p3", "p2"}));
}

TEST(MissingNodes, ANodeWithoutPodsIsForgotten) {
  MissingNodes missing;
  missing.Add("a", "p");
  missing.Remove("p");
  EXPECT_EQ(missing.NodeOf("p"), "");
  missing.Add("b", "q");
  EXPECT_EQ(missing.Take("a"), Uids());
  EXPECT_EQ(missing.NodeOf("q"), "b");
}

TEST(MissingNodes, CopiesStandAlone) {
  MissingNodes missing;
  missing.Add("a", "p");
  MissingNodes copy = missing;
  missing.Remove("p");
  EXPECT_EQ(copy.NodeOf("p"), "a");
  EXPECT_EQ(copy.Take("a"), Uids{"p"});
}

}  // namespace
}  // namespace berth::cluster
