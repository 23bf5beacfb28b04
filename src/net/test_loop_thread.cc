// SPDX-License-Identifier: Apache-2.0
#include "net/test_loop_thread.h"

#include "base/check.h"

#include <chrono>
#include <future>

namespace berth::net {
namespace {

std::chrono::steady_clock::time_point InAMinute() { return std::chrono::steady_clock::now() + std::chrono::minutes(1); }

}  // namespace

TestLoopThread::TestLoopThread() : thread_([this] { loop_.Run(); }) {}

TestLoopThread::~TestLoopThread() {
  loop_.Stop();
  thread_.join();
}

void TestLoopThread::Do(const std::function<void()>& call) {
  std::promise<void> done;
  loop_.Post([&] {
    call();
    done.set_value();
  });
  done.get_future().wait();
}

void CollectedResponse::TakeHead(const ResponseHead& head) {
  const MutexLock lock(mutex_);
  BERTH_CHECK(!has_head_ && !ended_);
  has_head_ = true;
  head_ = head;
  changed_.NotifyAll();
}

void CollectedResponse::TakeBody(std::string_view piece) {
  const MutexLock lock(mutex_);
  BERTH_CHECK(has_head_ && !ended_);
  body_ += piece;
  changed_.NotifyAll();
}

void CollectedResponse::TakeEnd(ExchangeEnd end, const std::string& error) {
  const MutexLock lock(mutex_);
  BERTH_CHECK(!ended_);
  ended_ = true;
  end_ = end;
  error_ = error;
  changed_.NotifyAll();
}

ExchangeEnd CollectedResponse::WaitForEnd() {
  const MutexLock lock(mutex_);
  while (!ended_) BERTH_CHECK(changed_.WaitUntil(mutex_, InAMinute()));
  return end_;
}

ResponseHead CollectedResponse::WaitForHead() {
  const MutexLock lock(mutex_);
  while (!has_head_) BERTH_CHECK(changed_.WaitUntil(mutex_, InAMinute()));
  return head_;
}

std::string CollectedResponse::WaitForBody(size_t size) {
  const MutexLock lock(mutex_);
  while (body_.size() < size) BERTH_CHECK(changed_.WaitUntil(mutex_, InAMinute()));
  return body_;
}

bool CollectedResponse::ended() const {
  const MutexLock lock(mutex_);
  return ended_;
}

int CollectedResponse::status() const {
  const MutexLock lock(mutex_);
  return head_.status;
}

std::string CollectedResponse::body() const {
  const MutexLock lock(mutex_);
  return body_;
}

std::string CollectedResponse::error() const {
  const MutexLock lock(mutex_);
  return error_;
}

}  // namespace berth::net
