// SPDX-License-Identifier: Apache-2.0
#include "net/grpc_connection.h"

#include <cerrno>
#include <chrono>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <system_error>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace berth::net {
namespace {

constexpr size_t kGrpcWriteSize = size_t{64} << 10U;
constexpr size_t kGrpcReadSize = size_t{64} << 10U;
// How long a client that is done waits for the server to end the stream.
constexpr auto kGoodbye = std::chrono::seconds(1);

std::string GrpcSystemError(int number) { return std::generic_category().message(number); }

}  // namespace

void GrpcStream::Send(std::string message) const { connection_->Send(id_, std::move(message)); }
size_t GrpcStream::UnsentBytes() const { return connection_->UnsentBytes(id_); }
void GrpcStream::Taken(size_t bytes) const { connection_->Taken(id_, bytes); }
void GrpcStream::End(const GrpcStatus& status) const { connection_->End(id_, status); }
void GrpcStream::Close() const {
  connection_->End(id_, {});
  connection_->CloseSoon();
}

GrpcConnection::GrpcConnection(Loop& loop, GrpcConnectionSetup setup)
    : loop_(loop),
      side_(setup.side),
      limits_(setup.limits),
      clients_(std::move(setup.clients)),
      session_(setup.side, setup.limits, std::move(setup.path)),
      tls_(std::move(setup.tls)),
      opened_(std::move(setup.opened)),
      incoming_(kGrpcReadSize) {}

GrpcConnection::~GrpcConnection() = default;

GrpcSession::StreamId GrpcConnection::Open(const std::string& scheme, const std::string& authority,
                                           std::shared_ptr<GrpcStreamEvents> events) {
  const MutexLock lock(mutex_);
  const GrpcSession::StreamId id = session_.Open(scheme, authority);
  listeners_.emplace(id, std::move(events));
  return id;
}

void GrpcConnection::Send(GrpcSession::StreamId stream, std::string message) {
  const MutexLock lock(mutex_);
  session_.Send(stream, std::move(message));
  FlushAndPost();
}

size_t GrpcConnection::UnsentBytes(GrpcSession::StreamId stream) {
  const MutexLock lock(mutex_);
  return session_.UnsentBytes(stream);
}

void GrpcConnection::Taken(GrpcSession::StreamId stream, size_t bytes) {
  const MutexLock lock(mutex_);
  session_.Taken(stream, bytes);
  FlushAndPost();
}

void GrpcConnection::End(GrpcSession::StreamId stream, const GrpcStatus& status) {
  const MutexLock lock(mutex_);
  session_.End(stream, status);
  FlushAndPost();
}

void GrpcConnection::CloseSoon() {
  const MutexLock lock(mutex_);
  if (is_shut_) return;
  loop_.Post([self = shared_from_this()] {
    bool is_idle = false;
    {
      const MutexLock again(self->mutex_);
      if (self->is_shut_) return;
      is_idle = self->descriptor_ < 0 || self->session_.open_streams() == 0;
    }
    if (is_idle) return self->Shut("closed");
    self->close_timer_ = self->loop_.After(kGoodbye, [self] { self->Shut("closed"); });
  });
}

void GrpcConnection::Leave(const std::string& why) {
  const MutexLock lock(mutex_);
  session_.Leave(why);
  FlushAndPost();
}

bool GrpcConnection::is_shut() {
  const MutexLock lock(mutex_);
  return is_shut_;
}

void GrpcConnection::Start(int descriptor) {
  const auto self = shared_from_this();
  socket_.emplace(
      loop_, descriptor, [this] { Readable(); }, [this] { Writable(); });
  const int yes = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));  // a unix socket needs none
  {
    const MutexLock lock(mutex_);
    if (is_shut_) return socket_.reset();
    descriptor_ = descriptor;
    is_open_ = tls_ == nullptr;
    if (const auto begun = is_open_ ? Result<void>() : ContinueHandshake(); !begun) failure_ = begun.error().message;
    Flush();
  }
  SetTimer(limits_.greeting_timeout, [this] {
    Shut(fmt::format("no HTTP/2 settings within {}",
                     std::chrono::duration_cast<std::chrono::milliseconds>(limits_.greeting_timeout)));
  });
  socket_->AwaitReadable();
  Deliver();
}

void GrpcConnection::Shut(const std::string& why) {
  const auto self = shared_from_this();
  {
    const MutexLock lock(mutex_);
    if (is_shut_) return;
    is_shut_ = true;
    descriptor_ = -1;
    const std::string& said = session_.problem();
    session_.Lose(said.empty() || said == why ? why : said + "; " + why);
  }
  loop_.Cancel(timer_);
  loop_.Cancel(close_timer_);
  socket_.reset();
  Deliver();
  if (on_shut_) std::exchange(on_shut_, nullptr)(why);
}

void GrpcConnection::Readable() {
  const auto self = shared_from_this();
  const ssize_t count = recv(socket_->descriptor(), incoming_.data(), incoming_.size(), 0);
  const int failed = errno;
  if (count == 0) return Shut("the other side closed the connection");
  if (count < 0) {
    if (failed == EAGAIN || failed == EINTR) return socket_->AwaitReadable();
    return Shut("cannot read: " + GrpcSystemError(failed));
  }
  heard_ = loop_.Now();
  pinged_ = false;
  Result<void> taken;
  {
    const MutexLock lock(mutex_);
    taken = Take({incoming_.data(), static_cast<size_t>(count)});
    Flush();
    if (taken && is_open_ && session_.over()) taken = InvalidError("the connection is over");
  }
  Deliver();
  if (!taken) return Shut(taken.error().message);
  if (socket_.has_value()) socket_->AwaitReadable();
}

void GrpcConnection::Writable() {
  {
    const MutexLock lock(mutex_);
    awaits_writable_ = false;
    Flush();
  }
  Deliver();
}

Result<void> GrpcConnection::Take(std::string_view bytes) {
  if (tls_ == nullptr) return session_.Receive(bytes);
  tls_->Feed(bytes);
  if (!is_open_) BERTH_RETURN_IF_ERROR(ContinueHandshake());
  return is_open_ ? ReadTls() : Result<void>();
}

Result<void> GrpcConnection::ContinueHandshake() {
  BERTH_ASSIGN_OR_RETURN(const bool done, tls_->Handshake());
  if (!done) return {};
  is_open_ = true;
  if (tls_->protocol() != "h2") return InvalidError("the other side does not offer HTTP/2");
  if (side_ == GrpcSession::Side::Client || clients_ == nullptr) return {};
  const auto shown = tls_->PeerShown();
  const auto verified = shown == nullptr ? Result<void>(InvalidError("there is none")) : clients_->Verify(*shown);
  if (verified) return {};
  session_.Refuse({GrpcCode::Unauthenticated, "a client certificate is required: " + verified.error().message});
  return {};
}

Result<void> GrpcConnection::ReadTls() {
  std::array<char, size_t{16} << 10U> plain;
  while (true) {
    BERTH_ASSIGN_OR_RETURN(const size_t count, tls_->Read(plain.data(), plain.size()));
    if (tls_->closed()) return Error{ErrorCode::Unavailable, "the other side closed the connection"};
    if (count == 0) return {};
    BERTH_RETURN_IF_ERROR(session_.Receive({plain.data(), count}));
  }
}

// Fills `unwritten_`.
Result<void> GrpcConnection::Produce() {
  unwritten_.clear();
  written_ = 0;
  if (tls_ == nullptr) return session_.Produce(unwritten_, kGrpcWriteSize);
  std::string plain;
  if (is_open_) {
    BERTH_RETURN_IF_ERROR(session_.Produce(plain, kGrpcWriteSize));
    BERTH_RETURN_IF_ERROR(tls_->Write(plain));
  }
  tls_->Produce(unwritten_);
  return {};
}

// Writes what there is to write, as far as the system takes it.
void GrpcConnection::Flush() {
  while (descriptor_ >= 0 && !awaits_writable_) {
    if (written_ == unwritten_.size()) {
      if (const auto produced = Produce(); !produced) failure_ = produced.error().message;
      if (unwritten_.empty()) return;
    }
    if (!Write()) return;
  }
}

// Whether all of `unwritten_` has been written. A broken connection is told by the read, which first yields what the
// other side still sent.
bool GrpcConnection::Write() {
  while (written_ < unwritten_.size()) {
    const ssize_t count =
        send(descriptor_, unwritten_.data() + written_, unwritten_.size() - written_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      written_ += static_cast<size_t>(count);
    } else if (errno == EAGAIN) {
      awaits_writable_ = true;
      loop_.Post([self = shared_from_this()] {
        if (self->socket_.has_value()) self->socket_->AwaitWritable();
      });
      return false;
    } else if (errno != EINTR) {
      descriptor_ = -1;
      return false;
    }
  }
  return true;
}

// What a sender finds out, the loop tells.
void GrpcConnection::FlushAndPost() {
  if (is_shut_) return;
  Flush();
  if ((!session_.has_events() && failure_.empty()) || std::exchange(deliver_posted_, true)) return;
  loop_.Post([self = shared_from_this()] { self->Deliver(); });
}

void GrpcConnection::Deliver() {
  std::vector<GrpcEvent> events;
  std::string failure;
  {
    const MutexLock lock(mutex_);
    deliver_posted_ = false;
    events = session_.TakeEvents();
    failure = std::exchange(failure_, {});
  }
  for (GrpcEvent& event : events) Tell(std::move(event));
  if (!failure.empty()) Shut(failure);
}

void GrpcConnection::Tell(GrpcEvent event) {
  if (event.kind == GrpcEvent::Kind::Ready) {
    loop_.Cancel(timer_);
    heard_ = loop_.Now();
    SetTimer(limits_.ping_after, [this] { CheckSilence(); });
  }
  std::vector<std::shared_ptr<GrpcStreamEvents>> told;
  {
    const MutexLock lock(mutex_);
    if (event.kind == GrpcEvent::Kind::Ended) {
      if (auto ended = listeners_.extract(event.stream)) told.push_back(std::move(ended.mapped()));
    } else if (event.kind == GrpcEvent::Kind::Ready) {
      for (const auto& [id, listener] : listeners_) told.push_back(listener);
    } else if (const auto found = listeners_.find(event.stream); found != listeners_.end()) {
      told.push_back(found->second);
    }
  }
  if (event.kind == GrpcEvent::Kind::Opened) {
    auto listener = opened_ ? opened_(GrpcStream(shared_from_this(), event.stream)) : nullptr;
    const MutexLock lock(mutex_);
    if (listener == nullptr) {
      session_.End(event.stream, {GrpcCode::ResourceExhausted, "too many calls at once"});
    } else {
      session_.Accept(event.stream);
      listeners_.emplace(event.stream, std::move(listener));
    }
    return FlushAndPost();
  }
  for (const auto& listener : told) {
    switch (event.kind) {
      case GrpcEvent::Kind::Ready: listener->StreamReady(); break;
      case GrpcEvent::Kind::Received: listener->StreamReceived(std::move(event.message)); break;
      case GrpcEvent::Kind::InputEnded: listener->StreamInputEnded(); break;
      case GrpcEvent::Kind::Ended: listener->StreamEnded(event.status); break;
      case GrpcEvent::Kind::Opened: break;
    }
  }
  if (event.kind == GrpcEvent::Kind::Ended && close_timer_ != 0) Shut("closed");
}

void GrpcConnection::SetTimer(Duration delay, std::function<void()> call) {
  timer_ = loop_.After(delay, [self = weak_from_this(), call = std::move(call)] {
    if (const auto alive = self.lock()) call();
  });
}

void GrpcConnection::CheckSilence() {
  if (pinged_) {
    return Shut(fmt::format("no answer to a PING within {}",
                            std::chrono::duration_cast<std::chrono::milliseconds>(limits_.ping_timeout)));
  }
  const Duration silent = loop_.Now() - heard_;
  if (silent < limits_.ping_after) return SetTimer(limits_.ping_after - silent, [this] { CheckSilence(); });
  pinged_ = true;
  SetTimer(limits_.ping_timeout, [this] { CheckSilence(); });
  const MutexLock lock(mutex_);
  session_.Ping();
  Flush();
}

}  // namespace berth::net
