// SPDX-License-Identifier: Apache-2.0
// A zone is lost: many nodes go at once, and their pods after them. What one of them costs must not depend on how many
// go. Work is counted, not timed: comparisons of texts, which is what looking for a name among others takes, and
// allocations, which is what copying takes.
#include "cluster/cluster_state.h"
#include "framework/pod_classes.h"
#include "support/builders.h"

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

size_t g_work = 0;

void* Allocate(size_t size) {
  ++g_work;
  void* block = std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) std::abort();
  return block;
}

}  // namespace

void* operator new(size_t size) { return Allocate(size); }
void* operator new[](size_t size) { return Allocate(size); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, size_t) noexcept { std::free(block); }
void operator delete[](void* block, size_t) noexcept { std::free(block); }

// The C library's, which comparisons of std::string call.
extern "C" __attribute__((used, noinline)) int memcmp(const void* a, const void* b, size_t size) noexcept {
  ++g_work;
  const auto* left = static_cast<const volatile unsigned char*>(a);
  const auto* right = static_cast<const volatile unsigned char*>(b);
  for (size_t i = 0; i < size; ++i) {
    if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
  }
  return 0;
}

namespace berth::test {
namespace {

constexpr const char* kZone = "topology.kubernetes.io/zone";
constexpr const char* kHostname = "kubernetes.io/hostname";

class LostNodes {
 public:
  LostNodes(size_t nodes, size_t pods_per_node) {
    for (size_t i = 0; i < nodes; ++i) {
      nodes_.push_back(fmt::format("node-of-a-zone-that-is-lost-{:06}", i));
      cluster_.SetNode(MakeNode(nodes_.back()).Label(kHostname, nodes_.back()).Label(kZone, "lost").Build());
    }
    const api::PodPtr like = MakePod("default/like").Label("app", "web").Build();
    for (size_t i = 0; i < nodes * pods_per_node; ++i) {
      api::Pod pod = *like;
      pod.meta.uid = pod.meta.name = uids_.emplace_back(fmt::format("uid-of-a-pod-on-a-lost-node-{:06}", i));
      cluster_.PlacePod(classes_.InfoOf(std::make_shared<const api::Pod>(std::move(pod))), nodes_[i % nodes]);
    }
    // Indexes that the changes have to keep true.
    cluster_.topology(kZone);
    cluster_.topology(kHostname);
    framework::AffinityTerm term;
    term.selector = api::Selector::FromLabels({{"app", "web"}});
    term.namespaces = {"default"};
    const framework::AffinityTerm* const only = &term;
    EXPECT_EQ(cluster_.CountPods({.all_of = {&only, 1}}).total(), static_cast<int64_t>(nodes * pods_per_node));
  }

  double WorkPerNode() {
    const size_t before = g_work;
    for (const std::string& name : nodes_) cluster_.RemoveNode(name);
    return static_cast<double>(g_work - before) / static_cast<double>(nodes_.size());
  }
  double WorkPerPod() {
    const size_t before = g_work;
    for (const std::string& uid : uids_) cluster_.RemovePod(uid);
    return static_cast<double>(g_work - before) / static_cast<double>(uids_.size());
  }

 private:
  framework::ResourceNames names_;
  framework::PodClasses classes_{names_};
  cluster::ClusterState cluster_{names_};
  std::vector<std::string> nodes_;
  std::vector<std::string> uids_;
};

TEST(LostNodes, WorkIsCounted) {
  const std::vector<std::string> texts(100, "a text that is the same as all the others");
  const size_t before = g_work;
  size_t equal = 0;
  for (const std::string& text : texts) equal += texts.front() == text ? 1 : 0;
  EXPECT_EQ(equal, texts.size());
  EXPECT_GE(g_work - before, texts.size());
}

TEST(LostNodes, NodesAndTheirPodsGoWithoutLookingAtEachOther) {
  constexpr size_t kPodsPerNode = 30;
  LostNodes few(100, kPodsPerNode);
  LostNodes many(1'000, kPodsPerNode);
  // Tables that are full to another degree cost a little more or less.
  constexpr double kAllowed = 1.5;
  EXPECT_LT(many.WorkPerNode(), few.WorkPerNode() * kAllowed);
  const double per_pod = few.WorkPerPod();
  EXPECT_GT(per_pod, 0);
  EXPECT_LT(many.WorkPerPod(), per_pod * kAllowed);
}

}  // namespace
}  // namespace berth::test
