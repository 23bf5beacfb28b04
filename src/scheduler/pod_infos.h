// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/pod_info.h"

#include <array>
#include <memory>
#include <string>

namespace berth::scheduler {

// Gives pods their traits, which follow from spec, status and namespace: those of one template share theirs. Engine
// thread only.
class PodInfos {
 public:
  // The names outlive this.
  explicit PodInfos(framework::ResourceNames& names) : names_(names) {}

  // Before the first pod.
  void SetRules(const framework::PodRules& rules) { rules_ = rules; }
  // `known` is an earlier state of the pod, or null.
  framework::PodInfoPtr InfoOf(const api::PodPtr& pod, const framework::PodInfo* known);

 private:
  struct KnownTraits {
    std::shared_ptr<const api::PodSpec> spec;
    std::shared_ptr<const api::PodStatus> status;
    std::string namespace_;
    std::shared_ptr<const framework::PodTraits> traits;
  };

  framework::ResourceNames& names_;
  framework::PodRules rules_;
  std::array<KnownTraits, 256> latest_;
};

}  // namespace berth::scheduler
