// SPDX-License-Identifier: Apache-2.0
#include "cluster/image_index.h"

#include "cluster/cluster_state.h"
#include "support/builders.h"
#include "support/dice.h"
#include "support/rounds.h"

#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::cluster {
namespace {

using framework::ImageState;
using test::MakeNode;
using test::MakePod;

const std::string kImage = "registry.test/app:v1";

api::NodePtr Holder(std::string_view name) { return MakeNode(name).Image(kImage, 100); }

size_t SeenFrom(const ClusterState& state, std::string_view node, const std::string& image = kImage) {
  return state.image(image)->HoldersSeenFrom(state.row_cycle()[state.FindNode(node)]);
}

TEST(ImageIndex, ANodeCountsHoldersAsOfItsLastChange) {
  framework::ResourceNames names;
  ClusterState state(names);
  state.SetNode(Holder("a"));
  state.BeginCycle();
  state.SetNode(Holder("b"));
  EXPECT_EQ(state.image(kImage)->node_count, 2U);
  EXPECT_EQ(SeenFrom(state, "a"), 1U);
  EXPECT_EQ(SeenFrom(state, "b"), 2U);

  state.BeginCycle();
  state.PlacePod(MakePod("p").Info(names), "a");
  EXPECT_EQ(SeenFrom(state, "a"), 2U) << "a pod that comes is a change of the node, too";
  state.SetNode(Holder("c"));
  EXPECT_EQ(SeenFrom(state, "a"), 3U) << "no cycle began in between";
  EXPECT_EQ(SeenFrom(state, "b"), 2U);

  state.BeginCycle();
  state.RemoveNode("c");
  EXPECT_EQ(SeenFrom(state, "a"), 3U);
  EXPECT_EQ(SeenFrom(state, "b"), 2U);
}

TEST(ImageIndex, AnImageThatWasGoneStartsAnew) {
  framework::ResourceNames names;
  ClusterState state(names);
  state.SetNode(Holder("a"));
  state.BeginCycle();
  state.SetNode(MakeNode("a"));
  EXPECT_EQ(state.image(kImage), nullptr);
  state.BeginCycle();
  state.SetNode(MakeNode("a").Image(kImage, 7));
  EXPECT_EQ(state.image(kImage)->size_bytes, 7);
  EXPECT_EQ(state.image(kImage)->history.size(), 1U);
}

TEST(ImageIndex, NodesSetAnewAsTheyWereLeaveNoHistory) {
  framework::ResourceNames names;
  ClusterState state(names);
  for (const char* name : {"a", "b", "c"}) state.SetNode(Holder(name));
  for (int i = 0; i < 100; ++i) {
    state.BeginCycle();
    state.SetNode(Holder(i % 2 == 0 ? "a" : "b"));
  }
  EXPECT_EQ(state.image(kImage)->history.size(), 1U);
}

TEST(ImageIndex, ForgetsWhatNobodySees) {
  framework::ResourceNames names;
  ClusterState state(names);
  for (const char* name : {"a", "b"}) state.SetNode(Holder(name));
  for (int i = 0; i < 1000; ++i) {
    state.BeginCycle();
    state.SetNode(i % 2 == 0 ? Holder("guest") : api::NodePtr(MakeNode("guest")));
    state.SetNode(Holder("a"));
    state.SetNode(Holder("b"));
    ASSERT_LE(state.image(kImage)->history.size(), 16U);
  }
}

// Does as upstream does: every node keeps its own numbers, copied when a cycle finds the node changed.
class Snapshots {
 public:
  void SetNode(const std::string& name, std::set<std::string> images) {
    images_[name] = std::move(images);
    changed_.insert(name);
  }
  void RemoveNode(const std::string& name) {
    images_.erase(name);
    changed_.erase(name);
  }
  void Touch(const std::string& name) { changed_.insert(name); }
  void BeginCycle() {
    for (const std::string& name : changed_) {
      seen_[name].clear();
      for (const std::string& image : images_[name]) {
        for (const auto& [other, held] : images_) seen_[name][image] += held.contains(image) ? 1U : 0U;
      }
    }
    changed_.clear();
  }
  const std::map<std::string, std::set<std::string>>& images() const { return images_; }
  size_t Seen(const std::string& node, const std::string& image) { return seen_[node][image]; }

 private:
  std::map<std::string, std::set<std::string>> images_;  // by node
  std::map<std::string, std::map<std::string, size_t>> seen_;
  std::set<std::string> changed_;
};

TEST(ImageIndex, AgreesWithSnapshotsThatAreCopiedRowByRow) {
  for (uint64_t seed = 0; seed < test::Rounds(40); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    test::Dice dice(seed);
    framework::ResourceNames names;
    ClusterState state(names);
    Snapshots snapshots;
    for (size_t step = 0; step < 400; ++step) {
      const std::string node = fmt::format("node-{}", dice.Below(6));
      const size_t action = dice.Below(10);
      if (action < 4) {
        std::set<std::string> images;
        test::NodeBuilder built(node);
        for (const char* image : {"x", "y", "z"}) {
          if (!dice.Chance(0.5)) continue;
          images.insert(image);
          built.Image(image, 100);
        }
        state.SetNode(built);
        snapshots.SetNode(node, images);
      } else if (action == 4) {
        state.RemoveNode(node);
        snapshots.RemoveNode(node);
      } else if (action < 7 && state.FindNode(node) != framework::kNoNode) {
        state.PlacePod(MakePod(fmt::format("pod-{}", step)).Info(names), node);
        snapshots.Touch(node);
      } else {
        state.BeginCycle();
        snapshots.BeginCycle();
        for (const auto& [name, images] : snapshots.images()) {
          for (const std::string& image : images) {
            ASSERT_EQ(SeenFrom(state, name, image), snapshots.Seen(name, image)) << image << " from " << name;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace berth::cluster
