// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "store/store.h"

#include <functional>
#include <memory>
#include <utility>

namespace berth::simulator {

// Watches pods being bound and deleted in a store. One thread.
class PodWatch {
 public:
  // Starts at the current revision.
  static Result<PodWatch> Open(store::Store& store);

  using Sight = std::function<void(const store::Record& pod)>;
  // Reports, in order, which pods were bound and which deleted since the last call. Fails when the store has compacted
  // part of that.
  Result<void> Tell(const Sight& bound, const Sight& deleted);

 private:
  explicit PodWatch(std::unique_ptr<store::Watch> watch) : watch_(std::move(watch)) {}

  std::unique_ptr<store::Watch> watch_;
};

}  // namespace berth::simulator
