// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/mutex.h"
#include "log/logger.h"
#include "remote/channel.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

namespace berth::remote {

// Hears what happens to a plugin's sessions: on threads of the connection, never inside a call of it.
class SessionListener {
 public:
  using Moment = std::chrono::steady_clock::time_point;

  // The plugin has greeted. Says why it cannot be used; empty when it can, and the session is open from then on.
  virtual std::string Greeted(const plugin::v1::Welcome& welcome) = 0;
  virtual void Opened(uint64_t session) = 0;
  virtual void Received(uint64_t session, PluginMessage message) = 0;
  virtual void Closed(uint64_t session, const std::string& why) = 0;
  // Called when the moment has come that it returned last, or Wake was.
  virtual Moment Tick(Moment now) = 0;

 protected:
  ~SessionListener() = default;
};

// Keeps one session with a plugin open: dials, greets, and dials again when it is lost, the longer it takes the less
// often. Thread-safe. It has a thread of its own, from Start on.
class Connection {
 public:
  using Moment = SessionListener::Moment;
  struct Options {
    plugin::v1::Hello hello;
    Duration patience{};  // for the plugin's greeting
    log::Logger log;
  };

  // Everything lent outlives it.
  Connection(Options options, std::unique_ptr<Dialer> dialer, SessionListener& listener);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void Start();
  // Ends the session and the thread; nothing is heard any more afterwards. Idempotent.
  void Stop() BERTH_EXCLUDES(mutex_);
  // Sessions are numbered from 1; 0 when none is open.
  uint64_t session() const BERTH_EXCLUDES(mutex_);
  // Says whether a session was open before the deadline. Gives up early when the plugin refused.
  bool WaitOpen(Moment deadline) BERTH_EXCLUDES(mutex_);
  // Why there is no session.
  std::string why_closed() const BERTH_EXCLUDES(mutex_);
  // Drops the message when that session is over.
  void Send(uint64_t session, const SchedulerMessage& message) BERTH_EXCLUDES(mutex_);
  // Ends the session: the plugin cannot be trusted with it.
  void Close(uint64_t session, const std::string& why) BERTH_EXCLUDES(mutex_);
  // Has the listener's Tick called soon.
  void Wake() BERTH_EXCLUDES(mutex_);

 private:
  class Stream;
  // Down until the next dial, Dialled until the stream is there, Greeted until the plugin has answered Hello.
  enum class Phase : uint8_t { Down, Dialled, Connected, Greeted, Open };

  void Run() BERTH_EXCLUDES(mutex_);
  // Each does one piece of work and says whether there was any.
  bool DropStream() BERTH_EXCLUDES(mutex_);
  bool Dial(Moment now) BERTH_EXCLUDES(mutex_);
  bool Greet() BERTH_EXCLUDES(mutex_);

  // From streams; those of one that was dropped are not heard.
  void StreamConnected(uint64_t number) BERTH_EXCLUDES(mutex_);
  void StreamReceived(uint64_t number, PluginMessage message) BERTH_EXCLUDES(mutex_);
  void StreamLost(uint64_t number, const std::string& why) BERTH_EXCLUDES(mutex_);
  void Welcomed(uint64_t number, const plugin::v1::Welcome& welcome) BERTH_EXCLUDES(mutex_);
  void Fail(std::string why, bool refused) BERTH_REQUIRES(mutex_);

  const Options options_;
  const std::unique_ptr<Dialer> dialer_;
  SessionListener& listener_;

  mutable Mutex mutex_;
  CondVar changed_;  // for the thread
  CondVar opened_;   // for WaitOpen
  std::shared_ptr<Stream> stream_ BERTH_GUARDED_BY(mutex_);
  uint64_t number_ BERTH_GUARDED_BY(mutex_) = 0;  // of the latest stream
  Phase phase_ BERTH_GUARDED_BY(mutex_) = Phase::Down;
  bool stopped_ BERTH_GUARDED_BY(mutex_) = false;
  bool woken_ BERTH_GUARDED_BY(mutex_) = false;
  bool is_ready_ BERTH_GUARDED_BY(mutex_) = false;  // open, and the listener knows
  bool refused_ BERTH_GUARDED_BY(mutex_) = false;
  uint64_t announced_ BERTH_GUARDED_BY(mutex_) = 0;  // the session that the listener takes for open
  std::string why_ BERTH_GUARDED_BY(mutex_) = "not tried yet";
  std::string logged_ BERTH_GUARDED_BY(mutex_);
  std::chrono::milliseconds pause_ BERTH_GUARDED_BY(mutex_);
  Moment opened_at_ BERTH_GUARDED_BY(mutex_);
  Moment next_ BERTH_GUARDED_BY(mutex_);  // to dial, or for the greeting to have come
  Moment tick_ BERTH_GUARDED_BY(mutex_);
  std::jthread thread_;
};

}  // namespace berth::remote
