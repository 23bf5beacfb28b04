// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "framework/binding_work.h"
#include "framework/plugin_metrics.h"
#include "log/logger.h"
#include "remote/breaker.h"
#include "remote/connection.h"
#include "remote/cycle_numbers.h"
#include "remote/wire.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace berth::remote {

// What became of a pod that waits at Permit: the verdict reached it, the pod is not there yet, or nobody waits for it.
enum class Delivery : uint8_t { Done, TooEarly, Nobody };
using DeliverPermit = std::function<Delivery(const wire::PermitVerdict& verdict)>;

// Makes the calls of one plugin and finds out which answer belongs to which: whoever waits here waits no longer than
// the call may take. Thread-safe.
//
// A failed call is an Error: Timeout, Unavailable (there is no session), Canceled (calls are suspended), Internal (the
// plugin could not answer) or Invalid (the answer makes no sense).
class OpenCalls final : public SessionListener, public std::enable_shared_from_this<OpenCalls> {
 public:
  using TakeAnswer = framework::BindingWork::TakeAnswer;
  struct Options {
    std::string plugin;
    std::string profile;
    wire::Hello hello;
    Duration patience{};         // for a greeting, and for the first answer of a session
    size_t most_in_flight = 64;  // calls that nobody waits for on the spot
    log::Logger log;
    framework::PluginMetrics* metrics = nullptr;
    DeliverPermit deliver_permit;
    // What the plugin says of its own accord: events and pods to be tried. On a thread of the transport.
    std::function<void(const PluginMessage& message)> hear;
    // Calls can be made, perhaps again. Called again and again, on a thread of its own.
    std::function<void()> may_call;
  };
  // A session with what the plugin said of itself.
  struct Session {
    uint64_t number = 0;
    wire::Welcome welcome;
  };

  // Everything lent outlives it.
  OpenCalls(Options options, std::unique_ptr<Dialer> dialer);

  // Begins to connect; says whether the plugin was there in time.
  bool Start(Duration patience);
  // Ends the session; nothing that was lent is used any more afterwards.
  void Stop() { connection_->Stop(); }
  // The open session, or why no call can be made.
  Result<std::shared_ptr<const Session>> Ready() BERTH_EXCLUDES(mutex_);
  // Null when none is open.
  std::shared_ptr<const Session> OpenSession() const BERTH_EXCLUDES(mutex_);
  // What the plugin said of itself when it last greeted; null when it never did.
  std::shared_ptr<const Session> LastKnown() const BERTH_EXCLUDES(mutex_);

  uint64_t NewId() BERTH_EXCLUDES(mutex_);
  // Messages that ask for nothing.
  void Send(uint64_t session, const std::vector<SchedulerMessage>& messages);
  void Send(uint64_t session, const SchedulerMessage& message);

  // A call to be made: `problem` says what is wrong with an answer, or "".
  struct Question {
    uint64_t session = 0;
    std::string_view step;
    wire::Call call;
    Duration timeout{};
    std::function<std::string(const wire::Answer& answer)> problem;
    // Answers what the plugin asks meanwhile; its time begins anew afterwards.
    std::function<wire::Judged(const wire::Judge& judge)> serve = {};
  };
  // Makes the call and waits for its answer.
  Result<wire::Answer> Ask(const Question& question) BERTH_EXCLUDES(mutex_);
  // Makes the call, or queues it; `take` gets the answer as bytes, on any thread, or here if it fails at once.
  void AskLater(Question question, TakeAnswer take) BERTH_EXCLUDES(mutex_);
  // Waits for the plugin to say that it goes on with what it answered this call with. Nobody waits any more once what
  // is returned has gone.
  std::shared_ptr<void> AwaitWake(uint64_t call, TakeAnswer take) BERTH_EXCLUDES(mutex_);

  CycleNumbers& cycles() { return *cycles_; }
  // A failure as users read it, by this plugin.
  Error Failure(ErrorCode code, std::string_view what) const;

  // SessionListener
  std::string Greeted(const wire::Welcome& welcome) override BERTH_EXCLUDES(mutex_);
  void Opened(uint64_t session) override BERTH_EXCLUDES(mutex_);
  void Received(uint64_t session, PluginMessage message) override BERTH_EXCLUDES(mutex_);
  void Closed(uint64_t session, const std::string& why) override BERTH_EXCLUDES(mutex_);
  Moment Tick(Moment now) override BERTH_EXCLUDES(mutex_);

 private:
  // What may come while a call is waited for; an error ends the wait.
  using Heard = std::variant<wire::Answer, wire::Judge, Error>;
  // A call that is answered whenever its answer comes.
  struct Later {
    Question question;
    TakeAnswer take;
    Moment made;
    Moment deadline;
  };
  // What is to be done once the lock is released.
  using Deeds = std::vector<std::function<void()>>;

  Result<wire::Answer> Await(const Question& question, Moment made) BERTH_EXCLUDES(mutex_);
  void ForgetWake(uint64_t call) BERTH_EXCLUDES(mutex_);
  Heard AwaitMessage(const Question& question, Moment deadline) BERTH_EXCLUDES(mutex_);
  Result<wire::Answer> Judged(const Question& question, Moment made, Result<wire::Answer> answer)
      BERTH_EXCLUDES(mutex_);
  void Count(const Question& question, Moment made, std::string_view result) const;
  void MakeNext(Deeds& deeds) BERTH_REQUIRES(mutex_);
  void Finish(Later later, Result<wire::Answer> answer) BERTH_EXCLUDES(mutex_);
  void Answered(uint64_t session, wire::Answer answer) BERTH_EXCLUDES(mutex_);
  void Woken(uint64_t call) BERTH_EXCLUDES(mutex_);
  void Stray(uint64_t session, std::string_view kind) BERTH_EXCLUDES(mutex_);
  void SendCyclesEnded(uint64_t session);
  void ReportState() BERTH_EXCLUDES(mutex_);

  const Options options_;
  const std::shared_ptr<CycleNumbers> cycles_ = std::make_shared<CycleNumbers>();

  mutable Mutex mutex_;
  CondVar changed_;
  std::shared_ptr<const Session> session_ BERTH_GUARDED_BY(mutex_);     // null when none is open
  std::shared_ptr<const Session> last_known_ BERTH_GUARDED_BY(mutex_);  // also one that was lost
  Breaker breaker_ BERTH_GUARDED_BY(mutex_);
  std::string last_failure_ BERTH_GUARDED_BY(mutex_);
  uint64_t last_id_ BERTH_GUARDED_BY(mutex_) = 0;
  bool has_answered_ BERTH_GUARDED_BY(mutex_) = false;  // in this session
  // Calls that somebody waits for on the spot, with the answers that have come.
  std::map<uint64_t, std::optional<wire::Answer>> waiting_ BERTH_GUARDED_BY(mutex_);
  std::map<uint64_t, Later> later_ BERTH_GUARDED_BY(mutex_);  // made
  std::deque<Later> queued_ BERTH_GUARDED_BY(mutex_);
  std::map<uint64_t, TakeAnswer> wakes_ BERTH_GUARDED_BY(mutex_);
  std::set<uint64_t> early_wakes_ BERTH_GUARDED_BY(mutex_);
  std::deque<wire::Judge> judges_ BERTH_GUARDED_BY(mutex_);
  size_t unasked_ BERTH_GUARDED_BY(mutex_) = 0;                        // messages since the last tick
  std::vector<wire::PermitVerdict> permits_ BERTH_GUARDED_BY(mutex_);  // for pods that are not there yet
  size_t strays_ BERTH_GUARDED_BY(mutex_) = 0;                         // in this session
  Moment ticked_ BERTH_GUARDED_BY(mutex_);

  std::unique_ptr<Connection> connection_;  // ends before what it calls
};

}  // namespace berth::remote
