// SPDX-License-Identifier: Apache-2.0
#include "plugin_host/hosted_binding.h"

#include "base/thread_name.h"
#include "remote/wire.h"

#include <algorithm>
#include <optional>
#include <string>

namespace berth::plugin_host {

using framework::BindingProgress;
using framework::Code;
using framework::Status;
using framework::Wake;
using framework::WorkTicket;

namespace wire = plugin::v1;

namespace {

wire::ObjectRef RefTo(const framework::ObjectKey& key) {
  wire::ObjectRef ref;
  ref.set_kind(key.kind);
  ref.set_namespace_(key.namespace_);
  ref.set_name(key.name);
  return ref;
}

}  // namespace

// What the plugin asks for during one call.
class HostedBinding::Work final : public framework::BindWork {
 public:
  Work(HostedBinding& owner, wire::BindingAnswer& answer) : owner_(owner), answer_(answer) {}

  WorkTicket Patch(framework::ObjectPatch patch) override {
    wire::Patch& written = *answer_.add_works()->mutable_patch();
    *written.mutable_object() = RefTo(patch.object);
    written.set_uid(std::move(patch.uid));
    written.set_resource_version(std::move(patch.resource_version));
    written.set_merge_patch(std::move(patch.merge_patch));
    return AskScheduler();
  }
  WorkTicket Bind() override {
    answer_.add_works()->set_bind(true);
    return AskScheduler();
  }
  WorkTicket RunElsewhere(std::function<Status(const std::stop_token& stop)> work) override {
    return Await([&](TakeAnswer take) {
      owner_.threads_.emplace_back([work = std::move(work), take = std::move(take)](const std::stop_token& stop) {
        NameThread("berth-work");
        const Status status = work(stop);
        take(status.ok() ? Result<std::string>(std::string()) : Error{ErrorCode::Internal, status.Message()});
      });
    });
  }
  WorkTicket Await(const std::function<void(TakeAnswer take)>& begin) override {
    const WorkTicket ticket = ++owner_.last_ticket_;
    {
      const MutexLock lock(owner_.local_->mutex);
      ++owner_.local_->under_way;
    }
    begin([local = owner_.local_, ticket](Result<std::string> answer) { local->Finish(ticket, std::move(answer)); });
    return ticket;
  }

 private:
  WorkTicket AskScheduler() {
    owner_.asked_.push_back(++owner_.last_ticket_);
    return owner_.last_ticket_;
  }

  HostedBinding& owner_;
  wire::BindingAnswer& answer_;
};

void HostedBinding::Local::Finish(WorkTicket ticket, Result<std::string> answer) {
  const MutexLock lock(mutex);
  --under_way;
  done.emplace_back(ticket, std::move(answer));
  if (waiting_call == 0 || scheduler == nullptr) return;
  wire::PluginMessage message;
  message.mutable_wake()->set_call(std::exchange(waiting_call, 0));
  scheduler->Send(message);
}

HostedBinding::HostedBinding(const Clock& clock, SchedulerEnd& scheduler) : clock_(clock) {
  const MutexLock lock(local_->mutex);
  local_->scheduler = &scheduler;
}

HostedBinding::~HostedBinding() {
  {
    const MutexLock lock(local_->mutex);
    local_->scheduler = nullptr;
  }
  for (std::jthread& thread : threads_) thread.request_stop();
}

Wake HostedBinding::WakeFor(const wire::BindingCall& call) const {
  Wake wake;
  switch (call.reason()) {
    case wire::BindingCall::CHANGED: wake.reason = Wake::Reason::Change; break;
    case wire::BindingCall::DEADLINE: wake.reason = Wake::Reason::Deadline; break;
    case wire::BindingCall::ANSWERED:
      wake.reason = Wake::Reason::Answer;
      if (call.work() < asked_.size()) wake.ticket = asked_[call.work()];
      if (call.error().empty()) {
        wake.answer = call.result();
      } else {
        wake.answer = Error{ErrorCode::Internal, call.error()};
      }
      break;
    default: break;
  }
  return wake;
}

wire::BindingAnswer HostedBinding::Call(uint64_t call_id, const wire::BindingCall& call, const Step& step) {
  wire::BindingAnswer answer;
  Work work(*this, answer);
  {
    const MutexLock lock(local_->mutex);
    local_->waiting_call = 0;
  }
  if (call.reason() != wire::BindingCall::WOKEN) progress_ = step(WakeFor(call), work);
  while (progress_.status.code() == Code::Wait) {
    std::pair<WorkTicket, Result<std::string>> done{0, std::string()};
    {
      const MutexLock lock(local_->mutex);
      if (local_->done.empty()) {
        // What is done from here on is told by a BindingWake.
        if (local_->under_way != 0) local_->waiting_call = call_id;
        answer.set_will_wake(local_->under_way != 0);
        break;
      }
      done = std::move(local_->done.front());
      local_->done.erase(local_->done.begin());
    }
    progress_ = step(Wake{Wake::Reason::Answer, done.first, std::move(done.second)}, work);
  }
  DescribeProgress(answer);
  return answer;
}

void HostedBinding::DescribeProgress(wire::BindingAnswer& answer) const {
  *answer.mutable_status() = remote::ToWire(progress_.status);
  if (progress_.status.code() != Code::Wait) return;
  if (progress_.wake_at) {
    const auto after = std::chrono::ceil<std::chrono::milliseconds>(*progress_.wake_at - clock_.Now());
    answer.set_wake_after_millis(static_cast<uint64_t>(std::max<int64_t>(after.count(), 1)));
  }
  for (const framework::ObjectKey& key : progress_.wake_on) *answer.add_wake_on() = RefTo(key);
}

}  // namespace berth::plugin_host
