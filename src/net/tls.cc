// SPDX-License-Identifier: Apache-2.0
#include "net/tls.h"

#include "net/openssl_errors.h"
#include "net/tls_impl.h"

#include <array>
#include <utility>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

namespace berth::net {
namespace {

struct FreeTlsObject {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
template <typename T>
using TlsOwned = std::unique_ptr<T, FreeTlsObject>;

TlsOwned<BIO> ReadOnly(const std::string& text) {
  return TlsOwned<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

Error OptionError(const std::string& option, const std::string& problem) {
  return InvalidError("TLS: " + option + ": " + TakeOpenSslErrors(problem));
}

// Asked for a passphrase, OpenSSL would otherwise prompt on the terminal.
int NoPassphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*context*/) { return -1; }

// Calls `take` with each certificate of a PEM text; says how many there were, or -1 if one cannot be read or taken.
template <typename Take>
int EachCertificate(const std::string& pem, Take take) {
  const TlsOwned<BIO> bio = ReadOnly(pem);
  int count = 0;
  while (true) {
    const TlsOwned<X509> certificate(PEM_read_bio_X509(bio.get(), nullptr, NoPassphrase, nullptr));
    if (certificate == nullptr) break;
    if (take(certificate.get()) != 1) return -1;
    ++count;
  }
  if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) return -1;
  ERR_clear_error();  // the end of the text
  return count;
}

Result<void> Trust(SSL_CTX* context, const TlsOptions& options) {
  if (options.skip_verification) {
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nullptr);
    return {};
  }
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  // A certificate that was given as an authority is one, whoever signed it.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_PARTIAL_CHAIN);
  if (options.ca.empty()) {
    if (SSL_CTX_set_default_verify_paths(context) != 1)
      return OptionError("ca", "the system's authorities are missing");
    return {};
  }
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  const int count = EachCertificate(options.ca, [&](X509* each) { return X509_STORE_add_cert(store, each); });
  if (count < 0) return OptionError("ca", "not a certificate");
  if (count == 0) return InvalidError("TLS: ca: no certificate in PEM found");
  return {};
}

Result<void> ShowCertificate(SSL_CTX* context, const TlsOptions& options) {
  if (options.certificate.empty() && options.key.empty()) return {};
  if (options.certificate.empty()) return InvalidError("TLS: certificate: missing, though there is a key");
  if (options.key.empty()) return InvalidError("TLS: key: missing, though there is a certificate");
  bool first = true;
  const int count = EachCertificate(options.certificate, [&](X509* each) {
    if (std::exchange(first, false)) return SSL_CTX_use_certificate(context, each);
    return static_cast<int>(SSL_CTX_add1_chain_cert(context, each));
  });
  if (count < 0) return OptionError("certificate", "not a certificate");
  if (count == 0) return InvalidError("TLS: certificate: no certificate in PEM found");
  const TlsOwned<BIO> bio = ReadOnly(options.key);
  const TlsOwned<EVP_PKEY> key(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassphrase, nullptr));
  if (key == nullptr) return OptionError("key", "not a private key in PEM without a passphrase");
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    return OptionError("key", "does not belong to the certificate");
  }
  return {};
}

}  // namespace

TlsClientContext::Impl::Impl(ssl_ctx_st* context, std::string server_name)
    : context_(context), server_name_(std::move(server_name)) {}
TlsClientContext::Impl::~Impl() { SSL_CTX_free(context_); }

TlsClientContext::TlsClientContext(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TlsClientContext::~TlsClientContext() = default;

Result<std::shared_ptr<const TlsClientContext>> TlsClientContext::Make(const TlsOptions& options) {
  ERR_clear_error();
  TlsOwned<SSL_CTX> context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr) return OptionError("setup", "out of memory");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  // HTTP/1.1 is offered only to be told apart from a server without ALPN; it is not spoken.
  static constexpr std::array<unsigned char, 12> kProtocols = {2, 'h', '2', 8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  if (SSL_CTX_set_alpn_protos(context.get(), kProtocols.data(), kProtocols.size()) != 0) {
    return OptionError("setup", "out of memory");
  }
  BERTH_RETURN_IF_ERROR(Trust(context.get(), options));
  BERTH_RETURN_IF_ERROR(ShowCertificate(context.get(), options));
  auto impl = std::make_unique<Impl>(context.release(), options.server_name);
  return std::shared_ptr<const TlsClientContext>(new TlsClientContext(std::move(impl)));
}

}  // namespace berth::net
