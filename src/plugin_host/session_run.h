// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "net/grpc_stream.h"
#include "plugin_host/session.h"

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace berth::plugin_host {

// One session with its thread. The stream tells it on the loop.
class SessionRun final : public net::GrpcStreamEvents {
 public:
  // `done` is called on the session's thread as the last thing it does.
  SessionRun(net::GrpcStream stream, OpenSession open, std::function<void()> done);
  ~SessionRun() override;  // waits for the thread
  SessionRun(const SessionRun&) = delete;
  SessionRun& operator=(const SessionRun&) = delete;

  void StreamReceived(std::string message) override BERTH_EXCLUDES(mutex_);
  void StreamInputEnded() override BERTH_EXCLUDES(mutex_);
  void StreamEnded(const net::GrpcStatus& status) override BERTH_EXCLUDES(mutex_);

 private:
  void Run() BERTH_EXCLUDES(mutex_);
  // How the session ended.
  net::GrpcStatus Serve() BERTH_EXCLUDES(mutex_);
  // False: there is nothing more.
  bool Next(std::string& message) BERTH_EXCLUDES(mutex_);

  const net::GrpcStream stream_;
  const OpenSession open_;
  const std::function<void()> done_;
  Mutex mutex_;
  CondVar changed_;
  std::deque<std::string> received_ BERTH_GUARDED_BY(mutex_);  // bounded by the stream's limits
  bool input_ended_ BERTH_GUARDED_BY(mutex_) = false;
  bool ended_ BERTH_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses the rest
};

}  // namespace berth::plugin_host
