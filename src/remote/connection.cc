// SPDX-License-Identifier: Apache-2.0
#include "remote/connection.h"

#include "base/thread_name.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace berth::remote {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr milliseconds kFirstPause{50};
constexpr milliseconds kLongestPause{10'000};
constexpr milliseconds kAfterRefusal{30'000};
// A session that lasts this long was a good one: the next loss is met as the first.
constexpr milliseconds kGoodSession{30'000};

}  // namespace

// One stream with its number; what it hears is passed on.
class Connection::Stream final : public ChannelListener {
 public:
  Stream(Connection& owner, uint64_t number) : owner_(owner), number_(number) {}

  void Dial(Dialer& dialer) { channel_ = dialer.Dial(*this); }
  void Send(const SchedulerMessage& message) { channel_->Send(message); }
  // Nothing is heard any more afterwards.
  void Hang() { channel_.reset(); }

  void Connected() override { owner_.StreamConnected(number_); }
  void Received(PluginMessage message) override { owner_.StreamReceived(number_, std::move(message)); }
  void Lost(const std::string& why) override { owner_.StreamLost(number_, why); }

 private:
  Connection& owner_;
  const uint64_t number_;
  std::unique_ptr<Channel> channel_;  // set before anybody else has the stream
};

Connection::Connection(Options options, std::unique_ptr<Dialer> dialer, SessionListener& listener)
    : options_(std::move(options)), dialer_(std::move(dialer)), listener_(listener), pause_(kFirstPause) {}

Connection::~Connection() { Stop(); }

void Connection::Stop() {
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
  }
  changed_.NotifyAll();
  opened_.NotifyAll();
  if (thread_.joinable()) thread_.join();
}

void Connection::Start() {
  thread_ = std::jthread([this] { Run(); });
}

uint64_t Connection::session() const {
  const MutexLock lock(mutex_);
  return is_ready_ ? number_ : 0;
}

bool Connection::WaitOpen(Moment deadline) {
  const MutexLock lock(mutex_);
  while (!is_ready_ && !refused_ && !stopped_) {
    if (!opened_.WaitUntil(mutex_, deadline)) break;
  }
  return is_ready_;
}

std::string Connection::why_closed() const {
  const MutexLock lock(mutex_);
  return why_;
}

void Connection::Send(uint64_t session, const SchedulerMessage& message) {
  std::shared_ptr<Stream> stream;
  {
    const MutexLock lock(mutex_);
    if (phase_ != Phase::Open || number_ != session) return;
    stream = stream_;
  }
  stream->Send(message);
}

void Connection::Close(uint64_t session, const std::string& why) {
  const MutexLock lock(mutex_);
  if (phase_ == Phase::Open && number_ == session) Fail(why, /*refused=*/false);
}

void Connection::Wake() {
  {
    const MutexLock lock(mutex_);
    woken_ = true;
  }
  changed_.NotifyAll();
}

void Connection::Fail(std::string why, bool refused) {
  const Moment now = steady_clock::now();
  if (phase_ == Phase::Open && now - opened_at_ >= kGoodSession) pause_ = kFirstPause;
  phase_ = Phase::Down;
  is_ready_ = false;
  refused_ = refused;
  why_ = std::move(why);
  next_ = now + (refused ? kAfterRefusal : pause_);
  pause_ = std::min(2 * pause_, kLongestPause);
  changed_.NotifyAll();
  opened_.NotifyAll();
}

void Connection::Run() {
  NameThread("berth-remote");
  while (true) {
    Moment now = steady_clock::now();
    if (DropStream() || Dial(now) || Greet()) continue;
    bool tick = false;
    {
      const MutexLock lock(mutex_);
      if (stopped_) break;
      const bool greets = phase_ == Phase::Dialled || phase_ == Phase::Connected || phase_ == Phase::Greeted;
      if (greets && now >= next_) {
        Fail(phase_ == Phase::Greeted ? "it did not answer Hello" : "it did not accept the connection", false);
        continue;
      }
      tick = std::exchange(woken_, false) || now >= tick_;
      if (!tick) changed_.WaitUntil(mutex_, phase_ == Phase::Open ? tick_ : std::min(tick_, next_));
    }
    if (!tick) continue;
    const Moment next = listener_.Tick(now);
    const MutexLock lock(mutex_);
    tick_ = next;
  }
  {
    const MutexLock lock(mutex_);
    phase_ = Phase::Down;
    is_ready_ = false;
    why_ = logged_ = "the scheduler ends";
  }
  DropStream();
}

bool Connection::DropStream() {
  std::shared_ptr<Stream> stream;
  uint64_t closed = 0;
  std::string why;
  bool is_news = false;
  {
    const MutexLock lock(mutex_);
    if (phase_ != Phase::Down || stream_ == nullptr) return false;
    stream = std::move(stream_);
    closed = std::exchange(announced_, 0);
    why = why_;
    is_news = std::exchange(logged_, why) != why;
  }
  stream->Hang();
  if (is_news) options_.log.Warning("No session with the remote plugin", {{"err", why}});
  if (closed != 0) listener_.Closed(closed, why);
  return true;
}

bool Connection::Dial(Moment now) {
  std::shared_ptr<Stream> stream;
  {
    const MutexLock lock(mutex_);
    if (stopped_ || phase_ != Phase::Down || stream_ != nullptr || now < next_) return false;
    phase_ = Phase::Dialled;
    refused_ = false;
    next_ = now + std::chrono::duration_cast<steady_clock::duration>(options_.patience);
    stream_ = stream = std::make_shared<Stream>(*this, ++number_);
  }
  stream->Dial(*dialer_);
  return true;
}

bool Connection::Greet() {
  std::shared_ptr<Stream> stream;
  {
    const MutexLock lock(mutex_);
    if (phase_ != Phase::Connected) return false;
    phase_ = Phase::Greeted;
    stream = stream_;
  }
  SchedulerMessage hello;
  *hello.mutable_hello() = options_.hello;
  stream->Send(hello);
  return true;
}

void Connection::StreamConnected(uint64_t number) {
  const MutexLock lock(mutex_);
  if (number != number_ || phase_ != Phase::Dialled) return;
  phase_ = Phase::Connected;
  changed_.NotifyAll();
}

void Connection::StreamReceived(uint64_t number, PluginMessage message) {
  bool is_open = false;
  {
    const MutexLock lock(mutex_);
    if (number != number_ || phase_ == Phase::Down) return;
    is_open = phase_ == Phase::Open;
    if (!is_open && (phase_ != Phase::Greeted || !message.has_welcome())) {
      Fail("it speaks before it has answered Hello", /*refused=*/false);
      return;
    }
  }
  if (is_open) {
    listener_.Received(number, std::move(message));
  } else {
    Welcomed(number, message.welcome());
  }
}

void Connection::Welcomed(uint64_t number, const plugin::v1::Welcome& welcome) {
  const std::string problem = listener_.Greeted(welcome);
  {
    const MutexLock lock(mutex_);
    if (number != number_ || phase_ != Phase::Greeted) return;
    if (!problem.empty()) {
      Fail(problem, /*refused=*/true);
      return;
    }
    phase_ = Phase::Open;
    opened_at_ = steady_clock::now();
    announced_ = number;
    logged_.clear();
  }
  listener_.Opened(number);
  {
    const MutexLock lock(mutex_);
    is_ready_ = phase_ == Phase::Open && number == number_;
  }
  options_.log.Info("Session with the remote plugin is open",
                    {{"name", welcome.name()}, {"version", fmt::format("{}.{}", welcome.major(), welcome.minor())}});
  opened_.NotifyAll();
}

void Connection::StreamLost(uint64_t number, const std::string& why) {
  const MutexLock lock(mutex_);
  if (number != number_ || phase_ == Phase::Down) return;
  Fail(why, /*refused=*/false);
}

}  // namespace berth::remote
