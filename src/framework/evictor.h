// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/pod_info.h"

#include <span>
#include <string_view>

namespace berth::framework {

// Makes room for pods by making others go. Engine thread only.
class Evictor {
 public:
  virtual ~Evictor() = default;
  // A pod's preemption was tried, with or without success. For the metrics.
  virtual void NoteAttempt() {}
  // The victims leave the node so that `preemptor` can have it: those still on their way there are taken back in
  // memory, the others are deleted. Pods of lower priority lose their nomination to the node. All this
  // begins once PostFilter is over; without SchedulerAsyncPreemption the cycle lasts until it has ended. `plugin` is
  // named to whoever asks why.
  virtual void Preempt(const PodInfo& preemptor, std::string_view node, std::span<const PodInfoPtr> victims,
                       std::string_view plugin) = 0;
  // True while that is under way: trying the preemptor again now could only evict more.
  virtual bool IsPreempting(std::string_view preemptor_uid) const = 0;
};

}  // namespace berth::framework
