// SPDX-License-Identifier: Apache-2.0
#include "extender/test_extender_server.h"

#include "base/check.h"

#include <array>
#include <cstdlib>
#include <netinet/in.h>
#include <optional>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace berth::extender {
namespace {

// Reads more; false at the end of the stream.
bool ReadSome(int descriptor, std::string& text) {
  std::array<char, 64 << 10> buffer;
  const ssize_t count = recv(descriptor, buffer.data(), buffer.size(), 0);
  if (count > 0) text.append(buffer.data(), static_cast<size_t>(count));
  return count > 0;
}

// Takes one request off the front of what comes; none at the end of the stream.
std::optional<AskedQuestion> ReadQuestion(int descriptor, std::string& text) {
  while (text.find("\r\n\r\n") == std::string::npos) {
    if (!ReadSome(descriptor, text)) return std::nullopt;
  }
  AskedQuestion question;
  const size_t head_size = text.find("\r\n\r\n");
  std::string_view head = std::string_view(text).substr(0, head_size);
  question.line = head.substr(0, head.find("\r\n"));
  while (head.find("\r\n") != std::string_view::npos) {
    head.remove_prefix(head.find("\r\n") + 2);
    const std::string_view line = head.substr(0, head.find("\r\n"));
    const size_t colon = line.find(": ");
    question.headers.emplace_back(net::LowerCase(line.substr(0, colon)), line.substr(colon + 2));
  }
  const size_t size = std::strtoull(question.Header("content-length").c_str(), nullptr, 10);
  text.erase(0, head_size + 4);
  while (text.size() < size) {
    if (!ReadSome(descriptor, text)) return std::nullopt;
  }
  question.body = text.substr(0, size);
  text.erase(0, size);
  return question;
}

}  // namespace

std::string AskedQuestion::Header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

bool AskingClient::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

void AskingClient::Answer(int status, std::string_view body) {
  if (Write(fmt::format("HTTP/1.1 {} Any\r\nContent-Length: {}\r\n\r\n", status, body.size()))) Write(body);
}

void AskingClient::WaitForEnd() {
  std::string ignored;
  while (ReadSome(descriptor_, ignored)) ignored.clear();
}

TestExtenderServer::TestExtenderServer(Handler handler)
    : handler_(std::move(handler)), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  BERTH_CHECK(bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
  BERTH_CHECK(listen(listener_, 100) == 0);
  BERTH_CHECK(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  port_ = ntohs(address.sin_port);
  accepting_ = std::thread([this] { Accept(); });
}

TestExtenderServer::~TestExtenderServer() {
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
    for (const int descriptor : open_) shutdown(descriptor, SHUT_RDWR);
  }
  shutdown(listener_, SHUT_RDWR);
  accepting_.join();
  for (std::thread& thread : threads_) thread.join();
  close(listener_);
}

std::string TestExtenderServer::url() const { return fmt::format("http://127.0.0.1:{}", port_); }

std::vector<AskedQuestion> TestExtenderServer::asked() const {
  const MutexLock lock(mutex_);
  return asked_;
}

void TestExtenderServer::Accept() {
  while (true) {
    const int descriptor = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (descriptor < 0) return;
    const MutexLock lock(mutex_);
    if (stopped_) {
      close(descriptor);
      return;
    }
    open_.push_back(descriptor);
    ++connections_;
    threads_.emplace_back([this, descriptor] { Serve(descriptor); });
  }
}

void TestExtenderServer::Serve(int descriptor) {
  AskingClient client(descriptor);
  std::string text;
  while (!client.leaves()) {
    std::optional<AskedQuestion> question = ReadQuestion(descriptor, text);
    if (!question) break;
    {
      const MutexLock lock(mutex_);
      asked_.push_back(*question);
    }
    handler_(*question, client);
  }
  const MutexLock lock(mutex_);
  std::erase(open_, descriptor);
  close(descriptor);
}

}  // namespace berth::extender
