// SPDX-License-Identifier: Apache-2.0
#include "net/tls_stream.h"

#include "net/openssl_errors.h"
#include "net/tls_impl.h"
#include "net/tls_server_impl.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <limits>
#include <utility>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

namespace berth::net {
namespace {

Error TlsError(const std::string& problem) { return {ErrorCode::Unavailable, "TLS: " + problem}; }

bool IsAddress(const std::string& host) {
  std::array<unsigned char, 16> address = {};
  return inet_pton(AF_INET, host.c_str(), address.data()) == 1 ||
         inet_pton(AF_INET6, host.c_str(), address.data()) == 1;
}

// As a certificate's address is written: binary, 4 or 16 bytes.
std::string AddressText(const ASN1_OCTET_STRING& address) {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  const int family = ASN1_STRING_length(&address) == 4 ? AF_INET : AF_INET6;
  if (family == AF_INET6 && ASN1_STRING_length(&address) != 16) return "?";
  return inet_ntop(family, ASN1_STRING_get0_data(&address), text.data(), text.size()) == nullptr ? "?" : text.data();
}

// Names and addresses that a certificate is for, separated by commas.
std::string NamesOf(X509* certificate) {
  auto* names = static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  std::string text;
  for (int i = 0; i < sk_GENERAL_NAME_num(names); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names, i);
    if (name->type != GEN_DNS && name->type != GEN_IPADD) continue;
    if (!text.empty()) text += ", ";
    if (name->type == GEN_IPADD) {
      text += AddressText(*name->d.iPAddress);
    } else {
      text += "the name ";
      text.append(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName)),
                  static_cast<size_t>(ASN1_STRING_length(name->d.dNSName)));
    }
  }
  GENERAL_NAMES_free(names);
  return text.empty() ? "no name" : text;
}

// What the certificate must be for, as Go's clients ask: the subject's common name is not looked at.
bool Expect(SSL* ssl, const std::string& name) {
  X509_VERIFY_PARAM* rules = SSL_get0_param(ssl);
  if (IsAddress(name)) return X509_VERIFY_PARAM_set1_ip_asc(rules, name.c_str()) == 1;
  X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  return X509_VERIFY_PARAM_set1_host(rules, name.data(), name.size()) == 1 &&
         SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, const_cast<char*>(name.c_str())) == 1;
}

}  // namespace

Result<std::unique_ptr<TlsStream>> TlsStream::Make(const TlsClientContext& context, const std::string& host) {
  ERR_clear_error();
  std::string name = context.impl().server_name().empty() ? host : context.impl().server_name();
  if (name.size() > 1 && name.ends_with('.')) name.pop_back();
  std::unique_ptr<TlsStream> stream(new TlsStream(SSL_new(context.impl().context()), name));
  BERTH_RETURN_IF_ERROR(stream->Connect());
  SSL_set_connect_state(stream->ssl_);
  SSL_set_ex_data(stream->ssl_, 0, stream.get());
  if (SSL_get_verify_mode(stream->ssl_) != SSL_VERIFY_NONE) SSL_set_verify(stream->ssl_, SSL_VERIFY_PEER, Verified);
  if (!Expect(stream->ssl_, name)) return TlsError(TakeOpenSslErrors("'" + name + "' cannot be a server's name"));
  return stream;
}

Result<std::unique_ptr<TlsStream>> TlsStream::MakeServer(std::shared_ptr<const TlsServerContext> context,
                                                         const std::string& address) {
  ERR_clear_error();
  std::unique_ptr<TlsStream> stream(new TlsStream(SSL_new(context->impl().ForAddress(address)), {}));
  stream->server_ = std::move(context);
  BERTH_RETURN_IF_ERROR(stream->Connect());
  SSL_set_accept_state(stream->ssl_);
  return stream;
}

// Puts memory where the library would have a socket.
Result<void> TlsStream::Connect() {
  BIO* in = BIO_new(BIO_s_mem());
  BIO* out = BIO_new(BIO_s_mem());
  if (ssl_ == nullptr || in == nullptr || out == nullptr) {
    BIO_free(in);
    BIO_free(out);
    return TlsError(TakeOpenSslErrors("out of memory"));
  }
  SSL_set_bio(ssl_, in, out);
  return {};
}

TlsStream::~TlsStream() { SSL_free(ssl_); }

void TlsStream::Feed(std::string_view bytes) {
  // A memory BIO takes everything.
  BERTH_CHECK(bytes.empty() || BIO_write(SSL_get_rbio(ssl_), bytes.data(), static_cast<int>(bytes.size())) ==
                                   static_cast<int>(bytes.size()));
}

void TlsStream::Produce(std::string& out) {
  const size_t pending = BIO_ctrl_pending(SSL_get_wbio(ssl_));
  if (pending == 0) return;
  const size_t before = out.size();
  out.resize(before + pending);
  BERTH_CHECK(BIO_read(SSL_get_wbio(ssl_), out.data() + before, static_cast<int>(pending)) ==
              static_cast<int>(pending));
}

Result<bool> TlsStream::Handshake() {
  ERR_clear_error();
  const int done = SSL_do_handshake(ssl_);
  if (done == 1) return true;
  const int why = SSL_get_error(ssl_, done);
  if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) return false;
  if (!distrust_.empty()) {
    ERR_clear_error();
    return TlsError(distrust_);
  }
  return TlsError("the handshake failed: " + TakeOpenSslErrors("the other side closed the connection"));
}

// Called by the library for each certificate of the chain that it has judged. Only here is a refused one at hand.
int TlsStream::Verified(int accepted, x509_store_ctx_st* verification) {
  if (accepted == 1) return 1;
  const void* ssl = X509_STORE_CTX_get_ex_data(verification, SSL_get_ex_data_X509_STORE_CTX_idx());
  auto& self = *static_cast<TlsStream*>(SSL_get_ex_data(static_cast<const SSL*>(ssl), 0));
  const int problem = X509_STORE_CTX_get_error(verification);
  if (problem == X509_V_ERR_HOSTNAME_MISMATCH || problem == X509_V_ERR_IP_ADDRESS_MISMATCH) {
    self.distrust_ = "the server's certificate is for " + NamesOf(X509_STORE_CTX_get0_cert(verification)) +
                     ", not for " + self.expected_name_;
  } else {
    self.distrust_ = std::string("the server's certificate is not trusted: ") + X509_verify_cert_error_string(problem);
  }
  return 0;
}

std::string_view TlsStream::protocol() const {
  const unsigned char* name = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(ssl_, &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

Result<size_t> TlsStream::Read(char* buffer, size_t size) {
  ERR_clear_error();
  size_t count = 0;
  const int done = SSL_read_ex(ssl_, buffer, size, &count);
  if (done == 1) return count;
  const int why = SSL_get_error(ssl_, done);
  if (why == SSL_ERROR_ZERO_RETURN) closed_ = true;
  if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_ZERO_RETURN) return size_t{0};
  return TlsError(TakeOpenSslErrors("the connection cannot be read"));
}

Result<void> TlsStream::Write(std::string_view plain) {
  if (plain.empty()) return {};
  ERR_clear_error();
  size_t count = 0;
  if (SSL_write_ex(ssl_, plain.data(), plain.size(), &count) != 1 || count != plain.size()) {
    return TlsError(TakeOpenSslErrors("the connection cannot be written"));
  }
  return {};
}

void TlsStream::Close() {
  SSL_shutdown(ssl_);
  ERR_clear_error();
}

}  // namespace berth::net
