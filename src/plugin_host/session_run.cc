// SPDX-License-Identifier: Apache-2.0
#include "plugin_host/session_run.h"

#include "base/thread_name.h"

#include <utility>

namespace berth::plugin_host {

SessionRun::SessionRun(net::GrpcStream stream, OpenSession open, std::function<void()> done)
    : stream_(std::move(stream)), open_(std::move(open)), done_(std::move(done)), thread_([this] { Run(); }) {}

SessionRun::~SessionRun() { thread_.join(); }

void SessionRun::StreamReceived(std::string message) {
  const MutexLock lock(mutex_);
  received_.push_back(std::move(message));
  changed_.NotifyOne();
}

void SessionRun::StreamInputEnded() {
  const MutexLock lock(mutex_);
  input_ended_ = true;
  changed_.NotifyOne();
}

void SessionRun::StreamEnded(const net::GrpcStatus& /*status*/) {
  const MutexLock lock(mutex_);
  ended_ = true;
  changed_.NotifyOne();
}

void SessionRun::Run() {
  NameThread("session");
  stream_.End(Serve());
  done_();
}

net::GrpcStatus SessionRun::Serve() {
  const std::unique_ptr<Session> session =
      open_([stream = stream_](const plugin::v1::PluginMessage& message) { stream.Send(message.SerializeAsString()); });
  std::string message;
  while (Next(message)) {
    plugin::v1::SchedulerMessage read;
    if (!read.ParseFromString(message)) {
      return {net::GrpcCode::InvalidArgument, "the scheduler has sent a message that cannot be read"};
    }
    session->Received(std::move(read));
    stream_.Taken(message.size());
  }
  return {};
}

bool SessionRun::Next(std::string& message) {
  const MutexLock lock(mutex_);
  while (!ended_ && !input_ended_ && received_.empty()) changed_.Wait(mutex_);
  if (ended_ || received_.empty()) return false;
  message = std::move(received_.front());
  received_.pop_front();
  return true;
}

}  // namespace berth::plugin_host
