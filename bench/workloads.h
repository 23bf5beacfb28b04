// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"
#include "api/pod.h"
#include "base/rng.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace berth::bench {

// A node of scheduler_perf's default template: 4 cpu, 32Gi, 110 pods, one of three zones.
api::NodePtr MakeNode(size_t i);

// The kinds of pods that are measured.
const std::vector<std::string_view>& WorkloadNames();

// Makes the pods of one workload. Pods of one template share their spec, as they do in the scheduler.
class Workload {
 public:
  explicit Workload(std::string_view name);
  api::PodPtr Next();

 private:
  std::string name_;
  std::shared_ptr<const api::PodSpec> spec_;
  std::shared_ptr<const api::PodStatus> status_;
  api::Labels labels_;
  size_t made_ = 0;
  Rng rng_{1};
};

}  // namespace berth::bench
