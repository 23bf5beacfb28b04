// SPDX-License-Identifier: Apache-2.0
// How a response ends that has neither a length nor chunks: whole, or broken off.
#include "net/http_client.h"
#include "net/test_certificates.h"
#include "net/test_loop_thread.h"
#include "net/tls_stream.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <memory>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace berth::net {
namespace {

// Speaks to one client, word by word as the test says, and waits for it where it must.
class WordByWordServer {
 public:
  explicit WordByWordServer(bool tls) : listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener_, 1), 0);
    EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    if (!tls) return;
    const CertifiedKey key = TestAuthority().IssueServer("IP:127.0.0.1");
    auto context = TlsServerContext::Make({.identity = {key.certificate, key.key}, .offers_http2 = false});
    tls_ = TlsStream::MakeServer(context.value(), "127.0.0.1").value();
  }
  ~WordByWordServer() {
    Close();
    close(listener_);
  }
  WordByWordServer(const WordByWordServer&) = delete;
  WordByWordServer& operator=(const WordByWordServer&) = delete;

  uint16_t port() const { return port_; }
  void TakeRequest() {
    client_ = accept(listener_, nullptr, nullptr);
    if (tls_ != nullptr) {
      while (!tls_->Handshake().value()) {
        Flush();
        tls_->Feed(Receive());
      }
      Flush();
    }
    for (std::string request; request.find("\r\n\r\n") == std::string::npos;) request += Read();
  }
  void Say(const std::string& words) {
    if (tls_ == nullptr) return Send(words);
    EXPECT_TRUE(tls_->Write(words));
    Flush();
  }
  // Says in TLS that nothing more will come.
  void SayGoodbye() {
    tls_->Close();
    Flush();
  }
  void Close() {
    if (client_ >= 0) close(client_);
    client_ = -1;
  }
  void Reset() {
    const linger at_once = {1, 0};
    setsockopt(client_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    Close();
  }

 private:
  std::string Receive() const {
    std::array<char, 16384> bytes = {};
    const ssize_t count = recv(client_, bytes.data(), bytes.size(), 0);
    EXPECT_GT(count, 0);
    return {bytes.data(), static_cast<size_t>(std::max<ssize_t>(count, 0))};
  }
  std::string Read() {
    if (tls_ == nullptr) return Receive();
    std::array<char, 16384> plain = {};
    size_t count = 0;
    // The end of the handshake may have brought the request along.
    while ((count = tls_->Read(plain.data(), plain.size()).value()) == 0) tls_->Feed(Receive());
    return {plain.data(), count};
  }
  void Flush() {
    std::string out;
    tls_->Produce(out);
    Send(out);
  }
  void Send(const std::string& bytes) const {
    EXPECT_EQ(send(client_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }

  int listener_;
  int client_ = -1;
  uint16_t port_ = 0;
  std::unique_ptr<TlsStream> tls_;
};

class Http1EndsTest : public testing::Test {
 protected:
  // Has received the response but for its end.
  void Begin(bool tls) {
    server_ = std::make_unique<WordByWordServer>(tls);
    Endpoint endpoint = {.host = "127.0.0.1", .port = server_->port()};
    if (tls) endpoint.tls = TlsClientContext::Make({.skip_verification = true}).value();
    thread_.Do([&] {
      client_ = std::make_unique<HttpClient>(thread_.loop(), std::move(endpoint));
      client_->Send({.path = "/"}, response_);
    });
    server_->TakeRequest();
    server_->Say("HTTP/1.1 200 OK\r\n\r\nall of it");
    response_->WaitForBody(9);
  }
  ~Http1EndsTest() override {
    thread_.Do([&] { client_.reset(); });
  }

  std::unique_ptr<WordByWordServer> server_;
  TestLoopThread thread_;
  std::unique_ptr<HttpClient> client_;
  const std::shared_ptr<CollectedResponse> response_ = std::make_shared<CollectedResponse>();
};

TEST_F(Http1EndsTest, AServerThatClosesHasSaidAll) {
  Begin(false);
  server_->Close();
  EXPECT_EQ(response_->WaitForEnd(), ExchangeEnd::Complete) << response_->error();
  EXPECT_EQ(response_->body(), "all of it");
}

TEST_F(Http1EndsTest, AServerThatSaysGoodbyeInTlsHasSaidAll) {
  Begin(true);
  server_->SayGoodbye();
  EXPECT_EQ(response_->WaitForEnd(), ExchangeEnd::Complete) << response_->error();
}

TEST_F(Http1EndsTest, InTlsWhoeverOnlyClosesMayHaveBeenCutOff) {
  Begin(true);
  server_->Close();
  EXPECT_EQ(response_->WaitForEnd(), ExchangeEnd::Unknown);
}

TEST_F(Http1EndsTest, AConnectionThatBreaksIsNoEnd) {
  Begin(false);
  server_->Reset();
  EXPECT_EQ(response_->WaitForEnd(), ExchangeEnd::Unknown);
}

TEST_F(Http1EndsTest, ToCloseTheClientIsNoEnd) {
  Begin(false);
  thread_.Do([&] { client_->Close(); });
  EXPECT_EQ(response_->WaitForEnd(), ExchangeEnd::Unknown);
  EXPECT_EQ(response_->error(), "the client is closed");
}

}  // namespace
}  // namespace berth::net
