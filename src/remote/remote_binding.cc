// SPDX-License-Identifier: Apache-2.0
#include "remote/remote_binding.h"

#include "remote/remote_binding_run.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace berth::remote {

using framework::BindingProgress;
using framework::Code;
using framework::CycleState;
using framework::PodInfo;
using framework::PreFlightResult;
using framework::Status;
using framework::Wake;

namespace {

std::string ProblemOfPreFlight(const wire::Answer& answer) {
  if (!answer.has_pre_bind_pre_flight()) return "it answers another step";
  const std::optional<Status> status = FromWire(answer.pre_bind_pre_flight().status());
  if (!status) return "unknown code";
  const bool allowed = status->ok() || status->is_skip() || status->code() == Code::Error;
  return allowed ? "" : std::string(CodeName(status->code()));
}

}  // namespace

PreFlightResult RemoteBinding::PreBindPreFlight(CycleState& state, const PodInfo& pod, std::string_view node) {
  const RemoteCycle& cycle = calls_.CycleOf(state);
  Result<PreFlightResult> result = AskPreFlight(cycle.number(), pod, node);
  if (result) return *std::move(result);
  switch (calls_.policy()) {
    case FailurePolicy::Fail: break;
    case FailurePolicy::Ignore: return {Status::Skip(), false};
    case FailurePolicy::Fallback: {
      framework::PreBindPlugin* plugin = fallback_->instance().pre_bind;
      if (plugin == nullptr) return {Status::Skip(), false};
      return plugin->PreBindPreFlight(fallback_->Prepared(cycle, pod).state, pod, node);
    }
  }
  return {Status::FromError(result.error()), false};
}

Result<PreFlightResult> RemoteBinding::AskPreFlight(uint64_t cycle, const PodInfo& pod, std::string_view node) {
  BERTH_ASSIGN_OR_RETURN(PluginCalls::Draft draft, calls_.Begin(cycle));
  wire::NodeCall& call = *draft.call.mutable_pre_bind_pre_flight();
  call.set_pod(calls_.IdOf(pod));
  call.set_node(calls_.handle().cluster().FindNode(node));
  BERTH_ASSIGN_OR_RETURN(const wire::Answer answer, calls_.Ask("PreBindPreFlight", draft, ProblemOfPreFlight));
  const wire::PreFlightAnswer& said = answer.pre_bind_pre_flight();
  return PreFlightResult{*FromWire(said.status()), said.allow_parallel()};
}

BindingProgress RemoteBinding::PreBind(CycleState& state, const PodInfo& pod, std::string_view node, const Wake& wake,
                                       framework::BindingWork& work) {
  RemoteCycle& cycle = calls_.CycleOf(state);
  framework::PreBindPlugin* instead = fallback_ == nullptr ? nullptr : fallback_->instance().pre_bind;
  if (wake.reason == Wake::Reason::Start) {
    cycle.pre_bind =
        std::make_unique<RemoteBindingRun>(calls_, RemoteBindingRun::Step::PreBind, cycle.number(), pod, node);
  } else if (cycle.pre_bind == nullptr) {  // it has fallen back
    return instead->PreBind(fallback_->Prepared(cycle, pod).state, pod, node, wake, work);
  }
  Result<BindingProgress> progress = cycle.pre_bind->Wake(wake, work, nullptr);
  if (progress) return *std::move(progress);
  cycle.pre_bind.reset();
  switch (calls_.policy()) {
    case FailurePolicy::Fail: break;
    case FailurePolicy::Ignore: return BindingProgress::Done(Status::Success());
    case FailurePolicy::Fallback:
      if (instead == nullptr) return BindingProgress::Done(Status::Success());
      return instead->PreBind(fallback_->Prepared(cycle, pod).state, pod, node, {}, work);
  }
  return BindingProgress::Done(Status::FromError(progress.error()));
}

BindingProgress RemoteBinding::Bind(CycleState& state, const PodInfo& pod, std::string_view node, const Wake& wake,
                                    framework::BindWork& work) {
  RemoteCycle& cycle = calls_.CycleOf(state);
  framework::BindPlugin* instead = fallback_ == nullptr ? nullptr : fallback_->instance().bind;
  if (wake.reason == Wake::Reason::Start) {
    cycle.bind = std::make_unique<RemoteBindingRun>(calls_, RemoteBindingRun::Step::Bind, cycle.number(), pod, node);
  } else if (cycle.bind == nullptr) {
    return instead->Bind(fallback_->Prepared(cycle, pod).state, pod, node, wake, work);
  }
  Result<BindingProgress> progress = cycle.bind->Wake(wake, work, &work);
  if (progress) return *std::move(progress);
  cycle.bind.reset();
  switch (calls_.policy()) {
    case FailurePolicy::Fail: break;
    case FailurePolicy::Ignore: return BindingProgress::Done(Status::Skip());
    case FailurePolicy::Fallback:
      if (instead == nullptr) return BindingProgress::Done(Status::Skip());
      return instead->Bind(fallback_->Prepared(cycle, pod).state, pod, node, {}, work);
  }
  return BindingProgress::Done(Status::FromError(progress.error()));
}

}  // namespace berth::remote
