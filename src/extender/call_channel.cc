// SPDX-License-Identifier: Apache-2.0
#include "extender/call_channel.h"

#include "kube/access/url.h"
#include "net/http.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace berth::extender {
namespace {

constexpr int kOk = 200;
// Of an answer with another status: enough that the connection can be used again.
constexpr size_t kMaxRefusal = size_t{64} << 10U;
constexpr Duration kForever = std::chrono::hours(24 * 365);

net::Request RequestOf(const ExtenderCall& call, std::string question) {
  net::Request request = {.method = "POST", .path = call.url.target, .body = std::move(question)};
  request.headers = {{"content-type", "application/json"}, {"user-agent", "berth"}};
  if (call.url.server.user) {
    request.headers.emplace_back("authorization", kube::BasicAuthorization(*call.url.server.user));
  }
  return request;
}

}  // namespace

// A call whose turn has come.
class CallChannel::Exchange final : public net::ResponseHandler, public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(CallChannel& channel, ExtenderCall call) : channel_(channel), call_(std::move(call)) {}

  void Send() {
    std::string question = call_.question();
    net::HttpClient& client = *channel_.client_;
    max_answer_ = std::max(channel_.limits_.max_answer, 2 * question.size());
    connections_ = client.stats().connections;
    const Duration now = channel_.loop_.Now();
    if (!tried_again_) deadline_ = now + channel_.timeout_;
    id_ = client.Send(RequestOf(call_, std::move(question)), shared_from_this(), {.timeout = deadline_ - now});
  }

  void TakeHead(const net::ResponseHead& head) override { status_ = head.status; }
  void TakeBody(std::string_view piece) override {
    const size_t most = status_ == kOk ? max_answer_ : kMaxRefusal;
    if (body_.size() + piece.size() > most) return RefuseAnswer(most);
    body_ += piece;
  }
  void TakeEnd(net::ExchangeEnd end, const std::string& error) override {
    if (status_ == 0 && end == net::ExchangeEnd::NotSent && IsWorthAnotherTry()) {
      tried_again_ = true;
      return Send();
    }
    if (status_ != 0 && status_ != kOk) return Finish(StatusError());
    if (end != net::ExchangeEnd::Complete) return Finish(Failed(error));
    Finish(std::move(body_));
  }

 private:
  // A kept connection may be left by the server just when it is used again; nothing else is tried twice.
  bool IsWorthAnotherTry() const {
    return !tried_again_ && channel_.client_ != nullptr && channel_.client_->stats().connections == connections_ &&
           channel_.loop_.Now() < deadline_;
  }
  void RefuseAnswer(size_t most) {
    channel_.client_->Cancel(id_);
    if (status_ != kOk) return Finish(StatusError());
    Finish(Failed(fmt::format("the answer is larger than {} bytes", most)));
  }
  Error Failed(std::string_view why) const { return {ErrorCode::Unavailable, PostFailed(call_.url.text, why)}; }
  Error StatusError() const {
    return {ErrorCode::Unavailable,
            fmt::format("failed {} with extender at URL {}, code {}", call_.verb, call_.url.text, status_)};
  }
  void Finish(Result<std::string> answer) { channel_.End(call_, std::move(answer)); }

  CallChannel& channel_;  // it outlives what its client tells
  const ExtenderCall call_;
  Duration deadline_ = {};
  net::HttpClient::ExchangeId id_ = 0;
  size_t max_answer_ = 0;
  uint64_t connections_ = 0;  // that had been opened when it was sent
  bool tried_again_ = false;
  int status_ = 0;
  std::string body_;
};

CallChannel::CallChannel(net::Loop& loop, net::Endpoint endpoint, CallLimits limits, Duration timeout)
    : loop_(loop),
      limits_(limits),
      timeout_(timeout > Duration::zero() ? timeout : kForever),
      client_(std::make_unique<net::HttpClient>(loop, std::move(endpoint))) {}

CallChannel::~CallChannel() = default;

void CallChannel::Close() {
  client_ = nullptr;
  waiting_.clear();
}

void CallChannel::Ask(ExtenderCall call) {
  if (client_ == nullptr) return;
  waiting_.push_back(std::move(call));
  StartWaiting();
}

void CallChannel::StartWaiting() {
  while (client_ != nullptr && !waiting_.empty() && under_way_ < limits_.max_under_way) {
    ExtenderCall call = std::move(waiting_.front());
    waiting_.pop_front();
    ++under_way_;
    std::make_shared<Exchange>(*this, std::move(call))->Send();
  }
}

void CallChannel::End(const ExtenderCall& call, Result<std::string> answer) {
  --under_way_;
  call.answered(std::move(answer));
  StartWaiting();
}

}  // namespace berth::extender
