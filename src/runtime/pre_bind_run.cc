// SPDX-License-Identifier: Apache-2.0
#include "runtime/pre_bind_run.h"

#include "base/check.h"
#include "metrics/scheduler_metrics.h"
#include "runtime/plugin_meter.h"
#include "runtime/profile_plugins.h"
#include "runtime/step_failure.h"

#include <algorithm>
#include <utility>

namespace berth::runtime {

using framework::BindingProgress;
using framework::Code;
using framework::ExtensionPoint;
using framework::ObjectKey;
using framework::Status;
using framework::WorkTicket;

WorkTicket PreBindRun::RecordingWork::Patch(framework::ObjectPatch patch) {
  return Record(run_.lent_work_->Patch(std::move(patch)));
}

WorkTicket PreBindRun::RecordingWork::RunElsewhere(std::function<Status(const std::stop_token& stop)> work) {
  return Record(run_.lent_work_->RunElsewhere(std::move(work)));
}

WorkTicket PreBindRun::RecordingWork::Await(const std::function<void(TakeAnswer take)>& begin) {
  return Record(run_.lent_work_->Await(begin));
}

WorkTicket PreBindRun::RecordingWork::Record(WorkTicket ticket) {
  BERTH_CHECK(run_.called_ != nullptr);  // work is asked for during a call only
  run_.called_->tickets.push_back(ticket);
  return ticket;
}

PreBindRun::Outcome PreBindRun::Start(const ProfilePlugins& plugins, framework::CycleState& state,
                                      const framework::PodInfo& pod, std::string_view node, const PreBindPlan& plan,
                                      framework::BindingWork& work) {
  Reset();
  plugins_ = &plugins;
  state_ = &state;
  pod_ = &pod;
  node_ = node;
  plan_ = &plan;
  lent_work_ = &work;
  started_ = std::chrono::steady_clock::now();
  return GoOn();
}

PreBindRun::Outcome PreBindRun::Answer(WorkTicket ticket, Result<std::string> answer) {
  framework::Wake wake;
  wake.reason = framework::Wake::Reason::Answer;
  wake.ticket = ticket;
  wake.answer = std::move(answer);
  return Wake(wake, [ticket](Member& member) { return std::erase(member.tickets, ticket) != 0; });
}

PreBindRun::Outcome PreBindRun::Changed(const ObjectKey& object) {
  framework::Wake wake;
  wake.reason = framework::Wake::Reason::Change;
  return Wake(wake,
              [&](const Member& member) { return std::ranges::find(member.wake_on, object) != member.wake_on.end(); });
}

PreBindRun::Outcome PreBindRun::Deadline(Timestamp now) {
  framework::Wake wake;
  wake.reason = framework::Wake::Reason::Deadline;
  return Wake(wake, [now](const Member& member) { return member.wake_at && *member.wake_at <= now; });
}

void PreBindRun::Reset() {
  if (is_running()) static_cast<void>(Finish(Status::FromError("PreBind was ended early")));
}

template <typename IsMeant>
PreBindRun::Outcome PreBindRun::Wake(const framework::Wake& wake, const IsMeant& is_meant) {
  if (!is_running()) return std::nullopt;
  for (size_t i = 0; i < group_size_; ++i) {
    if (members_[i].finished || !is_meant(members_[i])) continue;
    if (Outcome outcome = Call(members_[i], wake)) return outcome;
  }
  return GoOn();
}

// Begins groups until one of them has to wait, or none is left.
PreBindRun::Outcome PreBindRun::GoOn() {
  while (std::all_of(members_.begin(), members_.begin() + static_cast<std::ptrdiff_t>(group_size_),
                     [](const Member& member) { return member.finished; })) {
    if (next_ == plugins_->At(ExtensionPoint::PreBind).size()) return Finish(Status::Success());
    TakeNextGroup();
    for (size_t i = 0; i < group_size_; ++i) {
      if (Outcome outcome = Call(members_[i], {})) return outcome;
    }
  }
  GatherWakes();
  return std::nullopt;
}

// Plugins that allow it form a group with the next one, also when they have nothing to do themselves.
void PreBindRun::TakeNextGroup() {
  const std::vector<uint32_t>& indexes = plugins_->At(ExtensionPoint::PreBind);
  const size_t begin = next_++;
  while (next_ < indexes.size() && plan_->parallel[indexes[next_ - 1]] && plan_->parallel[indexes[next_]]) ++next_;
  group_size_ = 0;
  group_started_ = std::chrono::steady_clock::now();
  for (size_t i = begin; i < next_; ++i) {
    if (plan_->skipped[indexes[i]]) continue;
    if (members_.size() == group_size_) members_.emplace_back();
    Member& member = members_[group_size_++];
    member.plugin = indexes[i];
    member.finished = false;
    member.tickets.clear();
    member.wake_at.reset();
    member.wake_on.clear();
  }
}

PreBindRun::Outcome PreBindRun::Call(Member& member, const framework::Wake& wake) {
  const ProfilePlugin& plugin = (*plugins_)[member.plugin];
  called_ = &member;
  BindingProgress progress = plugin.instance.pre_bind->PreBind(*state_, *pod_, node_, wake, work_);
  called_ = nullptr;
  if (progress.status.code() == Code::Wait) {
    member.wake_at = progress.wake_at;
    member.wake_on = std::move(progress.wake_on);
    if (!member.tickets.empty() || member.wake_at || !member.wake_on.empty()) return std::nullopt;
    progress.status = Status::FromError("PreBind asked to wait, but named nothing to wait for");
  }
  member.finished = true;
  TellMetrics(member, progress.status.code());
  if (progress.status.ok()) return std::nullopt;
  return Finish(StepFailure("PreBind", plugin.name, progress.status));
}

PreBindRun::Outcome PreBindRun::Finish(Status status) {
  for (size_t i = 0; i < group_size_; ++i) {
    if (!members_[i].finished) TellMetrics(members_[i], Code::Error);  // it did not come to its end
  }
  plugins_->NoteStep("PreBind", status.code(), std::chrono::steady_clock::now() - started_);
  plugins_ = nullptr;
  group_size_ = 0;
  next_ = 0;
  wake_at_.reset();
  wake_on_.clear();
  return status;
}

void PreBindRun::GatherWakes() {
  wake_at_.reset();
  wake_on_.clear();
  for (size_t i = 0; i < group_size_; ++i) {
    const Member& member = members_[i];
    if (member.finished) continue;
    if (member.wake_at && (!wake_at_ || *member.wake_at < *wake_at_)) wake_at_ = member.wake_at;
    wake_on_.insert(wake_on_.end(), member.wake_on.begin(), member.wake_on.end());
  }
}

// As upstream, what a plugin waited for counts as its time.
void PreBindRun::TellMetrics(const Member& member, Code code) const {
  plugins_->MeterFor(*state_, "PreBind")
      .Took((*plugins_)[member.plugin].name, code, std::chrono::steady_clock::now() - group_started_);
}

}  // namespace berth::runtime
