// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/pod_info.h"
#include "framework/status.h"

#include <string>
#include <utility>
#include <vector>

namespace berth::framework {

// The parts of a pod that this plugin's verdicts and scores depend on: pods whose signatures are equal for every
// enabled plugin are interchangeable and share cached results.
struct Signature {
  Status status;  // Unschedulable: this pod must not share results
  std::vector<std::pair<std::string, std::string>> fragments;
};

class SignPlugin {
 public:
  virtual Signature Sign(const PodInfo& pod) const = 0;

 protected:
  ~SignPlugin() = default;  // never deleted through this base
};

}  // namespace berth::framework
