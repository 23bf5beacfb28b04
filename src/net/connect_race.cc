// SPDX-License-Identifier: Apache-2.0
#include "net/connect_race.h"

#include "base/check.h"
#include "net/close_on_exec.h"
#include "net/loop_impl.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

namespace berth::net {
namespace {

using Endpoints = std::vector<boost::asio::ip::tcp::endpoint>;

constexpr std::chrono::milliseconds kHeadStart(300);

// In the order given, but the two families take turns.
Endpoints TakingTurns(const std::vector<SocketAddress>& addresses) {
  Endpoints first;
  Endpoints other;
  for (const SocketAddress& address : addresses) {
    boost::system::error_code failed;
    const auto ip = boost::asio::ip::make_address(address.ip, failed);
    if (failed) continue;
    const boost::asio::ip::tcp::endpoint endpoint(ip, address.port);
    (first.empty() || endpoint.protocol() == first.front().protocol() ? first : other).push_back(endpoint);
  }
  Endpoints ordered;
  for (size_t i = 0; i < std::max(first.size(), other.size()); ++i) {
    if (i < first.size()) ordered.push_back(first[i]);
    if (i < other.size()) ordered.push_back(other[i]);
  }
  return ordered;
}

}  // namespace

class ConnectRace::State : public std::enable_shared_from_this<State> {
 public:
  State(boost::asio::io_context& context, const std::vector<SocketAddress>& addresses, Done done)
      : context_(context), addresses_(TakingTurns(addresses)), done_(std::move(done)), head_start_(context) {
    BERTH_CHECK(!addresses_.empty());
  }

  void Next() {
    const auto socket = std::make_shared<Socket>(context_);
    running_.push_back(socket);
    const auto& address = addresses_[tried_++];
    boost::system::error_code unopened;  // async_connect tries again and tells why
    socket->open(address.protocol(), unopened);
    if (!unopened) CloseOnExec(socket->native_handle());
    socket->async_connect(address, [self = shared_from_this(), socket](const boost::system::error_code& failed) {
      self->Ended(socket, failed);
    });
    if (tried_ == addresses_.size()) return;
    head_start_.expires_after(kHeadStart);
    head_start_.async_wait([self = shared_from_this(), turn = tried_](const boost::system::error_code& canceled) {
      if (!canceled && self->done_ != nullptr && self->tried_ == turn) self->Next();
    });
  }

  void Cancel() {
    done_ = nullptr;
    head_start_.cancel();
    for (const auto& socket : std::exchange(running_, {})) {
      boost::system::error_code ignored;
      socket->close(ignored);
    }
  }

 private:
  using Socket = boost::asio::ip::tcp::socket;

  void Ended(const std::shared_ptr<Socket>& socket, const boost::system::error_code& failed) {
    if (done_ == nullptr) return;
    std::erase(running_, socket);
    if (!failed) {
      const Done done = std::exchange(done_, nullptr);
      Cancel();
      boost::system::error_code ignored;
      const bool ipv6 = socket->local_endpoint(ignored).address().is_v6();
      return done(ConnectedSocket{socket->release(ignored), ipv6});
    }
    if (why_.empty()) why_ = failed.message();
    if (tried_ < addresses_.size()) return Next();
    if (running_.empty()) std::exchange(done_, nullptr)(Error{ErrorCode::Unavailable, why_});
  }

  boost::asio::io_context& context_;
  const Endpoints addresses_;
  Done done_;  // empty: it is over
  size_t tried_ = 0;
  std::vector<std::shared_ptr<Socket>> running_;
  boost::asio::steady_timer head_start_;
  std::string why_;  // of the first that failed
};

ConnectRace::ConnectRace(Loop& loop, const std::vector<SocketAddress>& addresses, Done done)
    : state_(std::make_shared<State>(IoContextOf(loop), addresses, std::move(done))) {
  state_->Next();
}

ConnectRace::~ConnectRace() { state_->Cancel(); }

}  // namespace berth::net
