// SPDX-License-Identifier: Apache-2.0
#include "net/http_server_connection.h"

#include "net/http1_server_session.h"
#include "net/http2_server_session.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

namespace berth::net {
namespace {

constexpr size_t kServerWriteSize = size_t{64} << 10U;
constexpr Duration kLinger = std::chrono::milliseconds(500);
constexpr const char* kTakesNothing = "the client does not take the response";

// Someone has typed http:// instead of https://.
bool IsClearText(std::string_view bytes) {
  constexpr std::array<std::string_view, 5> kBeginnings = {"GET /", "HEAD ", "POST ", "PUT /", "OPTIO"};
  return std::find(kBeginnings.begin(), kBeginnings.end(), bytes.substr(0, 5)) != kBeginnings.end();
}

}  // namespace

void LoopGate::Post(std::function<void()> call) {
  const MutexLock lock(mutex_);
  if (loop_ != nullptr) loop_->Post(std::move(call));
}

void LoopGate::Close() {
  const MutexLock lock(mutex_);
  loop_ = nullptr;
}

class Responder::Answer {
 public:
  Answer(std::shared_ptr<LoopGate> gate, std::weak_ptr<HttpServerConnection> connection,
         ServerSessionEvents::StreamId stream)
      : gate_(std::move(gate)), connection_(std::move(connection)), stream_(stream) {}
  ~Answer() {
    if (!sent_) Send({500, {{"content-type", "text/plain; charset=utf-8"}}, "500 Internal Server Error"});
  }
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

  bool wanted() const { return !connection_.expired(); }
  void Send(ServerResponse response) {
    if (sent_.exchange(true)) return;
    gate_->Post([connection = connection_, stream = stream_, response = std::move(response)]() mutable {
      if (const auto open = connection.lock()) open->Respond(stream, std::move(response));
    });
  }

 private:
  const std::shared_ptr<LoopGate> gate_;
  const std::weak_ptr<HttpServerConnection> connection_;
  const ServerSessionEvents::StreamId stream_;
  std::atomic<bool> sent_ = false;
};

bool Responder::wanted() const { return answer_->wanted(); }
void Responder::operator()(ServerResponse response) const { answer_->Send(std::move(response)); }

HttpServerConnection::HttpServerConnection(HttpServer& server, AcceptedSocket socket, std::unique_ptr<TlsStream> tls)
    : server_(&server),
      loop_(server.loop_),
      remote_(socket.remote()),
      tls_(std::move(tls)),
      socket_(loop_, *this, std::move(socket)) {
  SetTimer(server.options_.read_timeout, "no TLS handshake within the time limit");
}

HttpServerConnection::~HttpServerConnection() {
  loop_.Cancel(timer_);
  loop_.Cancel(write_timer_);
}

bool HttpServerConnection::idle() const {
  return step_ == Step::Open && !writing_ && session_->state() == ServerSession::State::Idle;
}

bool HttpServerConnection::waits_for_client() const {
  if (step_ != Step::Open || writing_) return true;
  const ServerSession::State state = session_->state();
  return state == ServerSession::State::Receiving || state == ServerSession::State::Sending;
}

void HttpServerConnection::SocketReceived(std::string_view bytes) {
  const auto self = shared_from_this();
  if (step_ == Step::Lingering) return;
  if (!std::exchange(heard_, true) && IsClearText(bytes)) {
    Send("HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n");
    return Linger();
  }
  tls_->Feed(bytes);
  if (step_ == Step::Handshake) ContinueHandshake();
  if (step_ == Step::Open) ReadTls();
  Advance();
}

void HttpServerConnection::ContinueHandshake() {
  const auto done = tls_->Handshake();
  SendCiphertext();  // when it failed, the alert that tells the client why
  if (!done) return Fail(done.error().message);
  if (!*done) return;
  step_ = Step::Open;
  shown_ = tls_->PeerShown();
  ServerSessionEvents& events = *this;
  if (tls_->protocol() == "h2") {
    session_ = std::make_unique<Http2ServerSession>(server_->options_.limits, events);
  } else {
    session_ = std::make_unique<Http1ServerSession>(server_->options_.limits, events);
  }
  if (server_->stopped_ != nullptr) session_->Leave();
  SetTimer(server_->options_.read_timeout, "no request within the time limit");
}

void HttpServerConnection::ReadTls() {
  std::array<char, size_t{16} << 10U> plain;
  while (step_ == Step::Open) {
    const auto count = tls_->Read(plain.data(), plain.size());
    if (!count) return Fail(count.error().message);
    if (tls_->closed()) return Fail("the client closed the connection");
    if (*count == 0) return SendCiphertext();  // keys may have been renewed
    if (const auto received = session_->Receive({plain.data(), *count}); !received) {
      return Fail(received.error().message);
    }
  }
}

void HttpServerConnection::TakeRequest(StreamId stream, ServerRequest request) {
  request.remote = remote_;
  request.shown = shown_;
  // The handler may stop the server, which then goes on with this connection later.
  server_->handler_(std::move(request),
                    Responder(std::make_shared<Responder::Answer>(server_->gate_, weak_from_this(), stream)));
}

void HttpServerConnection::Respond(StreamId stream, ServerResponse response) {
  const auto self = shared_from_this();
  if (step_ != Step::Open) return;
  session_->Respond(stream, std::move(response));
  Advance();
}

void HttpServerConnection::Leave() {
  const auto self = shared_from_this();
  if (step_ == Step::Handshake) return Close();
  if (step_ != Step::Open) return;
  session_->Leave();
  Advance();
}

// Sends what there is to send; looks whether that was all.
void HttpServerConnection::Advance() {
  if (step_ != Step::Open) return;
  if (!writing_) {
    std::string out;
    if (const auto produced = session_->Produce(out, kServerWriteSize); !produced) {
      return Fail(produced.error().message);
    }
    if (step_ != Step::Open) return;  // by a handler
    if (!out.empty()) {
      if (const auto written = tls_->Write(out); !written) return Fail(written.error().message);
      SendCiphertext();
    }
    if (out.empty() && session_->over()) {
      tls_->Close();
      SendCiphertext();
      return Linger();
    }
  }
  Watch();
}

void HttpServerConnection::SendCiphertext() {
  std::string out;
  tls_->Produce(out);
  if (!out.empty()) Send(std::move(out));
}

void HttpServerConnection::Send(std::string bytes) {
  if (writing_) {
    queued_ += bytes;
    return;
  }
  writing_ = true;
  write_timer_ = loop_.After(server_->options_.write_timeout, [this] { Fail(kTakesNothing); });
  socket_.Write(std::move(bytes));
}

void HttpServerConnection::SocketWrote() {
  const auto self = shared_from_this();
  writing_ = false;
  loop_.Cancel(write_timer_);
  if (!queued_.empty()) return Send(std::exchange(queued_, {}));
  if (step_ == Step::Lingering) return socket_.EndWriting();
  Advance();
}

// To close at once could make the client's system drop what we have just sent: it closes first, or has had its time.
void HttpServerConnection::Linger() {
  step_ = Step::Lingering;
  SetTimer(kLinger, "the client does not close the connection");
  if (!writing_) socket_.EndWriting();
}

void HttpServerConnection::SocketFailed(const std::string& why) { Fail(why); }

void HttpServerConnection::Fail(const std::string& why) {
  if (step_ == Step::Closed) return;
  if (server_ != nullptr) {
    const bool handshake = step_ == Step::Handshake && heard_;
    server_->log_.V(5).Info(handshake ? "TLS handshake error" : "Connection closed",
                            {{"remote", remote_}, {"reason", why}});
  }
  Close();
}

void HttpServerConnection::Close() {
  if (step_ == Step::Closed) return;
  const auto self = shared_from_this();
  step_ = Step::Closed;
  loop_.Cancel(timer_);
  loop_.Cancel(write_timer_);
  socket_.Close();
  if (HttpServer* server = std::exchange(server_, nullptr)) server->Forget(*this);
}

// Sets the time limit for what the connection is at. What else goes to and fro, such as PINGs, does not renew it.
void HttpServerConnection::Watch() {
  if (step_ != Step::Open) return;
  const Watched now = {session_->state(), session_->requests(), session_->response_bytes()};
  if (now == watched_) return;
  watched_ = now;
  const HttpServerOptions& options = server_->options_;
  switch (now.state) {
    case ServerSession::State::Idle: return SetTimer(options.idle_timeout, "idle");
    case ServerSession::State::Receiving:
      return SetTimer(options.read_timeout, "the request was not complete within the time limit");
    case ServerSession::State::Answering: loop_.Cancel(timer_); return;
    case ServerSession::State::Sending: return SetTimer(options.write_timeout, kTakesNothing);
  }
}

void HttpServerConnection::SetTimer(Duration delay, std::string_view why) {
  loop_.Cancel(timer_);
  waits_since_ = loop_.Now();
  timer_ = loop_.After(delay, [this, why] { Fail(std::string(why)); });
}

}  // namespace berth::net
