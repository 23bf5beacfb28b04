// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "store/store.h"

#include <functional>
#include <memory>
#include <utility>

namespace berth::simulator {

// Sees what becomes of pods in a store. One thread.
class PodWatch {
 public:
  // Sees what happens after now.
  static Result<PodWatch> Open(store::Store& store);

  using Sight = std::function<void(const store::Record& pod)>;
  // Tells, in order, which pods were bound and which deleted since last asked. Fails when the store forgot part of it.
  Result<void> Tell(const Sight& bound, const Sight& deleted);

 private:
  explicit PodWatch(std::unique_ptr<store::Watch> watch) : watch_(std::move(watch)) {}

  std::unique_ptr<store::Watch> watch_;
};

}  // namespace berth::simulator
