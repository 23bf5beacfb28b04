// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace sample_extender {

// Decides by chance: whether a node will do, and how well. The answers follow from the seed and the questions so far.
// One thread.
class LuckyExtender {
 public:
  // `say` gets a line about every decision.
  LuckyExtender(uint64_t seed, std::function<void(std::string_view line)> say);

  // Takes ExtenderArgs, gives an ExtenderFilterResult; both are JSON of k8s.io/kube-scheduler/extender/v1. None: the
  // question cannot be read.
  std::optional<std::string> Filter(std::string_view question);
  // Takes ExtenderArgs, gives a HostPriorityList.
  std::optional<std::string> Prioritize(std::string_view question);

 private:
  bool IsLucky();
  int64_t Score();  // 0 to 10

  std::mt19937_64 chance_;
  const std::function<void(std::string_view line)> say_;
};

}  // namespace sample_extender
