// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/pod_info.h"
#include "framework/verdicts.h"
#include "runtime/profile.h"
#include "scheduler/decide.h"

#include <array>
#include <cstdint>

namespace berth::scheduler {

// Remembers how pods failed. When a pod leaves, all pods that wait for room are woken. Most of them come from a few
// templates, and as long as nothing else changes, pods of one class fail in the same way. Engine thread only.
class RepeatedFailures {
 public:
  // What verdicts depend on besides the pod.
  struct Moment {
    uint64_t cluster = 0;      // revision of the cluster
    uint64_t nominations = 0;  // revision of the nominations
    friend bool operator==(const Moment&, const Moment&) = default;
  };
  struct FailedDecision {
    Decision decision;
    framework::Verdicts verdicts;
  };

  // How a pod that is alike failed at this moment; null when that is not known.
  const FailedDecision* Find(const runtime::Profile& profile, const framework::PodInfo& pod,
                             const Moment& moment) const;
  // Keeps the decision if others like the pod must fail alike.
  void Note(const runtime::Profile& profile, const framework::PodInfo& pod, const Moment& moment,
            const Decision& decision, const framework::Verdicts& verdicts);

 private:
  struct Known {
    Moment moment;
    const runtime::Profile* profile = nullptr;
    framework::PodClassPtr pod_class;
    FailedDecision failure;
  };

  std::array<Known, 8> known_;  // as many templates as are usually tried by turns
  size_t next_ = 0;             // to be forgotten
};

}  // namespace berth::scheduler
