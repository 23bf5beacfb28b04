// SPDX-License-Identifier: Apache-2.0
#include "plugin_host/plugin_session.h"

#include "base/thread_name.h"
#include "remote/wire.h"

#include <utility>

namespace berth::plugin_host {

namespace wire = plugin::v1;

PluginSession::PluginSession(HostedOptions options, SendToScheduler send)
    : options_(std::move(options)), send_(std::move(send)) {}

PluginSession::~PluginSession() {
  {
    const MutexLock lock(mutex_);
    closed_ = true;
  }
  changed_.NotifyAll();
  if (post_filter_.joinable()) post_filter_.join();
  const MutexLock lock(plugin_mutex_);
  plugin_.reset();
}

void PluginSession::Received(wire::SchedulerMessage message) {
  switch (message.message_case()) {
    case wire::SchedulerMessage::kHello: {
      const MutexLock lock(plugin_mutex_);
      return Greet(message.hello());
    }
    case wire::SchedulerMessage::kObjects: {
      const MutexLock lock(plugin_mutex_);
      if (plugin_ != nullptr) plugin_->Take(message.objects());
      return;
    }
    case wire::SchedulerMessage::kNote: {
      const MutexLock lock(plugin_mutex_);
      if (plugin_ != nullptr) plugin_->Take(message.note());
      return;
    }
    case wire::SchedulerMessage::kCall: {
      if (!message.call().has_post_filter()) return Answer(message.call());
      if (post_filter_.joinable()) post_filter_.join();
      post_filter_ = std::jthread([this, call = std::move(*message.mutable_call())] {
        NameThread("berth-postfilt");
        Answer(call);
      });
      return;
    }
    case wire::SchedulerMessage::kCancel: return Cancel(message.cancel().call());
    case wire::SchedulerMessage::kJudged: return Judged(std::move(*message.mutable_judged()));
    case wire::SchedulerMessage::MESSAGE_NOT_SET: return;  // of a later minor version
  }
}

void PluginSession::Greet(const wire::Hello& hello) {
  wire::PluginMessage message;
  wire::Welcome& welcome = *message.mutable_welcome();
  Result<std::unique_ptr<HostedPlugin>> made = HostedPlugin::Make(hello, options_, *this);
  if (made) {
    plugin_ = *std::move(made);
    welcome = plugin_->Welcome();
  } else {
    welcome.set_major(remote::kMajor);
    welcome.set_minor(remote::kMinor);
    welcome.set_refusal(made.error().message);
  }
  Send(message);
}

void PluginSession::Answer(const wire::Call& call) {
  wire::PluginMessage message;
  {
    const MutexLock lock(plugin_mutex_);
    if (plugin_ == nullptr) {
      message.mutable_answer()->set_id(call.id());
      message.mutable_answer()->set_error("the scheduler has not said hello");
    } else {
      *message.mutable_answer() = plugin_->AnswerTo(call);
    }
  }
  Send(message);
}

// On PostFilter's thread, which holds the plugin.
Result<wire::Judged> PluginSession::Ask(wire::Judge judge) {
  const uint64_t id = judge.id();
  const uint64_t call = judge.call();
  wire::PluginMessage message;
  *message.mutable_judge() = std::move(judge);
  {
    const MutexLock lock(mutex_);
    questions_.try_emplace(id);
  }
  Send(message);
  plugin_mutex_.Unlock();
  Result<wire::Judged> outcome = InvalidError("the scheduler does not wait for PostFilter any more");
  {
    const MutexLock lock(mutex_);
    std::optional<wire::Judged>& judged = questions_[id];
    while (!judged && !closed_ && !cancelled_.contains(call)) changed_.Wait(mutex_);
    if (judged) outcome = *std::move(judged);
    questions_.erase(id);
  }
  plugin_mutex_.Lock();
  return outcome;
}

void PluginSession::Judged(wire::Judged judged) {
  {
    const MutexLock lock(mutex_);
    const auto it = questions_.find(judged.id());
    if (it == questions_.end()) return;
    it->second = std::move(judged);
  }
  changed_.NotifyAll();
}

void PluginSession::Cancel(uint64_t call) {
  {
    const MutexLock lock(mutex_);
    cancelled_.insert(call);
    // Numbers grow: old ones need not be remembered.
    while (cancelled_.size() > 64) cancelled_.erase(cancelled_.begin());
  }
  changed_.NotifyAll();
}

OpenSession Serving(HostedOptions options) {
  return [options = std::move(options)](SendToScheduler send) -> std::unique_ptr<Session> {
    return std::make_unique<PluginSession>(options, std::move(send));
  };
}

}  // namespace berth::plugin_host
