// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/binding_work.h"
#include "home/command.h"
#include "scheduler/attempt.h"
#include "scheduler/commands.h"
#include "scheduler/inbox.h"
#include "scheduler/work_pool.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <unordered_map>

namespace berth::scheduler {

// The work that plugins at PreBind and Bind asked for: hands it on, and knows whose it was when the answer comes.
// Engine thread only.
class AttemptWork {
 public:
  // Everything lent outlives this, and the inbox all answers.
  AttemptWork(Commands& commands, WorkPool& pool, Inbox& inbox) : commands_(commands), pool_(pool), inbox_(inbox) {}

  framework::WorkTicket Patch(Attempt& attempt, framework::ObjectPatch patch);
  framework::WorkTicket RunElsewhere(Attempt& attempt,
                                     std::function<framework::Status(const std::stop_token& stop)> work);

  framework::WorkTicket Await(Attempt& attempt,
                              const std::function<void(framework::BindingWork::TakeAnswer take)>& begin);

  // A patch has ended: whose it was, and under which ticket. Nothing when the work was dropped.
  struct Owner {
    Attempt* attempt = nullptr;
    framework::WorkTicket ticket = 0;
  };
  std::optional<Owner> PatchEnded(home::Ticket patch);
  // Work elsewhere has returned.
  static void Returned(Attempt& attempt, framework::WorkTicket ticket);
  // What was awaited has come, whether or not anybody still waits for it.
  void AnswerCame() { --awaited_; }
  // How many answers are still to come from outside.
  size_t awaited() const { return awaited_; }
  // Says false when nobody waits for the answer any more.
  static bool Answered(Attempt& attempt, framework::WorkTicket ticket);
  // Nobody waits for the attempt's work any more: answers to patches are ignored, work elsewhere is asked to stop.
  void Drop(Attempt& attempt);

 private:
  Commands& commands_;
  WorkPool& pool_;
  Inbox& inbox_;
  std::unordered_map<home::Ticket, Attempt*> patches_;  // whose plugin asked for it
  size_t awaited_ = 0;
};

}  // namespace berth::scheduler
