// SPDX-License-Identifier: Apache-2.0
#include "net/tcp_listener.h"

#include "net/close_on_exec.h"
#include "net/loop_impl.h"

#include <chrono>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <fmt/format.h>

namespace berth::net {
namespace {

using boost::asio::ip::tcp;
using ListenError = boost::system::error_code;

using ReusePort = boost::asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

// As IPv4 where it is one.
boost::asio::ip::address Unmapped(const boost::asio::ip::address& address) {
  if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address;
  return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6());
}

std::string EndpointText(const tcp::endpoint& endpoint) {
  const auto address = Unmapped(endpoint.address());
  return fmt::format(fmt::runtime(address.is_v6() ? "[{}]:{}" : "{}:{}"), address.to_string(), endpoint.port());
}

}  // namespace

AcceptedSocket::AcceptedSocket(int descriptor, bool ipv6, std::string remote, std::string local_address)
    : descriptor_(descriptor), ipv6_(ipv6), remote_(std::move(remote)), local_address_(std::move(local_address)) {}

AcceptedSocket::AcceptedSocket(AcceptedSocket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      ipv6_(other.ipv6_),
      remote_(std::move(other.remote_)),
      local_address_(std::move(other.local_address_)) {}

AcceptedSocket::~AcceptedSocket() {
  if (descriptor_ >= 0) close(descriptor_);
}

int AcceptedSocket::Release() { return std::exchange(descriptor_, -1); }

class TcpListener::State : public std::enable_shared_from_this<State> {
 public:
  explicit State(Loop& loop) : loop_(loop), acceptor_(IoContextOf(loop)) {}

  ListenError Open(const ListenOptions& options) {
    ListenError error;
    auto address = boost::asio::ip::make_address(options.address, error);
    if (error) return error;
    // Go, which the users of this option know, listens to both families then.
    const bool everywhere = address.is_unspecified();
    if (everywhere) address = boost::asio::ip::address_v6::any();
    error = OpenAt(tcp::endpoint(address, options.port), everywhere, options.share_port);
    if (error == boost::asio::error::address_family_not_supported && everywhere) {
      error = OpenAt({tcp::v4(), options.port}, false, options.share_port);
    }
    return error;
  }

  uint16_t port() const {
    ListenError ignored;
    return acceptor_.local_endpoint(ignored).port();
  }

  void Start(std::function<void(AcceptedSocket)> accept) {
    accept_ = std::move(accept);
    Wait();
  }

  void Close() {
    accept_ = nullptr;
    loop_.Cancel(pause_);
    ListenError ignored;
    acceptor_.close(ignored);
  }

 private:
  ListenError OpenAt(const tcp::endpoint& endpoint, bool both_families, bool share_port) {
    ListenError error;
    if (acceptor_.is_open()) acceptor_.close(error);
    acceptor_.open(endpoint.protocol(), error);
    if (error) return error;
    CloseOnExec(acceptor_.native_handle());
    // A server that is started again must not wait for old connections to be forgotten.
    acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error && share_port) acceptor_.set_option(ReusePort(true), error);
    if (!error && endpoint.address().is_v6()) acceptor_.set_option(boost::asio::ip::v6_only(!both_families), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
    return error;
  }

  void Wait() {
    acceptor_.async_accept([self = shared_from_this()](const ListenError& error, tcp::socket socket) {
      if (self->accept_ == nullptr) return;
      if (error) return self->Pause();
      self->HandOver(std::move(socket));
      if (self->accept_ != nullptr) self->Wait();
    });
  }

  void HandOver(tcp::socket socket) {
    ListenError error;
    const tcp::endpoint remote = socket.remote_endpoint(error);
    const tcp::endpoint local = socket.local_endpoint(error);
    if (error) return;  // it has gone already
    const bool ipv6 = local.protocol() == tcp::v6();
    const int descriptor = socket.release(error);
    if (error) return;
    CloseOnExec(descriptor);
    const auto accept = accept_;  // which may close the listener
    accept({descriptor, ipv6, EndpointText(remote), Unmapped(local.address()).to_string()});
  }

  // Out of descriptors, mostly: those who wait are served when others have gone.
  void Pause() {
    constexpr auto kPause = std::chrono::milliseconds(100);
    pause_ = loop_.After(kPause, [self = shared_from_this()] {
      if (self->accept_ != nullptr) self->Wait();
    });
  }

  Loop& loop_;
  tcp::acceptor acceptor_;
  std::function<void(AcceptedSocket)> accept_;
  Loop::TimerId pause_ = 0;
};

TcpListener::TcpListener(std::shared_ptr<State> state) : state_(std::move(state)) {}
TcpListener::~TcpListener() { state_->Close(); }

Result<std::unique_ptr<TcpListener>> TcpListener::Make(Loop& loop, const ListenOptions& options) {
  auto state = std::make_shared<State>(loop);
  if (const ListenError error = state->Open(options); error) {
    const bool brackets = options.address.find(':') != std::string::npos;
    return Error{ErrorCode::Unavailable,
                 fmt::format("failed to listen on {}{}{}:{}: {}", brackets ? "[" : "", options.address,
                             brackets ? "]" : "", options.port, error.message())};
  }
  return std::unique_ptr<TcpListener>(new TcpListener(std::move(state)));
}

uint16_t TcpListener::port() const { return state_->port(); }
void TcpListener::Start(std::function<void(AcceptedSocket)> accept) { state_->Start(std::move(accept)); }
void TcpListener::Close() { state_->Close(); }

}  // namespace berth::net
