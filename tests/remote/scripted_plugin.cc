// SPDX-License-Identifier: Apache-2.0
#include "remote/scripted_plugin.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <thread>
#include <utility>

namespace berth::test {

using framework::PluginEntry;
using framework::PluginInstance;
using remote::PluginMessage;
using remote::SchedulerMessage;

// What all streams share.
struct ScriptedPlugin::State {
  Mutex mutex;
  mutable CondVar changed;
  wire::Welcome welcome BERTH_GUARDED_BY(mutex);
  bool away BERTH_GUARDED_BY(mutex) = false;
  OnCall on_call BERTH_GUARDED_BY(mutex);
  std::vector<SchedulerMessage> heard BERTH_GUARDED_BY(mutex);
  size_t sessions BERTH_GUARDED_BY(mutex) = 0;
  Stream* open BERTH_GUARDED_BY(mutex) = nullptr;
};

// One stream; whatever its listener hears, it hears on the stream's thread.
class ScriptedPlugin::Stream final : public remote::Channel {
 public:
  Stream(std::shared_ptr<State> state, remote::ChannelListener& listener)
      : state_(std::move(state)), listener_(listener) {
    bool away = false;
    {
      const MutexLock lock(state_->mutex);
      away = state_->away;
      if (!away) state_->open = this;
    }
    if (away) {
      Post([this] { listener_.Lost("nobody listens"); });
    } else {
      Post([this] { listener_.Connected(); });
    }
    thread_ = std::jthread([this] { Run(); });
  }
  ~Stream() override {
    {
      const MutexLock lock(state_->mutex);
      if (state_->open == this) state_->open = nullptr;
    }
    {
      const MutexLock lock(mutex_);
      closed_ = true;
    }
    arrived_.NotifyAll();
    thread_.join();
  }

  void Send(const SchedulerMessage& message) override {
    // As over a wire: what is sent is a copy.
    SchedulerMessage copy;
    BERTH_CHECK(copy.ParseFromString(message.SerializeAsString()));
    Post([this, copy = std::move(copy)] { Hear(copy); });
  }

  void Post(std::function<void()> deed) {
    {
      const MutexLock lock(mutex_);
      deeds_.push_back(std::move(deed));
    }
    arrived_.NotifyAll();
  }
  void Tell(const PluginMessage& message) {
    Post([this, message] { listener_.Received(message); });
  }
  void Cut(const std::string& why) {
    Post([this, why] {
      is_over_ = true;
      listener_.Lost(why);
    });
  }

 private:
  void Run() {
    while (true) {
      std::function<void()> deed;
      {
        const MutexLock lock(mutex_);
        while (deeds_.empty() && !closed_) arrived_.Wait(mutex_);
        if (closed_) return;
        deed = std::move(deeds_.front());
        deeds_.pop_front();
      }
      if (!is_over_) deed();
    }
  }

  void Hear(const SchedulerMessage& message) {
    OnCall on_call;
    PluginMessage answer;
    {
      const MutexLock lock(state_->mutex);
      state_->heard.push_back(message);
      on_call = state_->on_call;
      if (message.has_hello()) {
        *answer.mutable_welcome() = state_->welcome;
        ++state_->sessions;
      }
    }
    state_->changed.NotifyAll();
    if (answer.has_welcome()) listener_.Received(answer);
    if (!message.has_call() || !on_call) return;
    std::optional<wire::Answer> said = on_call(message.call());
    if (!said) return;
    if (said->id() == 0) said->set_id(message.call().id());
    *answer.mutable_answer() = *std::move(said);
    listener_.Received(answer);
  }

  const std::shared_ptr<State> state_;
  remote::ChannelListener& listener_;
  bool is_over_ = false;  // the stream's thread
  Mutex mutex_;
  CondVar arrived_;
  std::deque<std::function<void()>> deeds_ BERTH_GUARDED_BY(mutex_);
  bool closed_ BERTH_GUARDED_BY(mutex_) = false;
  std::jthread thread_;
};

namespace {

class Dialler final : public remote::Dialer {
 public:
  using Open = std::function<std::unique_ptr<remote::Channel>(remote::ChannelListener&)>;
  explicit Dialler(Open open) : open_(std::move(open)) {}
  std::unique_ptr<remote::Channel> Dial(remote::ChannelListener& listener) override { return open_(listener); }

 private:
  const Open open_;
};

}  // namespace

ScriptedPlugin::ScriptedPlugin(framework::PointSet points) : state_(std::make_shared<State>()), points_(points) {
  wire::Welcome welcome;
  welcome.set_major(remote::kMajor);
  welcome.set_name("scripted");
  welcome.set_default_events(true);
  for (const framework::ExtensionPoint point : framework::kExtensionPoints) {
    if (points.Has(point)) welcome.add_points(remote::ToWire(point));
  }
  SetWelcome(welcome);
}

PluginEntry ScriptedPlugin::Entry(std::string name, const remote::RemotePluginArgs& args,
                                  std::function<PluginInstance(framework::Handle&)> fallback) {
  return {name, points_,
          [this, name, args, fallback = std::move(fallback)](const framework::PluginArgs*,
                                                             framework::Handle& handle) -> Result<PluginInstance> {
            remote::RemotePluginOptions options{name, points_, "", std::nullopt};
            if (fallback) options.fallback = fallback(handle);
            return remote::MakeRemotePlugin(std::move(options), args, handle, MakeDialer());
          }};
}

std::unique_ptr<remote::Dialer> ScriptedPlugin::MakeDialer() const {
  return std::make_unique<Dialler>(
      [state = state_](remote::ChannelListener& listener) { return std::make_unique<Stream>(state, listener); });
}

void ScriptedPlugin::SetWelcome(const wire::Welcome& welcome) {
  const MutexLock lock(state_->mutex);
  state_->welcome = welcome;
}

wire::Welcome ScriptedPlugin::welcome() const {
  const MutexLock lock(state_->mutex);
  return state_->welcome;
}

void ScriptedPlugin::GoAway(bool away) {
  const MutexLock lock(state_->mutex);
  state_->away = away;
}

void ScriptedPlugin::Answer(OnCall on_call) {
  const MutexLock lock(state_->mutex);
  state_->on_call = std::move(on_call);
}

void ScriptedPlugin::Send(const PluginMessage& message) {
  const MutexLock lock(state_->mutex);
  if (state_->open != nullptr) state_->open->Tell(message);
}

void ScriptedPlugin::Cut(const std::string& why) {
  const MutexLock lock(state_->mutex);
  if (state_->open != nullptr) state_->open->Cut(why);
}

std::vector<SchedulerMessage> ScriptedPlugin::heard() const {
  const MutexLock lock(state_->mutex);
  return state_->heard;
}

std::vector<wire::Call> ScriptedPlugin::calls() const {
  std::vector<wire::Call> calls;
  for (const SchedulerMessage& message : heard()) {
    if (message.has_call()) calls.push_back(message.call());
  }
  return calls;
}

size_t ScriptedPlugin::sessions() const {
  const MutexLock lock(state_->mutex);
  return state_->sessions;
}

void ScriptedPlugin::WaitUntilHeard(const std::function<bool(const SchedulerMessage&)>& such) const {
  const MutexLock lock(state_->mutex);
  while (std::ranges::none_of(state_->heard, such)) state_->changed.Wait(state_->mutex);
}

void ScriptedPlugin::WaitForSessions(size_t count) const {
  const MutexLock lock(state_->mutex);
  while (state_->sessions < count) state_->changed.Wait(state_->mutex);
}

wire::Answer FilterAnswers(const wire::Call& call, std::vector<uint32_t> verdicts, std::vector<std::string> reasons) {
  wire::Answer answer;
  answer.set_id(call.id());
  wire::FilterAnswer& filter = *answer.mutable_filter();
  for (const uint32_t verdict : verdicts) filter.add_verdicts(verdict);
  for (const std::string& reason : reasons) *filter.add_reasons() = Says(wire::UNSCHEDULABLE, reason);
  return answer;
}

wire::Status Says(wire::Code code, const std::string& reason) {
  wire::Status status;
  status.set_code(code);
  if (!reason.empty()) status.add_reasons(reason);
  return status;
}

}  // namespace berth::test
