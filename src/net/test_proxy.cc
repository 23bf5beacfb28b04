// SPDX-License-Identifier: Apache-2.0
#include "net/test_proxy.h"

#include "base/check.h"

#include <array>
#include <netinet/in.h>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace berth::net {
namespace {

sockaddr_in LoopbackPort(uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

void SendAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

// False at the end of the stream, as below.
bool Receive(int from, std::string& into) {
  std::array<char, 1000> buffer;
  const ssize_t count = recv(from, buffer.data(), buffer.size(), 0);
  if (count > 0) into.append(buffer.data(), static_cast<size_t>(count));
  return count > 0;
}

bool Forward(int from, int to) {
  std::array<char, 16 << 10> buffer;
  const ssize_t count = recv(from, buffer.data(), buffer.size(), 0);
  if (count <= 0) return false;
  SendAll(to, {buffer.data(), static_cast<size_t>(count)});
  return true;
}

void Pump(int one, int other) {
  while (true) {
    std::array<pollfd, 2> polled = {{{one, POLLIN, 0}, {other, POLLIN, 0}}};
    poll(polled.data(), polled.size(), -1);
    if (polled[0].revents != 0 && !Forward(one, other)) return;
    if (polled[1].revents != 0 && !Forward(other, one)) return;
  }
}

}  // namespace

TestProxy::TestProxy(uint16_t target, TestProxyOptions options)
    : target_(target), options_(std::move(options)), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address = LoopbackPort(0);
  socklen_t size = sizeof address;
  BERTH_CHECK(bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
  BERTH_CHECK(listen(listener_, 10) == 0);
  BERTH_CHECK(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { Serve(); });
}

TestProxy::~TestProxy() {
  WaitForRequest();
  close(listener_);
}

const std::string& TestProxy::WaitForRequest() {
  if (thread_.joinable()) thread_.join();
  return request_;
}

bool TestProxy::IsAskedByHttp(int client) {
  while (request_.find("\r\n\r\n") == std::string::npos) {
    if (!Receive(client, request_)) break;
  }
  const bool may = request_.find("Proxy-Authorization: " + options_.authorization + "\r\n") != std::string::npos;
  SendAll(client,
          may ? "HTTP/1.1 200 Connection established\r\n\r\n" : "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
  return may;
}

bool TestProxy::IsAskedBySocks(int client) {
  using namespace std::string_view_literals;
  constexpr size_t kHello = 3;
  constexpr size_t kIpv4Request = 10;
  while (request_.size() < kHello) {
    if (!Receive(client, request_)) return false;
  }
  SendAll(client, "\5\0"sv);
  while (request_.size() < kHello + kIpv4Request) {
    if (!Receive(client, request_)) return false;
  }
  SendAll(client, "\5\0\0\1\0\0\0\0\0\0"sv);
  return true;
}

void TestProxy::Serve() {
  const int client = accept(listener_, nullptr, nullptr);
  if (options_.speaks_socks ? IsAskedBySocks(client) : IsAskedByHttp(client)) {
    const int server = socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in address = LoopbackPort(target_);
    BERTH_CHECK(connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    Pump(client, server);
    close(server);
  }
  close(client);
}

}  // namespace berth::net
