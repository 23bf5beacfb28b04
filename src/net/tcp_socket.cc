// SPDX-License-Identifier: Apache-2.0
#include "net/tcp_socket.h"

#include "base/check.h"
#include "net/host_dial.h"
#include "net/loop_impl.h"
#include "net/read_pace.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <netinet/tcp.h>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

namespace berth::net {

using boost::asio::ip::tcp;
using SocketError = boost::system::error_code;

using std::chrono::milliseconds;
using std::chrono::steady_clock;

class TcpSocket::State : public std::enable_shared_from_this<State> {
 public:
  State(Loop& loop, TcpSocketEvents& events, const TcpSocketOptions& options)
      : events_(&events), options_(options), loop_(loop), socket_(IoContextOf(loop)), read_pause_(IoContextOf(loop)) {}

  void Connect(const std::string& host, uint16_t port) {
    dial_ = std::make_unique<HostDial>(loop_, host, port, [this](const Result<ConnectedSocket>& connected) {
      const auto self = shared_from_this();
      dial_ = nullptr;
      if (!connected) return Fail(connected.error().message);
      Connected(*connected);
    });
  }

  void TakeOver(AcceptedSocket accepted) {
    peer_ = "client";
    Assign({accepted.Release(), accepted.ipv6()});
    Configure();
    Read();
  }

  void Write(std::string bytes) {
    outgoing_ = std::move(bytes);
    written_ = 0;
    write_began_ = Now();
    WriteRest();
  }

  void EndWriting() {
    SocketError ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
  }

  void Close() {
    events_ = nullptr;
    dial_ = nullptr;
    read_pause_.cancel();
    SocketError ignored;
    socket_.close(ignored);
  }

 private:
  void Assign(const ConnectedSocket& socket) {
    SocketError failed;
    socket_.assign(socket.ipv6 ? tcp::v6() : tcp::v4(), socket.descriptor, failed);
    BERTH_CHECK(!failed);  // the descriptor is an open socket
  }

  void Connected(const ConnectedSocket& socket) {
    Assign(socket);
    Configure();
    Read();
    events_->SocketConnected();
  }

  void Configure() {
    SocketError ignored;
    socket_.non_blocking(true, ignored);
    socket_.set_option(tcp::no_delay(true), ignored);
    if (options_.stall_limit > Duration(0)) {
      using UnacknowledgedFor = boost::asio::detail::socket_option::integer<IPPROTO_TCP, TCP_USER_TIMEOUT>;
      const auto limit = std::chrono::duration_cast<milliseconds>(options_.stall_limit).count();
      socket_.set_option(UnacknowledgedFor(static_cast<int>(limit)), ignored);
    }
    socket_.set_option(tcp::socket::keep_alive(true), ignored);
    if (peer_ == "client") return;
    // Where the protocol cannot ask whether the server is there, the system does, as soon as Go's would.
    using KeepIdle = boost::asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPIDLE>;
    using KeepInterval = boost::asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPINTVL>;
    using KeepCount = boost::asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPCNT>;
    socket_.set_option(KeepIdle(30), ignored);
    socket_.set_option(KeepInterval(15), ignored);
    socket_.set_option(KeepCount(3), ignored);
  }

  // The limit is looked at before every attempt, so that a process that stood still does not go on with bytes that have
  // become too old meanwhile; so is whether they may be written at all. A broken connection is told by the read, which
  // first yields what the server still sent: answers, and how far it came.
  void WriteRest() {
    SocketError failed;
    while (written_ < outgoing_.size()) {
      if (options_.may_write && !options_.may_write()) return FailLater("it is too late to send what was to be sent");
      written_ += socket_.write_some(boost::asio::buffer(outgoing_) + written_, failed);
      if (!failed) continue;
      if (failed != boost::asio::error::would_block) return;
      return socket_.async_wait(tcp::socket::wait_write, [self = shared_from_this()](const SocketError& broken) {
        if (broken || self->events_ == nullptr) return;
        if (self->IsStalled()) return self->Fail("the server does not take what is sent");
        self->WriteRest();
      });
    }
    boost::asio::post(socket_.get_executor(), [self = shared_from_this()] {
      if (self->events_ != nullptr) self->events_->SocketWrote();
    });
  }

  bool IsStalled() const { return options_.stall_limit > Duration(0) && Now() - write_began_ > options_.stall_limit; }

  Duration Now() const { return options_.clock == nullptr ? SystemClock().Steady() : options_.clock->Steady(); }

  void ReadSoon(bool is_more_waiting) {
    if (!options_.moderate_reads || !pace_.IsBusy(steady_clock::now().time_since_epoch()) || is_more_waiting)
      return Read();
    read_pause_.expires_after(ReadPace::kPause);
    read_pause_.async_wait([self = shared_from_this()](const SocketError& canceled) {
      if (!canceled && self->events_ != nullptr) self->Read();
    });
  }

  void Read() {
    socket_.async_read_some(boost::asio::buffer(incoming_),
                            [self = shared_from_this()](const SocketError& failed, size_t count) {
                              if (failed == boost::asio::error::eof && self->events_ != nullptr)
                                self->events_->SocketEnded();
                              if (failed == boost::asio::error::eof)
                                return self->Fail(fmt::format("the {} closed the connection", self->peer_));
                              if (failed) return self->Fail("cannot read: " + failed.message());
                              if (self->events_ == nullptr) return;
                              self->events_->SocketReceived({self->incoming_.data(), count});
                              if (self->events_ != nullptr) self->ReadSoon(count == self->incoming_.size());
                            });
  }

  // For a call of the socket, inside which nothing is told. Nothing is written until then: one write is under way.
  void FailLater(std::string why) {
    boost::asio::post(socket_.get_executor(), [self = shared_from_this(), why = std::move(why)] { self->Fail(why); });
  }

  void Fail(const std::string& why) {
    TcpSocketEvents* events = events_;
    Close();
    if (events != nullptr) events->SocketFailed(why);
  }

  TcpSocketEvents* events_;  // null: closed
  const TcpSocketOptions options_;
  std::string_view peer_ = "server";
  Loop& loop_;
  tcp::socket socket_;
  std::unique_ptr<HostDial> dial_;  // until it is connected
  std::string outgoing_;
  size_t written_ = 0;  // of it
  Duration write_began_ = {};
  boost::asio::steady_timer read_pause_;
  ReadPace pace_;
  std::array<char, 64 << 10> incoming_;
};

TcpSocket::TcpSocket(Loop& loop, TcpSocketEvents& events, const TcpSocketOptions& options)
    : state_(std::make_shared<State>(loop, events, options)) {}
TcpSocket::TcpSocket(Loop& loop, TcpSocketEvents& events, AcceptedSocket accepted) : TcpSocket(loop, events) {
  state_->TakeOver(std::move(accepted));
}
TcpSocket::~TcpSocket() { state_->Close(); }

void TcpSocket::Connect(const std::string& host, uint16_t port) { state_->Connect(host, port); }
void TcpSocket::Write(std::string bytes) { state_->Write(std::move(bytes)); }
void TcpSocket::EndWriting() { state_->EndWriting(); }
void TcpSocket::Close() { state_->Close(); }

}  // namespace berth::net
