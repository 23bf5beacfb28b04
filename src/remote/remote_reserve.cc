// SPDX-License-Identifier: Apache-2.0
#include "remote/remote_reserve.h"

#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace berth::remote {

using framework::Code;
using framework::CycleState;
using framework::PermitResult;
using framework::PodInfo;
using framework::Status;

namespace {

// As long as any pod may wait there.
constexpr uint64_t kLongestPermitMillis = 15 * 60 * 1000;

std::string ProblemOfReserve(const wire::Answer& answer) {
  if (!answer.has_reserve()) return "it answers another step";
  const std::optional<Status> status = FromWire(answer.reserve());
  if (!status) return "unknown code";
  return status->code() == Code::Wait || status->is_skip() ? std::string(CodeName(status->code())) : "";
}

std::string ProblemOfPermit(const wire::Answer& answer) {
  if (!answer.has_permit()) return "it answers another step";
  const std::optional<Status> status = FromWire(answer.permit().status());
  if (!status) return "unknown code";
  return status->is_skip() ? "Skip" : "";
}

}  // namespace

Status RemoteReserve::Reserve(CycleState& state, const PodInfo& pod, std::string_view node) {
  const RemoteCycle& cycle = calls_.CycleOf(state);
  const Result<Status> status = AskReserve(cycle.number(), pod, node);
  if (status) return *status;
  switch (calls_.policy()) {
    case FailurePolicy::Fail: break;
    case FailurePolicy::Ignore: return Status::Success();
    case FailurePolicy::Fallback: {
      framework::ReservePlugin* plugin = fallback_->instance().reserve;
      if (plugin == nullptr) return Status::Success();
      return plugin->Reserve(fallback_->Prepared(cycle, pod).state, pod, node);
    }
  }
  return Status::FromError(status.error());
}

Result<Status> RemoteReserve::AskReserve(uint64_t cycle, const PodInfo& pod, std::string_view node) {
  BERTH_ASSIGN_OR_RETURN(PluginCalls::Draft draft, calls_.Begin(cycle));
  wire::NodeCall& call = *draft.call.mutable_reserve();
  call.set_pod(calls_.IdOf(pod));
  call.set_node(calls_.handle().cluster().FindNode(node));
  BERTH_ASSIGN_OR_RETURN(const wire::Answer answer, calls_.Ask("Reserve", draft, ProblemOfReserve));
  return *FromWire(answer.reserve());
}

void RemoteReserve::Unreserve(CycleState& state, const PodInfo& pod, std::string_view node) {
  const RemoteCycle& cycle = calls_.CycleOf(state);
  ForgetWaiting(pod->meta.uid);
  calls_.Tell(pod, [&](uint64_t id, wire::Note& note) {
    wire::Unreserve& unreserve = *note.mutable_unreserve();
    unreserve.set_cycle(cycle.number());
    unreserve.set_pod(id);
    unreserve.set_node(calls_.handle().cluster().FindNode(node));
  });
  if (fallback_ == nullptr || cycle.fallback == nullptr) return;
  framework::ReservePlugin* plugin = fallback_->instance().reserve;
  if (plugin != nullptr) plugin->Unreserve(cycle.fallback->state, pod, node);
}

PermitResult RemoteReserve::Permit(CycleState& state, const PodInfo& pod, std::string_view node) {
  const RemoteCycle& cycle = calls_.CycleOf(state);
  const Result<PermitResult> result = AskPermit(cycle.number(), pod, node);
  if (result) return *result;
  switch (calls_.policy()) {
    case FailurePolicy::Fail: break;
    case FailurePolicy::Ignore: return {};
    case FailurePolicy::Fallback: {
      framework::PermitPlugin* plugin = fallback_->instance().permit;
      return plugin == nullptr ? PermitResult() : plugin->Permit(fallback_->Prepared(cycle, pod).state, pod, node);
    }
  }
  return {Status::FromError(result.error()), Duration(0)};
}

Result<PermitResult> RemoteReserve::AskPermit(uint64_t cycle, const PodInfo& pod, std::string_view node) {
  BERTH_ASSIGN_OR_RETURN(PluginCalls::Draft draft, calls_.Begin(cycle));
  wire::NodeCall& call = *draft.call.mutable_permit();
  call.set_pod(calls_.IdOf(pod));
  call.set_node(calls_.handle().cluster().FindNode(node));
  {
    // The verdict may follow on the answer at once.
    const MutexLock lock(mutex_);
    waiting_[call.pod()] = {pod->meta.uid, cycle};
  }
  const Result<wire::Answer> answer = calls_.Ask("Permit", draft, ProblemOfPermit);
  const bool waits = answer && answer->permit().status().code() == wire::WAIT;
  if (!waits) ForgetWaiting(pod->meta.uid);
  if (!answer) return answer.error();
  const uint64_t millis = std::min(answer->permit().timeout_millis(), kLongestPermitMillis);
  return PermitResult{*FromWire(answer->permit().status()), std::chrono::milliseconds(millis)};
}

void RemoteReserve::ForgetWaiting(std::string_view uid) {
  const MutexLock lock(mutex_);
  std::erase_if(waiting_, [&](const auto& entry) { return entry.second.uid == uid; });
}

Delivery RemoteReserve::Deliver(const wire::PermitVerdict& verdict) {
  std::string uid;
  {
    const MutexLock lock(mutex_);
    const auto it = waiting_.find(verdict.pod());
    if (it == waiting_.end() || it->second.cycle != verdict.cycle()) return Delivery::Nobody;
    uid = it->second.uid;
  }
  const bool is_there = calls_.handle().waiting_pods().With(uid, [&](framework::WaitingPod& pod) {
    if (verdict.allow()) {
      pod.Allow(calls_.name());
    } else {
      pod.Reject(calls_.name(), verdict.reason());
    }
  });
  if (!is_there) return Delivery::TooEarly;
  ForgetWaiting(uid);
  return Delivery::Done;
}

void RemoteReserve::PostBind(CycleState& state, const PodInfo& pod, std::string_view node) {
  const RemoteCycle* cycle = calls_.FindCycle(state);
  ForgetWaiting(pod->meta.uid);
  const bool told = calls_.Tell(pod, [&](uint64_t id, wire::Note& note) {
    wire::PostBind& post_bind = *note.mutable_post_bind();
    post_bind.set_cycle(cycle == nullptr ? 0 : cycle->number());
    post_bind.set_pod(id);
    post_bind.set_node(std::string(node));
  });
  if (told || fallback_ == nullptr || cycle == nullptr) return;
  framework::PostBindPlugin* plugin = fallback_->instance().post_bind;
  if (plugin != nullptr) plugin->PostBind(fallback_->StateOf(*cycle).state, pod, node);
}

}  // namespace berth::remote
