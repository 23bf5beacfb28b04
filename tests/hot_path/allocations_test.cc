// SPDX-License-Identifier: Apache-2.0
// A decision whose like has been seen before asks for no memory: its cycle keeps what the last one used.
#include "log/output.h"
#include "scheduler/decide.h"
#include "support/builders.h"
#include "support/test_bed.h"

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

std::atomic<size_t> g_allocations{0};

void* Allocate(size_t size) {
  g_allocations.fetch_add(1, std::memory_order_relaxed);
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

namespace berth::test {
namespace {

constexpr const char* kZone = "topology.kubernetes.io/zone";

class HotPath : public testing::Test {
 protected:
  HotPath() : bed_(DefaultTestBed()) {
    for (int i = 0; i < 300; ++i) {
      bed_->Add(MakeNode(fmt::format("node-{}", i))
                    .Label(kZone, fmt::format("zone-{}", i % 3))
                    .Allocatable("cpu", "8")
                    .Allocatable("memory", "16Gi")
                    .Build());
    }
  }

  // How often a decision about the pod allocates once others like it were decided.
  size_t AllocationsOf(const PodBuilder& pod) {
    const framework::PodInfoPtr info = pod.Info(bed_->names);
    size_t allocations = 0;
    for (int i = 0; i < 3; ++i) {
      const size_t before = g_allocations.load(std::memory_order_relaxed);
      const scheduler::Decision decision = scheduler::Decide(bed_->profile(), *info, cycle_, rng_);
      allocations = g_allocations.load(std::memory_order_relaxed) - before;
      EXPECT_EQ(decision.outcome, scheduler::Decision::Outcome::Placed) << decision.message;
    }
    return allocations;
  }

  std::unique_ptr<TestBed> bed_;
  runtime::Cycle cycle_;
  Rng rng_{1};
};

PodBuilder Basic() {
  PodBuilder pod = MakePod("default/pod").Label("app", "web").Request("cpu", "1").Request("memory", "1Gi");
  pod.spec().containers[0].image = "registry.example.com/shop/storefront:1.2";
  return pod;
}

TEST_F(HotPath, CountsAllocations) {
  const size_t before = g_allocations.load(std::memory_order_relaxed);
  const auto number = std::make_unique<int>(1);
  EXPECT_EQ(g_allocations.load(std::memory_order_relaxed) - before, 1U) << *number;
}

TEST_F(HotPath, WhatIsNotLoggedIsNotFormatted) {
  std::ostringstream said;
  const log::Output output(said, bed_->clock, {});
  const log::Logger log(output, "test");
  const log::Logger silent;
  const std::string name = "a name too long to be stored in place";
  const size_t before = g_allocations.load(std::memory_order_relaxed);
  log.V(1).Info("Not said", {{"pod", log::ObjectName{"default", name}}, {"node", name}, {"score", 7}});
  silent.Error("Not heard", {{"node", name}});
  EXPECT_EQ(g_allocations.load(std::memory_order_relaxed) - before, 0U);
  EXPECT_EQ(said.str(), "");
}

TEST_F(HotPath, PlacesABasicPodWithoutAllocating) { EXPECT_EQ(AllocationsOf(Basic()), 0U); }

TEST_F(HotPath, PlacesAroundTaintsAndCordonsWithoutAllocating) {
  bed_->Add(MakeNode("tainted").Taint("a", "b", api::TaintEffect::NoSchedule).Build());
  bed_->Add(MakeNode("cordoned").Unschedulable().Build());
  bed_->Add(MakeNode("disliked")
                .Taint("a", "b", api::TaintEffect::PreferNoSchedule)
                .Allocatable("cpu", "8")
                .Allocatable("memory", "9Gi")
                .Build());
  EXPECT_EQ(AllocationsOf(Basic()), 0U);
}

TEST_F(HotPath, PlacesAroundFullNodesWithoutAllocating) {
  bed_->Add(MakeNode("small").Allocatable("memory", "16Gi").Build());
  bed_->Add(MakePod("default/big").Node("node-0").Request("cpu", "8").Build());
  bed_->Add(MakePod("default/bigger").Node("node-1").Request("cpu", "8").Request("memory", "16Gi").Build());
  EXPECT_EQ(AllocationsOf(Basic()), 0U);
}

}  // namespace
}  // namespace berth::test
