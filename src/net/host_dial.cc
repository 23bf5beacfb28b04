// SPDX-License-Identifier: Apache-2.0
#include "net/host_dial.h"

#include "net/loop_impl.h"

#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace berth::net {

class HostDial::State : public std::enable_shared_from_this<State> {
 public:
  State(Loop& loop, Done done) : loop_(loop), done_(std::move(done)), resolver_(IoContextOf(loop)) {}

  void Begin(const std::string& host, uint16_t port) {
    boost::system::error_code no_address;
    static_cast<void>(boost::asio::ip::make_address(host, no_address));
    if (!no_address) return Race({SocketAddress{host, port}});
    resolver_.async_resolve(
        host, std::to_string(port), boost::asio::ip::tcp::resolver::numeric_service,
        [self = shared_from_this(), host](const boost::system::error_code& failed, const auto& found) {
          if (self->done_ == nullptr) return;
          if (failed) return self->Fail("cannot resolve the name " + host + ": " + failed.message());
          std::vector<SocketAddress> addresses;
          for (const auto& each : found) {
            const boost::asio::ip::tcp::endpoint endpoint = each;
            addresses.push_back({endpoint.address().to_string(), endpoint.port()});
          }
          self->Race(addresses);
        });
  }

  void Cancel() {
    done_ = nullptr;
    resolver_.cancel();
    race_ = nullptr;
  }

 private:
  void Race(const std::vector<SocketAddress>& addresses) {
    race_ = std::make_unique<ConnectRace>(loop_, addresses, [this](const Result<ConnectedSocket>& connected) {
      const auto self = shared_from_this();
      race_ = nullptr;
      if (!connected) return Fail("cannot connect: " + connected.error().message);
      std::exchange(done_, nullptr)(*connected);
    });
  }

  void Fail(std::string why) { std::exchange(done_, nullptr)(Error{ErrorCode::Unavailable, std::move(why)}); }

  Loop& loop_;
  Done done_;  // empty: it is over
  boost::asio::ip::tcp::resolver resolver_;
  std::unique_ptr<ConnectRace> race_;  // until one of the addresses has answered
};

HostDial::HostDial(Loop& loop, const std::string& host, uint16_t port, Done done)
    : state_(std::make_shared<State>(loop, std::move(done))) {
  state_->Begin(host, port);
}

HostDial::~HostDial() { state_->Cancel(); }

}  // namespace berth::net
