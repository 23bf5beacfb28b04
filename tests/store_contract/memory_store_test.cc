// SPDX-License-Identifier: Apache-2.0
#include "store/memory/memory_store.h"

#include "store_contract/contract.h"

#include <memory>

#include <gtest/gtest.h>

namespace berth::store {
namespace {

using contract::Engine;
using contract::Harness;
using contract::StoreContract;

class MemoryHarness final : public Harness {
 public:
  explicit MemoryHarness(const Limits& limits) : store_(clock_, limits) {}
  Store& store() override { return store_; }
  void PassTime(Duration by) override { clock_.Advance(by); }

 private:
  contract::TurnedClock clock_;
  MemoryStore store_;
};

INSTANTIATE_TEST_SUITE_P(Memory, StoreContract,
                         testing::Values(Engine{.name = "memory", .make = [](const Limits& limits) {
                                                  return std::make_unique<MemoryHarness>(limits);
                                                }}));

}  // namespace
}  // namespace berth::store
