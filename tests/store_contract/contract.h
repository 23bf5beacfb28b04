// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "store/store.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace berth::store::contract {

// One store under test and what can be done to it from outside.
class Harness {
 public:
  virtual ~Harness() = default;
  virtual Store& store() = 0;
  // Lets leases age, by a clock that is turned or by waiting. Any thread.
  virtual void PassTime(Duration by) = 0;
  // Ends the store without warning and opens it again over the same data. False: the engine keeps nothing.
  virtual bool Reopen() { return false; }
};

// An engine, and how much of a load is reasonable for it.
struct Engine {
  std::string name;
  std::function<std::unique_ptr<Harness>(const Limits&)> make;
  bool bounded_history = true;         // Limits::max_history_bytes holds for it
  size_t many_transactions = 100'000;  // for the one long watch
  size_t some_transactions = 1'000;    // per thread, where threads race
  size_t many_pods = 20'000;           // for the race to bind
};

inline void PrintTo(const Engine& engine, std::ostream* out) { *out << engine.name; }

// The promises of store/store.h and store/watch.h as tests. An engine's test links berth_store_contract and says
//   INSTANTIATE_TEST_SUITE_P(Name, StoreContract, testing::Values(Engine{…}));
// The numbers in the names of the tests are those of the list of rules in README.md.
class StoreContract : public testing::TestWithParam<Engine> {
 protected:
  void SetUp() override { Start({}); }
  // Begins anew with an empty store of other limits.
  void Start(const Limits& limits) {
    harness_.reset();
    harness_ = GetParam().make(limits);
  }
  Harness& harness() { return *harness_; }
  Store& store() { return harness_->store(); }

 private:
  std::unique_ptr<Harness> harness_;
};

// The promises of engines whose data outlives the store: for those whose harness can reopen it. Instantiated besides.
class DurableStoreContract : public StoreContract {};

// A clock that a test turns while other threads read it. Any thread.
class TurnedClock final : public Clock {
 public:
  Timestamp Now() const override { return Timestamp(Duration(now_.load())); }
  void Advance(Duration by) { now_ += by.count(); }

 private:
  std::atomic<Duration::rep> now_{1'700'000'000'000'000'000};
};

}  // namespace berth::store::contract
