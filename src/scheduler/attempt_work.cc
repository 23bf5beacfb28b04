// SPDX-License-Identifier: Apache-2.0
#include "scheduler/attempt_work.h"

#include "framework/node_info.h"

#include <algorithm>
#include <string>
#include <utility>

namespace berth::scheduler {

using framework::WorkTicket;

WorkTicket AttemptWork::Patch(Attempt& attempt, framework::ObjectPatch patch) {
  const WorkTicket ticket = ++attempt.last_ticket;
  store::Key key{std::move(patch.object.kind), std::move(patch.object.namespace_), std::move(patch.object.name)};
  const home::Ticket command = commands_.Patch(
      {std::move(key), std::move(patch.uid), std::move(patch.resource_version), std::move(patch.merge_patch)});
  patches_.emplace(command, &attempt);
  attempt.work.push_back({ticket, command});
  return ticket;
}

WorkTicket AttemptWork::RunElsewhere(Attempt& attempt,
                                     std::function<framework::Status(const std::stop_token& stop)> work) {
  const WorkTicket ticket = ++attempt.last_ticket;
  if (!attempt.stop.stop_possible()) attempt.stop = std::stop_source();
  ++attempt.elsewhere;
  attempt.work.push_back({ticket, home::kNoTicket});
  pool_.Start({std::string(framework::PodUid(*attempt.pod->pod)), ticket, attempt.stop.get_token(), std::move(work)});
  return ticket;
}

WorkTicket AttemptWork::Await(Attempt& attempt,
                              const std::function<void(framework::BindingWork::TakeAnswer take)>& begin) {
  const WorkTicket ticket = ++attempt.last_ticket;
  ++awaited_;
  attempt.work.push_back({ticket, home::kNoTicket});
  begin([&inbox = inbox_, uid = std::string(framework::PodUid(*attempt.pod->pod)), number = attempt.number,
         ticket](Result<std::string> answer) {
    inbox.Post(WorkAnswered{uid, number, ticket, std::move(answer)});
  });
  return ticket;
}

std::optional<AttemptWork::Owner> AttemptWork::PatchEnded(home::Ticket patch) {
  const auto it = patches_.find(patch);
  if (it == patches_.end()) return std::nullopt;
  Attempt& attempt = *it->second;
  patches_.erase(it);
  const auto work = std::ranges::find(attempt.work, patch, &Attempt::Work::command);
  const WorkTicket ticket = work->ticket;
  attempt.work.erase(work);
  return Owner{&attempt, ticket};
}

void AttemptWork::Returned(Attempt& attempt, WorkTicket ticket) {
  --attempt.elsewhere;
  std::erase_if(attempt.work, [&](const Attempt::Work& work) { return work.ticket == ticket; });
}

bool AttemptWork::Answered(Attempt& attempt, WorkTicket ticket) {
  return std::erase_if(attempt.work, [&](const Attempt::Work& work) { return work.ticket == ticket; }) != 0;
}

void AttemptWork::Drop(Attempt& attempt) {
  for (const Attempt::Work& work : attempt.work) {
    if (work.command == home::kNoTicket) continue;
    commands_.Forget(work.command);
    patches_.erase(work.command);
  }
  attempt.work.clear();
  if (attempt.elsewhere != 0) attempt.stop.request_stop();
}

}  // namespace berth::scheduler
