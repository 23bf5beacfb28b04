// SPDX-License-Identifier: Apache-2.0
#include "net/loop.h"

#include "net/loop_impl.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace berth::net {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

// A longer delay would overflow the clock.
constexpr Duration kLongestDelay = std::chrono::hours(24 * 365);

}  // namespace

// One timer of the library serves all timers of the loop: it is set to the earliest. Exchanges set and cancel theirs by
// the thousand, and most never go off.
class Loop::Impl {
 public:
  // Nothing can be served without an event queue: out of descriptors, the library's exception ends the process here.
  Impl() noexcept : work_(context_.get_executor()), alarm_(context_) {}

  boost::asio::io_context& context() { return context_; }
  void Run() { context_.run(); }
  void Stop() { context_.stop(); }
  void Post(std::function<void()> call) { boost::asio::post(context_, std::move(call)); }

  TimerId After(Duration delay, std::function<void()> call) {
    const SteadyTime due = std::chrono::steady_clock::now() + std::clamp(delay, Duration::zero(), kLongestDelay);
    const TimerId id = next_timer_++;
    calls_.emplace(Key(due, id), std::move(call));
    due_.emplace(id, due);
    Arm();
    return id;
  }

  void Cancel(TimerId id) {
    const auto found = due_.find(id);
    if (found == due_.end()) return;
    calls_.erase(Key(found->second, id));
    due_.erase(found);
  }

 private:
  using Key = std::pair<SteadyTime, TimerId>;

  // Makes sure that the alarm goes off when the earliest timer is due, or before.
  void Arm() {
    if (calls_.empty()) return;
    const SteadyTime first = calls_.begin()->first.first;
    if (armed_.has_value() && *armed_ <= first) return;
    armed_ = first;
    alarm_.expires_at(first);
    alarm_.async_wait([this](const boost::system::error_code& error) {
      if (!error) GoOff();
    });
  }

  void GoOff() {
    armed_.reset();
    const SteadyTime now = std::chrono::steady_clock::now();
    while (!calls_.empty() && calls_.begin()->first.first <= now) {
      auto timer = calls_.extract(calls_.begin());
      due_.erase(timer.key().second);
      timer.mapped()();
    }
    Arm();
  }

  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer alarm_;
  std::optional<SteadyTime> armed_;
  std::map<Key, std::function<void()>> calls_;
  std::unordered_map<TimerId, SteadyTime> due_;
  TimerId next_timer_ = 1;
};

Loop::Loop() : impl_(std::make_unique<Impl>()) {}
Loop::~Loop() = default;

void Loop::Run() { impl_->Run(); }
void Loop::Stop() { impl_->Stop(); }
void Loop::Post(std::function<void()> call) { impl_->Post(std::move(call)); }
Duration Loop::Now() const { return std::chrono::steady_clock::now().time_since_epoch(); }
Loop::TimerId Loop::After(Duration delay, std::function<void()> call) { return impl_->After(delay, std::move(call)); }
void Loop::Cancel(TimerId timer) { impl_->Cancel(timer); }

boost::asio::io_context& IoContextOf(Loop& loop) { return loop.impl().context(); }

}  // namespace berth::net
