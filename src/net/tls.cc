// SPDX-License-Identifier: Apache-2.0
#include "net/tls.h"

#include "net/pem.h"
#include "net/tls_impl.h"

#include <array>
#include <utility>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

namespace berth::net {
namespace {

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
      return TlsOptionError("ca", "the system's authorities are missing");
    return {};
  }
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  return EachCertificate(options.ca, "ca", [&](X509* each) { return X509_STORE_add_cert(store, each); });
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
  if (context == nullptr) return TlsOptionError("setup", "out of memory");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  // In the order of preference.
  static constexpr std::array<unsigned char, 12> kProtocols = {2, 'h', '2', 8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  if (SSL_CTX_set_alpn_protos(context.get(), kProtocols.data(), kProtocols.size()) != 0) {
    return TlsOptionError("setup", "out of memory");
  }
  BERTH_RETURN_IF_ERROR(Trust(context.get(), options));
  if (!options.certificate.empty() || !options.key.empty()) {
    BERTH_RETURN_IF_ERROR(UseKeyPair(context.get(), options.certificate, options.key));
  }
  auto impl = std::make_unique<Impl>(context.release(), options.server_name);
  return std::shared_ptr<const TlsClientContext>(new TlsClientContext(std::move(impl)));
}

}  // namespace berth::net
