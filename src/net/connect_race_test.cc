// SPDX-License-Identifier: Apache-2.0
#include "net/connect_race.h"

#include "net/test_loop_thread.h"

#include <arpa/inet.h>
#include <chrono>
#include <fcntl.h>
#include <future>
#include <memory>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

namespace berth::net {
namespace {

using std::chrono::milliseconds;

sockaddr_in Loopback(uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

class ConnectRaceTest : public testing::Test {
 protected:
  ~ConnectRaceTest() override {
    for (const int descriptor : descriptors_) close(descriptor);
  }

  // An address that takes as many connections into its queue, and then is silent, as a machine that is gone.
  SocketAddress Listening(int queue) {
    const int listener = Open();
    sockaddr_in address = Loopback(0);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener, queue), 0);
    EXPECT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
    return {"127.0.0.1", ntohs(address.sin_port)};
  }
  SocketAddress Answering() { return Listening(10); }
  SocketAddress Silent() {
    const SocketAddress address = Listening(0);
    const sockaddr_in full = Loopback(address.port);
    for (int i = 0; i < 4; ++i) connect(Open(), reinterpret_cast<const sockaddr*>(&full), sizeof full);
    return address;
  }
  // One where nobody listens.
  SocketAddress Refusing() {
    const SocketAddress address = Answering();
    close(descriptors_.back());
    descriptors_.pop_back();
    return address;
  }

  std::optional<SocketAddress> AnsweringIpv6() {
    const int listener = descriptors_.emplace_back(socket(AF_INET6, SOCK_STREAM, 0));
    sockaddr_in6 address = {};
    address.sin6_family = AF_INET6;
    address.sin6_addr = in6addr_loopback;
    socklen_t size = sizeof address;
    if (bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0) return std::nullopt;
    EXPECT_EQ(listen(listener, 10), 0);
    EXPECT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
    return SocketAddress{"::1", ntohs(address.sin6_port)};
  }

  // The port that was reached, or why none was; "silence" when nothing was told in time.
  std::string Race(const std::vector<SocketAddress>& addresses, milliseconds patience = std::chrono::seconds(20)) {
    std::promise<std::string> told;
    std::unique_ptr<ConnectRace> race;
    thread_.Do([&] {
      race = std::make_unique<ConnectRace>(thread_.loop(), addresses, [&](const Result<ConnectedSocket>& connected) {
        if (!connected) return told.set_value(connected.error().message);
        sockaddr_in6 peer = {};  // the port of an IPv4 address is at the same place
        socklen_t size = sizeof peer;
        EXPECT_EQ(getpeername(connected->descriptor, reinterpret_cast<sockaddr*>(&peer), &size), 0);
        EXPECT_EQ(connected->ipv6, peer.sin6_family == AF_INET6);
        EXPECT_NE(fcntl(connected->descriptor, F_GETFD) & FD_CLOEXEC, 0) << "no program that we start inherits it";
        close(connected->descriptor);
        told.set_value(std::to_string(ntohs(peer.sin6_port)));
      });
    });
    std::future<std::string> future = told.get_future();
    const bool in_time = future.wait_for(patience) == std::future_status::ready;
    thread_.Do([&] { race.reset(); });
    return in_time ? future.get() : "silence";
  }

  TestLoopThread thread_;

 private:
  int Open() { return descriptors_.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)); }
  std::vector<int> descriptors_;
};

TEST_F(ConnectRaceTest, ASilentAddressDoesNotHideTheNext) {
  const SocketAddress silent = Silent();
  EXPECT_EQ(Race({silent}, milliseconds(500)), "silence");
  const SocketAddress answering = Answering();
  EXPECT_EQ(Race({silent, Silent(), answering}), std::to_string(answering.port));
}

TEST_F(ConnectRaceTest, ARefusalIsFollowedByTheNext) {
  const SocketAddress answering = Answering();
  EXPECT_EQ(Race({Refusing(), Refusing(), answering}), std::to_string(answering.port));
}

TEST_F(ConnectRaceTest, TheFirstThatAnswersIsTaken) {
  const SocketAddress first = Answering();
  EXPECT_EQ(Race({first, Answering()}), std::to_string(first.port));
}

TEST_F(ConnectRaceTest, WhenAllFailTheFirstFailureIsTold) {
  EXPECT_EQ(Race({Refusing(), {"::1", Refusing().port}}), "Connection refused");
}

TEST_F(ConnectRaceTest, FamiliesTakeTurns) {
  const std::optional<SocketAddress> ipv6 = AnsweringIpv6();
  if (!ipv6) return;  // this machine has none
  std::vector<SocketAddress> addresses(20, Silent());
  addresses.push_back(*ipv6);
  EXPECT_EQ(Race(addresses, std::chrono::seconds(5)), std::to_string(ipv6->port)) << "in order it would take 6 s";
}

}  // namespace
}  // namespace berth::net
