// SPDX-License-Identifier: Apache-2.0
#include "net/tcp_socket.h"

#include "net/loop_impl.h"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

namespace berth::net {

using boost::asio::ip::tcp;
using SocketError = boost::system::error_code;

class TcpSocket::State : public std::enable_shared_from_this<State> {
 public:
  State(boost::asio::io_context& context, TcpSocketEvents& events)
      : events_(&events), socket_(context), resolver_(context) {}

  void Connect(const std::string& host, uint16_t port) {
    SocketError error;
    const auto address = boost::asio::ip::make_address(host, error);
    if (!error) return ConnectTo({tcp::endpoint(address, port)});
    resolver_.async_resolve(host, std::to_string(port), tcp::resolver::numeric_service,
                            [self = shared_from_this(), host](const SocketError& failed, const auto& found) {
                              if (failed)
                                return self->Fail("cannot resolve the name " + host + ": " + failed.message());
                              self->ConnectTo({found.begin(), found.end()});
                            });
  }

  void Write(std::string bytes) {
    outgoing_ = std::move(bytes);
    boost::asio::async_write(socket_, boost::asio::buffer(outgoing_),
                             [self = shared_from_this()](const SocketError& failed, size_t /*count*/) {
                               // A broken connection is told by the read, which first yields what the server still
                               // sent: answers, and how far it came.
                               if (!failed && self->events_ != nullptr) self->events_->SocketWrote();
                             });
  }

  void Close() {
    events_ = nullptr;
    resolver_.cancel();
    SocketError ignored;
    socket_.close(ignored);
  }

 private:
  void ConnectTo(std::vector<tcp::endpoint> addresses) {
    if (events_ == nullptr) return;
    addresses_ = std::move(addresses);
    boost::asio::async_connect(socket_, addresses_,
                               [self = shared_from_this()](const SocketError& failed, const tcp::endpoint&) {
                                 if (failed) return self->Fail("cannot connect: " + failed.message());
                                 self->Connected();
                               });
  }

  void Connected() {
    if (events_ == nullptr) return;
    SocketError ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
    Read();
    events_->SocketConnected();
  }

  void Read() {
    socket_.async_read_some(boost::asio::buffer(incoming_),
                            [self = shared_from_this()](const SocketError& failed, size_t count) {
                              if (failed == boost::asio::error::eof)
                                return self->Fail("the server closed the connection");
                              if (failed) return self->Fail("cannot read: " + failed.message());
                              if (self->events_ == nullptr) return;
                              self->events_->SocketReceived({self->incoming_.data(), count});
                              if (self->events_ != nullptr) self->Read();
                            });
  }

  void Fail(const std::string& why) {
    TcpSocketEvents* events = events_;
    Close();
    if (events != nullptr) events->SocketFailed(why);
  }

  TcpSocketEvents* events_;  // null: closed
  tcp::socket socket_;
  tcp::resolver resolver_;
  std::vector<tcp::endpoint> addresses_;
  std::string outgoing_;
  std::array<char, 64 << 10> incoming_;
};

TcpSocket::TcpSocket(Loop& loop, TcpSocketEvents& events)
    : state_(std::make_shared<State>(IoContextOf(loop), events)) {}
TcpSocket::~TcpSocket() { state_->Close(); }

void TcpSocket::Connect(const std::string& host, uint16_t port) { state_->Connect(host, port); }
void TcpSocket::Write(std::string bytes) { state_->Write(std::move(bytes)); }
void TcpSocket::Close() { state_->Close(); }

}  // namespace berth::net
