// SPDX-License-Identifier: Apache-2.0
#include "remote/remote_pre_enqueue.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace berth::remote {

using framework::Status;

namespace {

// Further ones are tried when the queue flushes pods that have waited for long.
constexpr size_t kMostGated = 100'000;

std::string ProblemOfPreEnqueue(const wire::Answer& answer) {
  if (!answer.has_pre_enqueue()) return "it answers another step";
  if (answer.pre_enqueue().statuses_size() != 1) {
    return fmt::format("{} verdicts on 1 pod", answer.pre_enqueue().statuses_size());
  }
  return FromWire(answer.pre_enqueue().statuses(0)) ? "" : "unknown code";
}

}  // namespace

Status RemotePreEnqueue::PreEnqueue(const api::Pod& pod) const {
  const Result<Status> status = Ask(pod);
  if (status) return *status;
  switch (calls_.policy()) {
    case FailurePolicy::Fail: break;
    case FailurePolicy::Ignore: return Status::Success();
    case FailurePolicy::Fallback: {
      const framework::PreEnqueuePlugin* plugin = fallback_->instance().pre_enqueue;
      return plugin == nullptr ? Status::Success() : plugin->PreEnqueue(pod);
    }
  }
  {
    const MutexLock lock(mutex_);
    if (gated_.size() < kMostGated) gated_.insert(pod.meta.uid);
  }
  return Status::FromError(status.error());
}

void RemotePreEnqueue::TryAgain() {
  std::vector<std::string> uids;
  {
    const MutexLock lock(mutex_);
    if (gated_.empty()) return;
    uids.assign(gated_.begin(), gated_.end());
    gated_.clear();
  }
  calls_.handle().activator().Activate(std::move(uids));
}

Result<Status> RemotePreEnqueue::Ask(const api::Pod& pod) const {
  BERTH_ASSIGN_OR_RETURN(PluginCalls::Draft draft, calls_.Begin(0));
  const uint64_t id = calls_.IdOf(pod);
  draft.call.mutable_pre_enqueue()->add_pods(id);
  if (calls_.handle().evictor().IsPreempting(pod.meta.uid)) draft.call.mutable_pre_enqueue()->add_preempting(id);
  BERTH_ASSIGN_OR_RETURN(const wire::Answer answer, calls_.Ask("PreEnqueue", draft, ProblemOfPreEnqueue));
  return *FromWire(answer.pre_enqueue().statuses(0));
}

}  // namespace berth::remote
