// SPDX-License-Identifier: Apache-2.0
#include "runtime/bind_run.h"

#include "base/check.h"
#include "runtime/plugin_meter.h"
#include "runtime/profile_plugins.h"
#include "runtime/step_failure.h"

#include <algorithm>
#include <utility>

namespace berth::runtime {

using framework::BindingProgress;
using framework::Code;
using framework::ExtensionPoint;
using framework::Status;
using framework::WorkTicket;

WorkTicket BindRun::RecordingWork::Patch(framework::ObjectPatch patch) {
  return Record(run_.given_work_->Patch(std::move(patch)));
}

WorkTicket BindRun::RecordingWork::RunElsewhere(std::function<Status(const std::stop_token& stop)> work) {
  return Record(run_.given_work_->RunElsewhere(std::move(work)));
}

WorkTicket BindRun::RecordingWork::Await(const std::function<void(TakeAnswer take)>& begin) {
  return Record(run_.given_work_->Await(begin));
}

WorkTicket BindRun::RecordingWork::Bind() { return Record(run_.given_work_->Bind()); }

WorkTicket BindRun::RecordingWork::Record(WorkTicket ticket) {
  run_.tickets_.push_back(ticket);
  return ticket;
}

BindRun::Outcome BindRun::Start(const ProfilePlugins& plugins, framework::CycleState& state,
                                const framework::PodInfo& pod, std::string_view node, framework::BindWork& work) {
  plugins_ = &plugins;
  state_ = &state;
  pod_ = &pod;
  node_ = node;
  given_work_ = &work;
  place_ = 0;
  AwaitNothing();
  started_ = std::chrono::steady_clock::now();
  return Call({});
}

BindRun::Outcome BindRun::Answer(WorkTicket ticket, Result<std::string> answer) {
  if (plugins_ == nullptr || std::erase(tickets_, ticket) == 0) return std::nullopt;
  framework::Wake wake;
  wake.reason = framework::Wake::Reason::Answer;
  wake.ticket = ticket;
  wake.answer = std::move(answer);
  return Call(wake);
}

BindRun::Outcome BindRun::Changed(const framework::ObjectKey& object) {
  if (plugins_ == nullptr || std::ranges::find(wake_on_, object) == wake_on_.end()) return std::nullopt;
  framework::Wake wake;
  wake.reason = framework::Wake::Reason::Change;
  return Call(wake);
}

BindRun::Outcome BindRun::Deadline(Timestamp now) {
  if (plugins_ == nullptr || !wake_at_ || *wake_at_ > now) return std::nullopt;
  framework::Wake wake;
  wake.reason = framework::Wake::Reason::Deadline;
  return Call(wake);
}

BindRun::Outcome BindRun::Call(const framework::Wake& first) {
  const std::vector<uint32_t>& indexes = plugins_->At(ExtensionPoint::Bind);
  framework::Wake wake = first;
  for (; place_ < indexes.size(); ++place_, wake = {}) {
    const ProfilePlugin& plugin = (*plugins_)[indexes[place_]];
    BindingProgress progress = plugin.instance.bind->Bind(*state_, *pod_, node_, wake, work_);
    if (progress.status.code() == Code::Wait) {
      wake_at_ = progress.wake_at;
      wake_on_ = std::move(progress.wake_on);
      if (!tickets_.empty() || wake_at_ || !wake_on_.empty()) return std::nullopt;
      progress.status = Status::FromError("Bind asked to wait, but named nothing to wait for");
    }
    AwaitNothing();
    plugins_->MeterFor(*state_, "Bind")
        .Took(plugin.name, progress.status.code(), std::chrono::steady_clock::now() - started_);
    if (progress.status.is_skip()) continue;
    if (progress.status.ok()) return Finish(progress.status);
    return Finish(StepFailure("Bind", plugin.name, progress.status));
  }
  return Finish(Status::FromError("every Bind plugin skipped the pod"));
}

BindRun::Outcome BindRun::Finish(Status status) {
  plugins_->NoteStep("Bind", status.code(), std::chrono::steady_clock::now() - started_);
  plugins_ = nullptr;
  return status;
}

void BindRun::AwaitNothing() {
  tickets_.clear();
  wake_at_.reset();
  wake_on_.clear();
}

}  // namespace berth::runtime
