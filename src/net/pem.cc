// SPDX-License-Identifier: Apache-2.0
#include "net/pem.h"

#include "net/openssl_errors.h"

#include <utility>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace berth::net {
namespace {

TlsOwned<BIO> ReadOnly(const std::string& text) {
  return TlsOwned<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// Asked for a passphrase, OpenSSL would otherwise prompt on the terminal.
int NoPassphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*context*/) { return -1; }

}  // namespace

void FreeTlsObject::operator()(BIO* bio) const { BIO_free(bio); }
void FreeTlsObject::operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
void FreeTlsObject::operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
void FreeTlsObject::operator()(X509* certificate) const { X509_free(certificate); }
void FreeTlsObject::operator()(X509_STORE* store) const { X509_STORE_free(store); }

Error TlsOptionError(const std::string& option, const std::string& problem) {
  return InvalidError("TLS: " + option + ": " + TakeOpenSslErrors(problem));
}

Result<void> EachCertificate(const std::string& pem, const std::string& option,
                             const std::function<int(X509* certificate)>& take) {
  const TlsOwned<BIO> bio = ReadOnly(pem);
  bool found = false;
  while (true) {
    const TlsOwned<X509> certificate(PEM_read_bio_X509(bio.get(), nullptr, NoPassphrase, nullptr));
    if (certificate == nullptr) break;
    if (take(certificate.get()) != 1) return TlsOptionError(option, "not a certificate");
    found = true;
  }
  if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) return TlsOptionError(option, "not a certificate");
  ERR_clear_error();  // the end of the text
  if (!found) return InvalidError("TLS: " + option + ": no certificate in PEM found");
  return {};
}

Result<void> UseKeyPair(SSL_CTX* context, const std::string& certificate, const std::string& key) {
  if (certificate.empty()) return InvalidError("TLS: certificate: missing, though there is a key");
  if (key.empty()) return InvalidError("TLS: key: missing, though there is a certificate");
  bool first = true;
  BERTH_RETURN_IF_ERROR(EachCertificate(certificate, "certificate", [&](X509* each) {
    if (std::exchange(first, false)) return SSL_CTX_use_certificate(context, each);
    return static_cast<int>(SSL_CTX_add1_chain_cert(context, each));
  }));
  const TlsOwned<BIO> bio = ReadOnly(key);
  const TlsOwned<EVP_PKEY> private_key(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassphrase, nullptr));
  if (private_key == nullptr) return TlsOptionError("key", "not a private key in PEM without a passphrase");
  if (SSL_CTX_use_PrivateKey(context, private_key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    return TlsOptionError("key", "does not belong to the certificate");
  }
  return {};
}

}  // namespace berth::net
