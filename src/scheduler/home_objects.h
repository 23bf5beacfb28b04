// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/object_reader.h"
#include "home/home.h"

#include <optional>

namespace berth::scheduler {

// Gives plugins the objects of the home's feeds. Any thread.
class HomeObjects final : public framework::ObjectReader {
 public:
  // The home outlives this.
  explicit HomeObjects(const home::Home& home) : home_(home) {}

  using ObjectReader::Find;
  std::optional<api::Object> Find(const framework::ObjectKey& key) const override {
    return home_.FindTold({key.kind, key.namespace_, key.name});
  }

 private:
  const home::Home& home_;
};

}  // namespace berth::scheduler
