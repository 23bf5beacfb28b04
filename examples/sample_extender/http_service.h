// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sample_extender {

// Answers a POST to a path; nothing when the body makes no sense.
using Verb = std::function<std::optional<std::string>(std::string_view body)>;
// The verb served at a path, or none.
using Verbs = std::function<Verb(std::string_view path)>;

// Serves HTTP/1.1 in clear text, on connections that are kept. One thread: verbs are called one after the other.
class HttpService {
 public:
  explicit HttpService(Verbs verbs);
  ~HttpService();
  HttpService(const HttpService&) = delete;
  HttpService& operator=(const HttpService&) = delete;

  // Port 0: any. Gives the port, or says why it cannot be had.
  std::optional<uint16_t> Listen(const std::string& address, uint16_t port, std::string& problem);
  // Serves until SIGINT or SIGTERM.
  void Run();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sample_extender
