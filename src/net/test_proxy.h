// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <thread>

namespace berth::net {

struct TestProxyOptions {
  std::string authorization = {};  // an HTTP proxy that grants no tunnel without it, but answers 407
  bool speaks_socks = false;       // version 5, without a login
};

// A proxy on loopback that serves one tunnel to the port `target`, on a thread of its own.
class TestProxy {
 public:
  TestProxy(uint16_t target, TestProxyOptions options);
  ~TestProxy();  // when the tunnel is closed
  TestProxy(const TestProxy&) = delete;
  TestProxy& operator=(const TestProxy&) = delete;

  uint16_t port() const { return port_; }
  // What it was asked; when it is done.
  const std::string& WaitForRequest();

 private:
  void Serve();
  // Whether the tunnel may be had.
  bool IsAskedByHttp(int client);
  bool IsAskedBySocks(int client);

  const uint16_t target_;
  const TestProxyOptions options_;
  int listener_;
  uint16_t port_ = 0;
  std::string request_;
  std::thread thread_;
};

}  // namespace berth::net
