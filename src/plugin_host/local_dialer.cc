// SPDX-License-Identifier: Apache-2.0
#include "plugin_host/local_dialer.h"

#include "base/mutex.h"
#include "base/thread_name.h"

#include <deque>
#include <string>
#include <thread>

namespace berth::plugin_host {
namespace {

using plugin::v1::PluginMessage;
using plugin::v1::SchedulerMessage;

// Messages on their way in one direction, with the thread that hands them over.
template <typename Message>
class Lane {
 public:
  template <typename Take>
  void Start(Take take) {
    thread_ = std::jthread([this, take = std::move(take)] {
      NameThread("berth-plugin");
      std::string bytes;
      while (Next(bytes)) {
        Message message;
        if (message.ParseFromString(bytes)) take(std::move(message));
      }
    });
  }
  void Put(const Message& message) BERTH_EXCLUDES(mutex_) {
    std::string bytes = message.SerializeAsString();
    {
      const MutexLock lock(mutex_);
      bytes_.push_back(std::move(bytes));
    }
    arrived_.NotifyOne();
  }
  // Nothing is handed over any more once this has returned.
  void Close() BERTH_EXCLUDES(mutex_) {
    {
      const MutexLock lock(mutex_);
      closed_ = true;
    }
    arrived_.NotifyAll();
    if (thread_.joinable()) thread_.join();
  }

 private:
  bool Next(std::string& bytes) BERTH_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    while (bytes_.empty() && !closed_) arrived_.Wait(mutex_);
    if (closed_) return false;
    bytes = std::move(bytes_.front());
    bytes_.pop_front();
    return true;
  }

  Mutex mutex_;
  CondVar arrived_;
  std::deque<std::string> bytes_ BERTH_GUARDED_BY(mutex_);
  bool closed_ BERTH_GUARDED_BY(mutex_) = false;
  std::jthread thread_;
};

class LocalChannel final : public remote::Channel {
 public:
  LocalChannel(const OpenSession& open, remote::ChannelListener& listener) {
    from_plugin_.Start([&listener](PluginMessage message) { listener.Received(std::move(message)); });
    session_ = open([this](const PluginMessage& message) { from_plugin_.Put(message); });
    to_plugin_.Start([this](SchedulerMessage message) { session_->Received(std::move(message)); });
  }
  ~LocalChannel() override {
    to_plugin_.Close();
    session_.reset();
    from_plugin_.Close();
  }

  void Send(const SchedulerMessage& message) override { to_plugin_.Put(message); }

 private:
  Lane<PluginMessage> from_plugin_;
  std::unique_ptr<Session> session_;
  Lane<SchedulerMessage> to_plugin_;
};

}  // namespace

std::unique_ptr<remote::Channel> LocalDialer::Dial(remote::ChannelListener& listener) {
  auto channel = std::make_unique<LocalChannel>(open_, listener);
  listener.Connected();
  return channel;
}

}  // namespace berth::plugin_host
