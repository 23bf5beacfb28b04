// SPDX-License-Identifier: Apache-2.0
#include "net/test_tls_client.h"

#include "base/check.h"

#include <array>
#include <csignal>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <utility>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace berth::net {
namespace {

int ConnectTo(uint16_t port) {
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval minute = {60, 0};
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &minute, sizeof minute);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  BERTH_CHECK(connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  return descriptor;
}

void ShowTestCertificate(SSL_CTX* context, const CertifiedKey& pair) {
  SSL_CTX_set_security_level(context, 0);  // the server is to judge it
  BIO* bio = BIO_new_mem_buf(pair.certificate.data(), static_cast<int>(pair.certificate.size()));
  X509* certificate = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
  BERTH_CHECK(SSL_CTX_use_certificate(context, certificate) == 1);
  X509_free(certificate);
  BIO_free(bio);
  bio = BIO_new_mem_buf(pair.key.data(), static_cast<int>(pair.key.size()));
  EVP_PKEY* key = PEM_read_bio_PrivateKey(bio, nullptr, nullptr, nullptr);
  BERTH_CHECK(SSL_CTX_use_PrivateKey(context, key) == 1);
  EVP_PKEY_free(key);
  BIO_free(bio);
}

std::string OfferedProtocols(const std::vector<std::string>& names) {
  std::string wire;
  for (const std::string& name : names) {
    wire += static_cast<char>(name.size());
    wire += name;
  }
  return wire;
}

}  // namespace

TestTlsClient::TestTlsClient(const TestTlsClientOptions& options)
    : context_(SSL_CTX_new(TLS_client_method())), ssl_(nullptr), descriptor_(ConnectTo(options.port)) {
  if (options.max_version != 0) {
    SSL_CTX_set_min_proto_version(context_, 0);
    SSL_CTX_set_max_proto_version(context_, options.max_version);
  }
  if (!options.ciphers.empty()) BERTH_CHECK(SSL_CTX_set_cipher_list(context_, options.ciphers.c_str()) == 1);
  if (options.certificate.has_value()) ShowTestCertificate(context_, *options.certificate);
  ssl_ = SSL_new(context_);
  const std::string offered = OfferedProtocols(options.protocols);
  SSL_set_alpn_protos(ssl_, reinterpret_cast<const unsigned char*>(offered.data()),
                      static_cast<unsigned int>(offered.size()));
  if (!options.server_name.empty()) {
    SSL_ctrl(ssl_, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
             const_cast<char*>(options.server_name.c_str()));
  }
  SSL_set_fd(ssl_, descriptor_);
  connected_ = SSL_connect(ssl_) == 1;
  ERR_clear_error();
}

TestTlsClient::~TestTlsClient() {
  SSL_free(ssl_);
  SSL_CTX_free(context_);
  close(descriptor_);
}

std::string TestTlsClient::protocol() const {
  const unsigned char* name = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(ssl_, &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

std::string TestTlsClient::version() const { return SSL_get_version(ssl_); }

std::string TestTlsClient::server_names() const {
  X509* certificate = SSL_get0_peer_certificate(ssl_);
  if (certificate == nullptr) return {};
  const int at = X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1);
  if (at < 0) return {};
  BIO* bio = BIO_new(BIO_s_mem());
  X509V3_EXT_print(bio, X509_get_ext(certificate, at), 0, 0);
  std::string text(BIO_ctrl_pending(bio), '\0');
  BIO_read(bio, text.data(), static_cast<int>(text.size()));
  BIO_free(bio);
  return text;
}

std::vector<std::string> TestTlsClient::told_authorities() const {
  std::vector<std::string> names;
  const STACK_OF(X509_NAME)* told = SSL_get0_peer_CA_list(ssl_);
  for (int i = 0; i < sk_X509_NAME_num(told); ++i) {
    std::array<char, 100> name = {};
    X509_NAME_get_text_by_NID(sk_X509_NAME_value(told, i), NID_commonName, name.data(), name.size());
    names.emplace_back(name.data());
  }
  return names;
}

void TestTlsClient::Send(const std::string& bytes) {
  // A server that has closed already is noticed when its answer is read.
  SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()));
  ERR_clear_error();
}

bool TestTlsClient::ReadMore() {
  std::array<char, 16 << 10> buffer;
  const int count = SSL_read(ssl_, buffer.data(), static_cast<int>(buffer.size()));
  ERR_clear_error();
  if (count <= 0) return false;
  received_.append(buffer.data(), static_cast<size_t>(count));
  return true;
}

std::string TestTlsClient::ReadResponse() {
  while (true) {
    const size_t end_of_head = received_.find("\r\n\r\n");
    if (end_of_head != std::string::npos) {
      const size_t length = received_.find("Content-Length: ");
      const size_t body = length < end_of_head ? std::stoul(received_.substr(length + 16)) : 0;
      const size_t whole = end_of_head + 4 + body;
      if (length < end_of_head && received_.size() >= whole) {
        std::string response = received_.substr(0, whole);
        received_.erase(0, whole);
        return response;
      }
    }
    if (!ReadMore()) return std::exchange(received_, {});
  }
}

std::string TestTlsClient::ReadToEnd() {
  while (ReadMore()) continue;
  return std::exchange(received_, {});
}

std::string TestTlsClient::Get(const std::string& target) {
  Send("GET " + target + " HTTP/1.1\r\nHost: test\r\n\r\n");
  return ReadResponse();
}

std::string AnswerToClearText(uint16_t port, const std::string& bytes) {
  const int descriptor = ConnectTo(port);
  BERTH_CHECK(send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
  std::string answer;
  std::array<char, 1000> buffer;
  for (ssize_t count = 0; (count = recv(descriptor, buffer.data(), buffer.size(), 0)) > 0;) {
    answer.append(buffer.data(), static_cast<size_t>(count));
  }
  close(descriptor);
  return answer;
}

}  // namespace berth::net
