// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"
#include "base/string_map.h"
#include "home/command.h"

#include <optional>
#include <string>
#include <string_view>

namespace berth::scheduler {

// What the engine has asked to be written into pods' statuses and has not heard of yet. Pods are seen as if it were
// written already, so that a decision never rests on a state that the engine itself has overtaken. Engine thread only.
class StatusShadow {
 public:
  // The patch is asked for under this ticket; a later one about the same pod adds to it. No ticket: it was not taken.
  void Asked(const home::PatchPodStatus& patch, home::Ticket ticket);
  // The patch has ended: with the version of the pod that has it, or without having been written.
  void Written(std::string_view uid, home::Ticket ticket, std::string version);
  void NotWritten(std::string_view uid, home::Ticket ticket);
  // Whether what was last asked for was not written and is to be asked for again. A pod that was seen through the
  // shadow shows it all the same, until its home tells of it next.
  bool IsLost(std::string_view uid) const;
  // The patch that is not known to have been written or lost; no ticket when there is none.
  home::Ticket Pending(std::string_view uid) const;
  // Nothing is expected of the pod's status any more.
  void Forget(std::string_view uid);

  // The pod as it is once everything asked for is written. Forgets what the told state shows already.
  api::PodPtr Over(const api::PodPtr& told);
  size_t size() const { return expected_.size(); }

 private:
  struct Expected {
    std::optional<home::ConditionPatch> condition;
    std::optional<std::string> nominated_node;
    home::Ticket ticket = home::kNoTicket;
    std::string version;  // once it is written: of the pod that has it
    bool lost = false;    // it was not written, and nobody tries any more
  };
  StringMap<Expected> expected_;  // by uid
};

}  // namespace berth::scheduler
