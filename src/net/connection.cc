// SPDX-License-Identifier: Apache-2.0
#include "net/connection.h"

#include "net/http1_session.h"
#include "net/http2_session.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace berth::net {
namespace {

// As much as one write to the socket should carry: further frames wait for the next, and so may still be cancelled.
constexpr size_t kWriteSize = 64 << 10;
// A TLS record holds no more.
constexpr size_t kRecordSize = 16 << 10;

Http2Session::Options SessionOptions(const Endpoint& endpoint, const HttpClientOptions& options) {
  return {.scheme = endpoint.tls == nullptr ? "http" : "https",
          .authority = HostAndPort(endpoint.host, endpoint.port),
          .stream_window = options.stream_window,
          .connection_window = options.connection_window,
          .max_header_bytes = options.max_header_bytes};
}

std::string InMilliseconds(Duration duration) {
  return fmt::format("{}", std::chrono::duration_cast<std::chrono::milliseconds>(duration));
}

}  // namespace

Connection::Connection(Loop& loop, const Endpoint& endpoint, const HttpClientOptions& options, ConnectionOwner& owner)
    : loop_(loop),
      endpoint_(endpoint),
      options_(options),
      owner_(&owner),
      target_(HostAndPort(endpoint.host, endpoint.port)),
      socket_(loop, *this,
              {.stall_limit = options.stall_limit,
               .may_write = [this] { return MayWrite(); },
               .moderate_reads = options.moderate_reads}) {}

Connection::~Connection() { Close(); }

void Connection::Open() {
  // A failure is told later, as if it came from the network.
  const auto fail_later = [&](std::string why) {
    timer_ = loop_.After({}, [self = shared_from_this(), why = std::move(why)] { self->Lose(why); });
  };
  if (endpoint_.proxy) proxy_ = ProxyTunnel::Make(*endpoint_.proxy, endpoint_.host, endpoint_.port);
  if (endpoint_.tls != nullptr) {
    auto tls = TlsStream::Make(*endpoint_.tls, endpoint_.host);
    if (!tls) return fail_later(tls.error().message);
    tls_ = std::move(*tls);
  }
  timer_ = loop_.After(options_.connect_timeout, [this] {
    Lose(fmt::format("timed out after {} {}", InMilliseconds(options_.connect_timeout), StepName()));
  });
  if (endpoint_.proxy) return socket_.Connect(endpoint_.proxy->host, endpoint_.proxy->port);
  socket_.Connect(endpoint_.host, endpoint_.port);
}

void Connection::Close() {
  owner_ = nullptr;
  Shut();
}

void Connection::Shut() {
  if (step_ == Step::Closed) return;
  step_ = Step::Closed;
  socket_.Close();
  loop_.Cancel(timer_);
}

// Whoever hears of it may let go of this connection.
void Connection::Lose(const std::string& why) {
  if (step_ == Step::Closed) return;
  const auto self = shared_from_this();
  const bool was_open = step_ == Step::Open;
  const std::string said = problem();
  const std::string text = fmt::format("{} {}: {}{}", was_open ? "connection to" : "connect to", target_,
                                       said.empty() ? "" : said + "; ", why);
  Shut();
  EndExchanges(text);
  if (owner_ != nullptr) owner_->ConnectionLost(*this, text);
}

std::string Connection::StepName() const {
  switch (step_) {
    case Step::Connecting: return "without a connection";
    case Step::AskingProxy: return "waiting for the proxy " + ProxyName();
    case Step::Handshake: return "in the TLS handshake";
    case Step::Greeting: return "waiting for the server's HTTP/2 settings";
    case Step::Open:
    case Step::Closed: break;
  }
  return {};
}

void Connection::SocketConnected() {
  if (proxy_ == nullptr) return BeginTls();
  step_ = Step::AskingProxy;
  Send(proxy_->Begin());
}

std::string Connection::ProxyName() const { return HostAndPort(endpoint_.proxy->host, endpoint_.proxy->port); }

// Under TLS the end of the stream says nothing: anyone on the way could have brought it about.
void Connection::SocketEnded() {
  const auto self = shared_from_this();
  if (tls_ == nullptr && session_ != nullptr) session_->EndOfInput();
}

void Connection::SocketFailed(const std::string& why) {
  const bool proxied = step_ == Step::Connecting && proxy_ != nullptr;
  Lose(proxied ? "the proxy " + ProxyName() + ": " + why : why);
}

void Connection::SocketReceived(std::string_view bytes) {
  const auto self = shared_from_this();
  heard_ = loop_.Now();
  pinged_ = false;
  std::string rest;
  if (step_ == Step::AskingProxy) {
    auto step = proxy_->Take(bytes);
    if (!step) return Lose(step.error().message);
    if (!step->send.empty()) Send(std::move(step->send));
    if (!step->rest) return;
    rest = *std::move(step->rest);
    bytes = rest;
    BeginTls();
  }
  if (tls_ == nullptr) {
    ReceivePlain(bytes);
  } else {
    tls_->Feed(bytes);
    if (step_ == Step::Handshake) ContinueHandshake();
    if (step_ == Step::Greeting || step_ == Step::Open) ReadTls();
  }
  AfterReceiving();
}

void Connection::BeginTls() {
  if (tls_ == nullptr) return BeginHttp();
  step_ = Step::Handshake;
  ContinueHandshake();
}

void Connection::ContinueHandshake() {
  const auto done = tls_->Handshake();
  SendCiphertext();  // when it failed, the alert that tells the server why
  if (!done) return Lose(done.error().message);
  if (!*done) return;
  BeginHttp();
}

// HTTP/2 where the server has chosen it, or is known to speak it; otherwise HTTP/1.1, which every server speaks.
std::unique_ptr<ClientSession> Connection::AgreedSession() const {
  const bool http2 = tls_ == nullptr ? endpoint_.http2_in_clear : tls_->protocol() == "h2";
  if (http2) return std::make_unique<Http2Session>(SessionOptions(endpoint_, options_));
  return std::make_unique<Http1Session>(
      Http1Session::Options{HostAndPort(endpoint_.host, endpoint_.port), options_.max_header_bytes});
}

void Connection::BeginHttp() {
  session_ = AgreedSession();
  step_ = Step::Greeting;
  if (session_->ready()) return Greeted();
  Flush();
}

void Connection::ReadTls() {
  std::array<char, kRecordSize> plain;
  while (step_ == Step::Greeting || step_ == Step::Open) {
    const auto count = tls_->Read(plain.data(), plain.size());
    if (!count) return Lose(count.error().message);
    if (tls_->closed()) {
      session_->EndOfInput();
      return Lose("the server closed the connection");
    }
    if (*count == 0) return SendCiphertext();  // keys may have been renewed
    ReceivePlain({plain.data(), *count});
  }
}

void Connection::ReceivePlain(std::string_view bytes) {
  if (bytes.empty() || step_ == Step::Closed) return;
  const auto received = session_->Receive(bytes);
  if (!received) Lose(received.error().message);
}

void Connection::AfterReceiving() {
  if (step_ == Step::Greeting && session_->ready()) return Greeted();
  if (step_ == Step::Open && owner_ != nullptr) owner_->ConnectionMoved(*this);
  Flush();
}

void Connection::Greeted() {
  const auto self = shared_from_this();
  step_ = Step::Open;
  loop_.Cancel(timer_);
  WatchSilence(options_.ping_after);
  if (owner_ != nullptr) owner_->ConnectionMoved(*this);
  Flush();
}

Result<ClientSession::StreamId> Connection::Start(Request request, std::shared_ptr<ResponseHandler> handler,
                                                  const std::function<bool()>& may_send) {
  auto stream = session_->Start(std::move(request), std::move(handler));
  if (stream && may_send) unproduced_.push_back(may_send);
  return stream;
}

// Without an output that waits for the socket, and open as far as HTTP/2.
void Connection::Flush() {
  if (writing_ || (step_ != Step::Greeting && step_ != Step::Open)) return;
  const auto self = shared_from_this();
  std::string out;
  if (const auto produced = session_->Produce(out, kWriteSize); !produced) return Lose(produced.error().message);
  if (step_ == Step::Closed) return;  // by a handler, which heard that its request cannot be sent
  const bool is_all = out.size() < kWriteSize && !session_->HoldsBack();
  auto with_a_part_in_it = is_all ? std::exchange(unproduced_, {}) : unproduced_;
  if (out.empty()) {
    if (session_->over()) Lose("closed");
    return;
  }
  being_written_ = std::move(with_a_part_in_it);
  if (tls_ == nullptr) return Send(std::move(out));
  if (const auto written = tls_->Write(out); !written) return Lose(written.error().message);
  SendCiphertext();
}

void Connection::SendCiphertext() {
  std::string out;
  tls_->Produce(out);
  if (!out.empty()) Send(std::move(out));
}

void Connection::Send(std::string bytes) {
  if (writing_) {
    queued_ += bytes;
    return;
  }
  writing_ = true;
  socket_.Write(std::move(bytes));
}

void Connection::SocketWrote() {
  const auto self = shared_from_this();
  writing_ = false;
  if (!queued_.empty()) return Send(std::exchange(queued_, {}));
  being_written_.clear();  // the system has it all
  Flush();
}

// What the system has is out of our hands: this is the last moment to look.
bool Connection::MayWrite() const {
  return std::ranges::all_of(being_written_, [](const auto& may_send) { return may_send(); });
}

void Connection::WatchSilence(Duration delay) {
  timer_ = loop_.After(delay, [this] { CheckSilence(); });
}

void Connection::CheckSilence() {
  const Duration silent = loop_.Now() - heard_;
  if (pinged_) return Lose(fmt::format("no answer to a PING within {}", InMilliseconds(options_.ping_timeout)));
  if (silent < options_.ping_after) return WatchSilence(options_.ping_after - silent);
  // Without such a question, exchanges have their timeouts, and the system looks after the connection.
  if (!session_->Ping()) return WatchSilence(options_.ping_after);
  pinged_ = true;
  WatchSilence(options_.ping_timeout);
  Flush();
}

}  // namespace berth::net
