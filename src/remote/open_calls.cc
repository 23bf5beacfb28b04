// SPDX-License-Identifier: Apache-2.0
#include "remote/open_calls.h"

#include "config/fields/go_duration.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace berth::remote {

using std::chrono::steady_clock;

namespace {

// A plugin that asks again and again gets its time anew, but not for ever.
constexpr int kLongestInTimeouts = 20;
// More messages that nobody waits for are a flood.
constexpr size_t kMostStrays = 1'000;
// Of its own accord a plugin may say so much between two ticks.
constexpr size_t kMostUnasked = 1'000;
constexpr std::chrono::milliseconds kPermitRetry{1};
constexpr std::chrono::seconds kIdleTick{1};

std::string_view ResultName(ErrorCode code) {
  switch (code) {
    case ErrorCode::Timeout: return "timeout";
    case ErrorCode::Unavailable: return "lost";
    case ErrorCode::Canceled: return "suspended";
    case ErrorCode::Invalid: return "lie";
    default: return "error";
  }
}

steady_clock::duration Steady(Duration duration) {
  return std::chrono::duration_cast<steady_clock::duration>(duration);
}

SchedulerMessage MessageOf(const wire::Call& call) {
  SchedulerMessage message;
  *message.mutable_call() = call;
  return message;
}

}  // namespace

OpenCalls::OpenCalls(Options options, std::unique_ptr<Dialer> dialer) : options_(std::move(options)) {
  connection_ = std::make_unique<Connection>(Connection::Options{options_.hello, options_.patience, options_.log},
                                             std::move(dialer), *this);
}

bool OpenCalls::Start(Duration patience) {
  connection_->Start();
  const bool is_open = connection_->WaitOpen(steady_clock::now() + Steady(patience));
  ReportState();
  return is_open;
}

Error OpenCalls::Failure(ErrorCode code, std::string_view what) const {
  return {code, fmt::format("remote plugin \"{}\": {}", options_.plugin, what)};
}

Result<std::shared_ptr<const OpenCalls::Session>> OpenCalls::Ready() {
  {
    const MutexLock lock(mutex_);
    if (session_ != nullptr) {
      if (breaker_.Allows(steady_clock::now())) return session_;
      return Failure(ErrorCode::Canceled, fmt::format("it is not called for a while, because {} calls in a row have "
                                                      "failed; the last: {}",
                                                      breaker_.failures(), last_failure_));
    }
  }
  return Failure(ErrorCode::Unavailable, "there is no session: " + connection_->why_closed());
}

std::shared_ptr<const OpenCalls::Session> OpenCalls::OpenSession() const {
  const MutexLock lock(mutex_);
  return session_;
}

std::shared_ptr<const OpenCalls::Session> OpenCalls::LastKnown() const {
  const MutexLock lock(mutex_);
  return last_known_;
}

uint64_t OpenCalls::NewId() {
  const MutexLock lock(mutex_);
  return ++last_id_;
}

void OpenCalls::Send(uint64_t session, const SchedulerMessage& message) {
  options_.metrics->RemoteBytes(options_.plugin, message.ByteSizeLong(), 0);
  connection_->Send(session, message);
}

void OpenCalls::Send(uint64_t session, const std::vector<SchedulerMessage>& messages) {
  for (const SchedulerMessage& message : messages) Send(session, message);
}

void OpenCalls::SendCyclesEnded(uint64_t session) {
  SchedulerMessage message;
  for (const uint64_t cycle : cycles_->TakeEnded()) {
    message.mutable_note()->set_cycle_ended(cycle);
    Send(session, message);
  }
}

Result<wire::Answer> OpenCalls::Ask(const Question& question) {
  const Moment made = steady_clock::now();
  {
    const MutexLock lock(mutex_);
    breaker_.Begins(made);
    waiting_.try_emplace(question.call.id());
  }
  SendCyclesEnded(question.session);
  Send(question.session, MessageOf(question.call));
  Result<wire::Answer> answer = Await(question, made);
  {
    const MutexLock lock(mutex_);
    waiting_.erase(question.call.id());
    std::erase_if(judges_, [&](const wire::Judge& judge) { return judge.call() == question.call.id(); });
  }
  return Judged(question, made, std::move(answer));
}

Result<wire::Answer> OpenCalls::Await(const Question& question, Moment made) {
  const steady_clock::duration timeout = Steady(question.timeout);
  Moment deadline = made + timeout;
  {
    const MutexLock lock(mutex_);
    // Before the first answer the plugin takes in the whole cluster.
    if (!has_answered_) deadline = made + std::max(timeout, Steady(options_.patience));
  }
  const Moment latest = deadline + kLongestInTimeouts * timeout;
  while (true) {
    Heard heard = AwaitMessage(question, deadline);
    if (auto* answer = std::get_if<wire::Answer>(&heard)) return std::move(*answer);
    if (const auto* error = std::get_if<Error>(&heard)) {
      SchedulerMessage cancel;
      cancel.mutable_cancel()->set_call(question.call.id());
      Send(question.session, cancel);
      return *error;
    }
    SchedulerMessage message;
    *message.mutable_judged() = question.serve(std::get<wire::Judge>(heard));
    Send(question.session, message);
    deadline = std::min(steady_clock::now() + timeout, latest);
  }
}

OpenCalls::Heard OpenCalls::AwaitMessage(const Question& question, Moment deadline) {
  const uint64_t id = question.call.id();
  const MutexLock lock(mutex_);
  while (true) {
    std::optional<wire::Answer>& answer = waiting_.at(id);
    if (answer) return std::move(*answer);
    if (session_ == nullptr || session_->number != question.session) {
      return Failure(ErrorCode::Unavailable, fmt::format("the session was lost during {}", question.step));
    }
    const auto asks = std::ranges::find(judges_, id, [](const wire::Judge& judge) { return judge.call(); });
    if (question.serve && asks != judges_.end()) {
      wire::Judge judge = std::move(*asks);
      judges_.erase(asks);
      return judge;
    }
    if (steady_clock::now() >= deadline) {
      return Failure(ErrorCode::Timeout, fmt::format("no answer to {} within {}", question.step,
                                                     config::FormatGoDuration(question.timeout)));
    }
    changed_.WaitUntil(mutex_, deadline);
  }
}

// Whether the answer is one, and what that means for the calls to come.
Result<wire::Answer> OpenCalls::Judged(const Question& question, Moment made, Result<wire::Answer> answer) {
  if (answer && !answer->error().empty()) {
    answer = Failure(ErrorCode::Internal, fmt::format("{} failed: {}", question.step, answer->error()));
  } else if (answer) {
    if (const std::string problem = question.problem(*answer); !problem.empty()) {
      answer = Failure(ErrorCode::Invalid, fmt::format("its answer to {} makes no sense: {}", question.step, problem));
    }
  }
  Count(question, made, answer ? "ok" : ResultName(answer.error().code));
  bool changed = false;
  {
    const MutexLock lock(mutex_);
    const bool was_open = breaker_.is_open();
    if (answer) {
      breaker_.Succeeded();
      has_answered_ = true;
    } else {
      breaker_.Failed(steady_clock::now());
      last_failure_ = answer.error().message;
    }
    changed = was_open != breaker_.is_open();
  }
  if (changed) {
    if (!answer) options_.log.Warning("Calls of the remote plugin are suspended", {{"err", answer.error().message}});
    ReportState();
  }
  return answer;
}

void OpenCalls::Count(const Question& question, Moment made, std::string_view result) const {
  options_.metrics->RemoteCalled({options_.plugin, question.step, result, steady_clock::now() - made});
}

void OpenCalls::ReportState() {
  bool connected = false;
  bool suspended = false;
  {
    const MutexLock lock(mutex_);
    connected = session_ != nullptr;
    suspended = breaker_.is_open();
  }
  options_.metrics->RemoteState(options_.plugin, options_.profile, connected, suspended);
}

void OpenCalls::AskLater(Question question, TakeAnswer take) {
  Deeds deeds;
  {
    const MutexLock lock(mutex_);
    const Moment now = steady_clock::now();
    queued_.push_back({std::move(question), std::move(take), now, {}});
    MakeNext(deeds);
  }
  for (const auto& deed : deeds) deed();
}

void OpenCalls::MakeNext(Deeds& deeds) {
  while (!queued_.empty() && later_.size() < options_.most_in_flight) {
    Later next = std::move(queued_.front());
    queued_.pop_front();
    if (session_ == nullptr || session_->number != next.question.session) {
      const Error lost =
          Failure(ErrorCode::Unavailable, fmt::format("the session was lost before {}", next.question.step));
      deeds.emplace_back([this, next = std::move(next), lost]() mutable { Finish(std::move(next), lost); });
      continue;
    }
    const Moment now = steady_clock::now();
    breaker_.Begins(now);
    next.deadline = now + Steady(next.question.timeout);
    const uint64_t id = next.question.call.id();
    deeds.emplace_back([this, session = next.question.session, message = MessageOf(next.question.call)] {
      Send(session, message);
      connection_->Wake();  // its deadline is to be kept
    });
    later_.emplace(id, std::move(next));
  }
}

void OpenCalls::Finish(Later later, Result<wire::Answer> answer) {
  answer = Judged(later.question, later.made, std::move(answer));
  if (!answer) {
    later.take(answer.error());
  } else {
    later.take(answer->SerializeAsString());
  }
}

std::shared_ptr<void> OpenCalls::AwaitWake(uint64_t call, TakeAnswer take) {
  {
    const MutexLock lock(mutex_);
    if (early_wakes_.erase(call) == 0 && session_ != nullptr) {
      wakes_.emplace(call, std::move(take));
      return {nullptr, [calls = weak_from_this(), call](void*) {
                if (const auto alive = calls.lock()) alive->ForgetWake(call);
              }};
    }
  }
  take(std::string());
  return nullptr;
}

void OpenCalls::ForgetWake(uint64_t call) {
  TakeAnswer take;
  {
    const MutexLock lock(mutex_);
    const auto it = wakes_.find(call);
    if (it == wakes_.end()) return;
    take = std::move(it->second);
    wakes_.erase(it);
  }
  take(Failure(ErrorCode::Canceled, "nobody waits for it any more"));
}

std::string OpenCalls::Greeted(const wire::Welcome& welcome) {
  if (!welcome.refusal().empty()) return "it refuses: " + welcome.refusal();
  if (welcome.major() != kMajor) {
    return fmt::format("it speaks version {}.{} of the contract, this scheduler {}.{}", welcome.major(),
                       welcome.minor(), kMajor, kMinor);
  }
  for (const int point : options_.hello.points()) {
    if (std::ranges::find(welcome.points(), point) != welcome.points().end()) continue;
    return fmt::format("it is enabled at {}, which it does not serve",
                       wire::Point_Name(static_cast<wire::Point>(point)));
  }
  const MutexLock lock(mutex_);
  last_known_ = std::make_shared<const Session>(Session{0, welcome});
  return "";
}

void OpenCalls::Opened(uint64_t session) {
  {
    const MutexLock lock(mutex_);
    session_ = last_known_ = std::make_shared<const Session>(Session{session, last_known_->welcome});
    breaker_.Succeeded();
    has_answered_ = false;
    strays_ = 0;
  }
  ReportState();
}

void OpenCalls::Closed(uint64_t /*session*/, const std::string& why) {
  Deeds deeds;
  {
    const MutexLock lock(mutex_);
    session_ = nullptr;
    for (auto& [id, later] : later_) {
      const Error lost =
          Failure(ErrorCode::Unavailable, fmt::format("the session was lost during {}: {}", later.question.step, why));
      deeds.emplace_back([this, later = std::move(later), lost]() mutable { Finish(std::move(later), lost); });
    }
    later_.clear();
    for (auto& [call, take] : wakes_) {
      deeds.emplace_back([take = std::move(take),
                          lost = Failure(ErrorCode::Unavailable, "the session was lost: " + why)] { take(lost); });
    }
    wakes_.clear();
    early_wakes_.clear();
    judges_.clear();
    permits_.clear();
    MakeNext(deeds);
  }
  changed_.NotifyAll();
  for (const auto& deed : deeds) deed();
  ReportState();
}

void OpenCalls::Received(uint64_t session, PluginMessage message) {
  options_.metrics->RemoteBytes(options_.plugin, 0, message.ByteSizeLong());
  switch (message.message_case()) {
    case PluginMessage::kAnswer: return Answered(session, std::move(*message.mutable_answer()));
    case PluginMessage::kWake: return Woken(message.wake().call());
    case PluginMessage::kJudge: {
      bool is_asked = false;
      {
        const MutexLock lock(mutex_);
        is_asked = waiting_.contains(message.judge().call()) && judges_.size() < kMostUnasked;
        if (is_asked) judges_.push_back(std::move(*message.mutable_judge()));
      }
      if (!is_asked) return Stray(session, "question");
      return changed_.NotifyAll();
    }
    case PluginMessage::kPermit: {
      const Delivery delivery = options_.deliver_permit(message.permit());
      if (delivery == Delivery::Done) return;
      if (delivery == Delivery::Nobody) return Stray(session, "permit");
      {
        const MutexLock lock(mutex_);
        permits_.push_back(std::move(*message.mutable_permit()));
      }
      return connection_->Wake();
    }
    case PluginMessage::kActivate:
    case PluginMessage::kEvent: {
      bool is_flood = false;
      {
        const MutexLock lock(mutex_);
        is_flood = ++unasked_ > kMostUnasked;
      }
      return is_flood ? Stray(session, "flood") : options_.hear(message);
    }
    default: return Stray(session, "unknown");
  }
}

void OpenCalls::Answered(uint64_t session, wire::Answer answer) {
  Deeds deeds;
  std::string_view stray;
  {
    const MutexLock lock(mutex_);
    const uint64_t id = answer.id();
    const auto waiting = waiting_.find(id);
    const auto later = later_.find(id);
    if (waiting != waiting_.end() && !waiting->second) {
      waiting->second = std::move(answer);
    } else if (later != later_.end()) {
      deeds.emplace_back([this, later = std::move(later->second), answer = std::move(answer)]() mutable {
        Finish(std::move(later), std::move(answer));
      });
      later_.erase(later);
      MakeNext(deeds);
    } else if (id == 0 || id > last_id_) {
      stray = "unknown";
      breaker_.Failed(steady_clock::now());
      last_failure_ = Failure(ErrorCode::Invalid, fmt::format("it answers a call {} that was not made", id)).message;
    } else {
      stray = "late";
    }
  }
  if (!stray.empty()) return Stray(session, stray);
  changed_.NotifyAll();
  for (const auto& deed : deeds) deed();
}

void OpenCalls::Woken(uint64_t call) {
  TakeAnswer take;
  {
    const MutexLock lock(mutex_);
    const auto it = wakes_.find(call);
    if (it == wakes_.end()) {
      // It may have overtaken its own answer.
      if (call != 0 && call <= last_id_ && early_wakes_.size() < kMostUnasked) early_wakes_.insert(call);
      return;
    }
    take = std::move(it->second);
    wakes_.erase(it);
  }
  take(std::string());
}

void OpenCalls::Stray(uint64_t session, std::string_view kind) {
  options_.metrics->RemoteStray(options_.plugin, kind);
  size_t strays = 0;
  {
    const MutexLock lock(mutex_);
    strays = ++strays_;
  }
  if (strays == 1 || strays == kMostStrays) {
    options_.log.Warning("The remote plugin sends what nobody waits for",
                         {{"kind", kind}, {"messages", static_cast<int64_t>(strays)}});
  }
  if (strays == kMostStrays) connection_->Close(session, "it floods the scheduler with messages nobody waits for");
}

OpenCalls::Moment OpenCalls::Tick(Moment now) {
  Deeds deeds;
  std::vector<wire::PermitVerdict> permits;
  uint64_t session = 0;
  bool may_call = false;
  Moment next = now + kIdleTick;
  {
    const MutexLock lock(mutex_);
    if (session_ != nullptr) session = session_->number;
    may_call = session_ != nullptr && breaker_.Allows(now);
    unasked_ = 0;
    permits.swap(permits_);
    for (auto it = later_.begin(); it != later_.end();) {
      Later& later = it->second;
      if (later.deadline > now) {
        next = std::min(next, later.deadline);
        ++it;
        continue;
      }
      const Error late = Failure(ErrorCode::Timeout, fmt::format("no answer to {} within {}", later.question.step,
                                                                 config::FormatGoDuration(later.question.timeout)));
      deeds.emplace_back([this, later = std::move(later), late]() mutable { Finish(std::move(later), late); });
      it = later_.erase(it);
    }
    MakeNext(deeds);
  }
  for (const auto& deed : deeds) deed();
  std::erase_if(permits, [&](const wire::PermitVerdict& verdict) {
    return options_.deliver_permit(verdict) != Delivery::TooEarly;
  });
  if (!permits.empty()) {
    next = now + kPermitRetry;
    const MutexLock lock(mutex_);
    permits_.insert(permits_.end(), permits.begin(), permits.end());
  }
  if (session != 0) SendCyclesEnded(session);
  if (may_call) options_.may_call();
  return next;
}

}  // namespace berth::remote
