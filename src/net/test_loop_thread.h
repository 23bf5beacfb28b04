// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "net/http.h"
#include "net/loop.h"

#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace berth::net {

// A loop on a thread of its own.
class TestLoopThread {
 public:
  TestLoopThread();
  ~TestLoopThread();
  TestLoopThread(const TestLoopThread&) = delete;
  TestLoopThread& operator=(const TestLoopThread&) = delete;

  Loop& loop() { return loop_; }
  // Runs on the loop; returns when it is done.
  void Do(const std::function<void()>& call);

 private:
  Loop loop_;
  std::thread thread_;
};

// Remembers a response; any thread may wait for it.
class CollectedResponse : public ResponseHandler {
 public:
  void TakeHead(const ResponseHead& head) override;
  void TakeBody(std::string_view piece) override;
  void TakeEnd(ExchangeEnd end, const std::string& error) override;

  // Each waits for what it names, up to a minute.
  ExchangeEnd WaitForEnd();
  ResponseHead WaitForHead();
  std::string WaitForBody(size_t size);  // at least that much of it

  // As far as they have come.
  bool ended() const;
  int status() const;
  std::string body() const;
  std::string error() const;

 private:
  mutable Mutex mutex_;
  CondVar changed_;
  bool has_head_ BERTH_GUARDED_BY(mutex_) = false;
  ResponseHead head_ BERTH_GUARDED_BY(mutex_);
  std::string body_ BERTH_GUARDED_BY(mutex_);
  bool ended_ BERTH_GUARDED_BY(mutex_) = false;
  ExchangeEnd end_ BERTH_GUARDED_BY(mutex_) = ExchangeEnd::Canceled;
  std::string error_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::net
