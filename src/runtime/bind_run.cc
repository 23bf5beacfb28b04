// SPDX-License-Identifier: Apache-2.0
#include "runtime/bind_run.h"

#include "base/check.h"
#include "runtime/plugin_meter.h"
#include "runtime/profile.h"
#include "runtime/step_failure.h"

#include <utility>

namespace berth::runtime {

using framework::BindingProgress;
using framework::Code;
using framework::ExtensionPoint;
using framework::Status;

BindRun::Outcome BindRun::Start(const Profile& profile, framework::CycleState& state, const framework::PodInfo& pod,
                                std::string_view node, framework::BindWork& work) {
  profile_ = &profile;
  state_ = &state;
  pod_ = &pod;
  node_ = node;
  work_ = &work;
  place_ = 0;
  started_ = std::chrono::steady_clock::now();
  return Call({});
}

BindRun::Outcome BindRun::Answer(framework::WorkTicket ticket, Result<std::string> answer) {
  if (profile_ == nullptr) return std::nullopt;
  framework::Wake wake;
  wake.reason = framework::Wake::Reason::Answer;
  wake.ticket = ticket;
  wake.answer = std::move(answer);
  return Call(wake);
}

BindRun::Outcome BindRun::Call(const framework::Wake& first) {
  const std::vector<uint32_t>& plugins = profile_->At(ExtensionPoint::Bind);
  framework::Wake wake = first;
  for (; place_ < plugins.size(); ++place_, wake = {}) {
    const Profile::Plugin& plugin = profile_->plugins_[plugins[place_]];
    const BindingProgress progress = plugin.instance.bind->Bind(*state_, *pod_, node_, wake, *work_);
    if (progress.status.code() == Code::Wait) return std::nullopt;
    profile_->MeterFor(*state_, "Bind")
        .Took(plugin.name, progress.status.code(), std::chrono::steady_clock::now() - started_);
    if (progress.status.is_skip()) continue;
    if (progress.status.ok()) return Finish(progress.status);
    return Finish(StepFailure("Bind", plugin.name, progress.status));
  }
  return Finish(Status::FromError("every Bind plugin skipped the pod"));
}

BindRun::Outcome BindRun::Finish(Status status) {
  profile_->NoteStep("Bind", status.code(), std::chrono::steady_clock::now() - started_);
  profile_ = nullptr;
  return status;
}

}  // namespace berth::runtime
