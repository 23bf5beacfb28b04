// SPDX-License-Identifier: Apache-2.0
#include "remote/remote_binding_run.h"

#include "remote/plugin_calls.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace berth::remote {

using framework::BindingProgress;
using framework::BindingWork;
using framework::BindWork;
using framework::Code;
using framework::Status;
using framework::WorkTicket;

namespace {

const wire::BindingAnswer* PartOf(const wire::Answer& answer, RemoteBindingRun::Step step) {
  if (step == RemoteBindingRun::Step::PreBind) return answer.has_pre_bind() ? &answer.pre_bind() : nullptr;
  return answer.has_bind() ? &answer.bind() : nullptr;
}

std::string ProblemOfBinding(const wire::Answer& answer, RemoteBindingRun::Step step) {
  const wire::BindingAnswer* binding = PartOf(answer, step);
  if (binding == nullptr) return "it answers another step";
  const std::optional<Status> status = FromWire(binding->status());
  if (!status) return "unknown code";
  const bool is_bind = step == RemoteBindingRun::Step::Bind;
  if (status->is_skip() && !is_bind) return "Skip";
  for (const wire::Work& work : binding->works()) {
    if (work.has_patch() || (work.has_bind() && is_bind)) continue;
    return "it asks for work that there is none of";
  }
  return "";
}

framework::ObjectKey KeyFrom(const wire::ObjectRef& ref) { return {ref.kind(), ref.namespace_(), ref.name()}; }

framework::ObjectPatch PatchFrom(const wire::Patch& patch) {
  return {KeyFrom(patch.object()), patch.uid(), patch.resource_version(), patch.merge_patch()};
}

}  // namespace

Result<BindingProgress> RemoteBindingRun::Wake(const framework::Wake& wake, BindingWork& work, BindWork* bind) {
  if (call_ && wake.reason == framework::Wake::Reason::Answer && wake.ticket == *call_) {
    call_.reset();
    BERTH_RETURN_IF_ERROR(Take(wake, work, bind));
  } else if (!Note(wake)) {
    return progress_;
  }
  if (progress_.status.code() != Code::Wait) return progress_;
  if (!call_ && !news_.empty()) BERTH_RETURN_IF_ERROR(AskNext(work));
  if (!call_) return progress_;
  // While it is asked nothing else is of interest but what it waits for: that may come meanwhile.
  BindingProgress waiting = BindingProgress::Wait();
  waiting.wake_on = progress_.wake_on;
  return waiting;
}

bool RemoteBindingRun::Note(const framework::Wake& wake) {
  News news;
  switch (wake.reason) {
    case framework::Wake::Reason::Start: news.reason = wire::BindingCall::START; break;
    case framework::Wake::Reason::Change: news.reason = wire::BindingCall::CHANGED; break;
    case framework::Wake::Reason::Deadline: news.reason = wire::BindingCall::DEADLINE; break;
    case framework::Wake::Reason::Answer: {
      if (wake_ && wake.ticket == *wake_) {
        wake_.reset();
        awaits_wake_.reset();
        news.reason = wire::BindingCall::WOKEN;
        break;
      }
      const auto it = works_.find(wake.ticket);
      if (it == works_.end()) return false;
      news.reason = wire::BindingCall::ANSWERED;
      news.work = it->second;
      if (wake.answer) {
        news.result = *wake.answer;
      } else {
        news.error = wake.answer.error().message.empty() ? "it failed" : wake.answer.error().message;
      }
      works_.erase(it);
      break;
    }
  }
  const bool is_known = news.reason == wire::BindingCall::CHANGED && std::ranges::any_of(news_, [](const News& other) {
                          return other.reason == wire::BindingCall::CHANGED;
                        });
  if (!is_known) news_.push_back(std::move(news));
  return true;
}

Result<void> RemoteBindingRun::AskNext(BindingWork& work) {
  const framework::ClusterView& cluster = calls_.handle().cluster();
  const framework::NodeId node = cluster.FindNode(node_);
  if (node == framework::kNoNode) return NotFoundError(fmt::format("node \"{}\" is gone", node_));
  BERTH_ASSIGN_OR_RETURN(PluginCalls::Draft draft, calls_.Begin(cycle_));
  const News news = std::move(news_.front());
  news_.pop_front();
  wire::BindingCall& call = *(step_ == Step::Bind ? draft.call.mutable_bind() : draft.call.mutable_pre_bind());
  call.set_pod(calls_.IdOf(pod_));
  call.set_node(node);
  call.set_reason(news.reason);
  call.set_work(news.work);
  call.set_error(news.error);
  call.set_result(news.result);
  call_id_ = draft.call.id();
  node_object_ = cluster.node(node).node;
  versions_.clear();
  for (const std::string& kind : calls_.LastKnown()->welcome.kinds()) {
    versions_[kind] = calls_.handle().lister().Version(kind);
  }
  call_ = work.Await([&](BindingWork::TakeAnswer take) {
    calls_.AskLater(
        step_ == Step::Bind ? "Bind" : "PreBind", std::move(draft),
        [step = step_](const wire::Answer& answer) { return ProblemOfBinding(answer, step); }, std::move(take));
  });
  return {};
}

Result<void> RemoteBindingRun::Take(const framework::Wake& wake, BindingWork& work, BindWork* bind) {
  if (!wake.answer) return wake.answer.error();
  wire::Answer answer;
  BERTH_CHECK(answer.ParseFromString(*wake.answer));  // it was checked when it came
  const wire::BindingAnswer& binding = *PartOf(answer, step_);
  progress_ = BindingProgress{*FromWire(binding.status()), {}, {}};
  for (const wire::Work& wanted : binding.works()) {
    const WorkTicket ticket = wanted.has_patch() ? work.Patch(PatchFrom(wanted.patch())) : bind->Bind();
    works_[ticket] = last_work_++;
  }
  if (progress_.status.code() != Code::Wait) return {};
  if (binding.wake_after_millis() != 0) {
    progress_.wake_at = calls_.handle().clock().Now() + std::chrono::milliseconds(binding.wake_after_millis());
  }
  for (const wire::ObjectRef& ref : binding.wake_on()) progress_.wake_on.push_back(KeyFrom(ref));
  if (binding.will_wake()) {
    wake_ =
        work.Await([&](BindingWork::TakeAnswer take) { awaits_wake_ = calls_.AwaitWake(call_id_, std::move(take)); });
  }
  NoteChangesSinceAsked();
  return {};
}

// What it waits for may have come while it was on its way to say so.
void RemoteBindingRun::NoteChangesSinceAsked() {
  const framework::Handle& handle = calls_.handle();
  const bool changed = std::ranges::any_of(progress_.wake_on, [&](const framework::ObjectKey& key) {
    if (key.kind == api::KindOf<api::Node>()) {
      const framework::NodeId node = handle.cluster().FindNode(key.name);
      return key.name == node_ && (node == framework::kNoNode || handle.cluster().node(node).node != node_object_);
    }
    const auto it = versions_.find(key.kind);
    return it != versions_.end() && handle.lister().Version(key.kind) != it->second;
  });
  if (changed) Note({framework::Wake::Reason::Change, 0, std::string()});
}

}  // namespace berth::remote
