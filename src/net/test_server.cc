// SPDX-License-Identifier: Apache-2.0
#include "net/test_server.h"

#include "base/check.h"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string_view>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include <openssl/pem.h>
#include <openssl/ssl.h>

namespace berth::net {
namespace {

BIO* TextBio(const std::string& text) { return BIO_new_mem_buf(text.data(), static_cast<int>(text.size())); }

X509* ParseCertificate(const std::string& pem) {
  BIO* bio = TextBio(pem);
  X509* certificate = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
  BIO_free(bio);
  BERTH_CHECK(certificate != nullptr);
  return certificate;
}

int SelectHttp2(SSL* /*ssl*/, const unsigned char** out, unsigned char* size, const unsigned char* in,
                unsigned int in_size, void* /*argument*/) {
  static constexpr unsigned char kHttp2[] = {2, 'h', '2'};
  unsigned char* chosen = nullptr;
  const int found = SSL_select_next_proto(&chosen, size, kHttp2, sizeof kHttp2, in, in_size);
  *out = chosen;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

SSL_CTX* MakeServerTls(const TestServerOptions& options) {
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  X509* certificate = ParseCertificate(options.tls->certificate);
  SSL_CTX_use_certificate(context, certificate);
  X509_free(certificate);
  BIO* bio = TextBio(options.tls->key);
  EVP_PKEY* key = PEM_read_bio_PrivateKey(bio, nullptr, nullptr, nullptr);
  SSL_CTX_use_PrivateKey(context, key);
  EVP_PKEY_free(key);
  BIO_free(bio);
  SSL_CTX_set_alpn_select_cb(context, SelectHttp2, nullptr);
  if (!options.client_ca.empty()) {
    X509* authority = ParseCertificate(options.client_ca);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority);
    X509_free(authority);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  return context;
}

}  // namespace

TestServer::TestServer(TestServerOptions options, ServerHandler handler)
    : options_(std::move(options)),
      handler_(std::move(handler)),
      listener_(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)),
      waker_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL
  if (options_.tls.has_value()) tls_ = MakeServerTls(options_);
  const int yes = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(options_.port);
  socklen_t size = sizeof address;
  BERTH_CHECK(bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
  BERTH_CHECK(listen(listener_, 100) == 0);
  BERTH_CHECK(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { Serve(); });
}

TestServer::~TestServer() {
  Post([this] { stopped_ = true; });
  thread_.join();
  open_.clear();
  close(listener_);
  close(waker_);
  SSL_CTX_free(tls_);
}

void TestServer::Post(std::function<void()> call) {
  {
    const MutexLock lock(mutex_);
    calls_.push_back(std::move(call));
  }
  const uint64_t one = 1;
  BERTH_CHECK(write(waker_, &one, sizeof one) == sizeof one);
}

void TestServer::Freeze() {
  Post([this] { frozen_ = true; });
}

void TestServer::Cut() {
  Post([this] { open_.clear(); });
}

void TestServer::RunCalls() {
  uint64_t count = 0;
  if (read(waker_, &count, sizeof count) != sizeof count) return;
  std::vector<std::function<void()>> calls;
  {
    const MutexLock lock(mutex_);
    calls.swap(calls_);
  }
  for (const auto& call : calls) call();
}

void TestServer::Accept() {
  while (true) {
    const int descriptor = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) return;
    const int yes = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    ++accepted_;
    open_.push_back(std::make_shared<TestServerConnection>(descriptor, tls_, options_.max_streams,
                                                           options_.goaway_after, handler_));
  }
}

void TestServer::Serve() {
  while (!stopped_) {
    std::vector<pollfd> polled = {{waker_, POLLIN, 0}};
    if (!frozen_) {
      polled.push_back({listener_, POLLIN, 0});
      for (const auto& connection : open_) {
        const auto wanted = static_cast<short>(connection->WantsToWrite() ? POLLIN | POLLOUT : POLLIN);
        polled.push_back({connection->descriptor(), wanted, 0});
      }
    }
    poll(polled.data(), polled.size(), -1);
    RunCalls();
    if (stopped_ || frozen_) continue;
    Accept();
    std::erase_if(open_, [](const auto& connection) { return !connection->Step(); });
  }
}

}  // namespace berth::net
