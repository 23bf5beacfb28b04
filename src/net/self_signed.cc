// SPDX-License-Identifier: Apache-2.0
#include "net/self_signed.h"

#include "net/openssl_errors.h"
#include "net/pem.h"

#include <ctime>

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace berth::net {
namespace {

struct NewCertificate {
  std::string common_name;
  std::string constraints;
  std::string usage;
  std::string extended_usage = {};
  std::string names = {};
};

bool Extend(X509* certificate, X509* issuer, int kind, const std::string& value) {
  if (value.empty()) return true;
  X509V3_CTX context = {};
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  const bool added = extension != nullptr && X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return added;
}

// A random number that is not 0 and not negative.
bool SetSerial(X509* certificate) {
  uint64_t serial = 0;
  if (RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) != 1) return false;
  return ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), (serial >> 1U) | 1U) == 1;
}

bool SetValidity(X509* certificate, Timestamp now) {
  constexpr long kHour = 3600;
  std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  return X509_time_adj_ex(X509_getm_notBefore(certificate), 0, -kHour, &seconds) != nullptr &&
         X509_time_adj_ex(X509_getm_notAfter(certificate), 365, -kHour, &seconds) != nullptr;
}

// Without an issuer, it signs itself. Null when OpenSSL cannot.
TlsOwned<X509> Sign(EVP_PKEY* key, X509* issuer, EVP_PKEY* issuer_key, const NewCertificate& content, Timestamp now) {
  TlsOwned<X509> certificate(X509_new());
  if (certificate == nullptr) return nullptr;
  X509* made = certificate.get();
  X509_NAME* subject = X509_get_subject_name(made);
  const auto* name = reinterpret_cast<const unsigned char*>(content.common_name.c_str());
  X509* signer = issuer == nullptr ? made : issuer;
  const bool ready = X509_set_version(made, X509_VERSION_3) == 1 && SetSerial(made) && SetValidity(made, now) &&
                     X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, name, -1, -1, 0) == 1 &&
                     X509_set_issuer_name(made, X509_get_subject_name(signer)) == 1 &&
                     X509_set_pubkey(made, key) == 1 &&
                     Extend(made, signer, NID_basic_constraints, content.constraints) &&
                     Extend(made, signer, NID_key_usage, content.usage) &&
                     Extend(made, signer, NID_ext_key_usage, content.extended_usage) &&
                     Extend(made, signer, NID_subject_key_identifier, issuer == nullptr ? "hash" : "") &&
                     Extend(made, signer, NID_authority_key_identifier, issuer == nullptr ? "" : "keyid") &&
                     Extend(made, signer, NID_subject_alt_name, content.names);
  if (!ready || X509_sign(made, issuer == nullptr ? key : issuer_key, EVP_sha256()) <= 0) return nullptr;
  return certificate;
}

std::string TextOf(BIO* bio) {
  std::string text(BIO_ctrl_pending(bio), '\0');
  BIO_read(bio, text.data(), static_cast<int>(text.size()));
  return text;
}

}  // namespace

Result<SelfSignedPair> MakeSelfSigned(const std::string& host, const std::vector<std::string>& other_names,
                                      const std::vector<std::string>& addresses, Timestamp now) {
  ERR_clear_error();
  const auto failure = [] {
    return Error{ErrorCode::Internal, "make a self-signed certificate: " + TakeOpenSslErrors("out of memory")};
  };
  // Elliptic curves: clients see no difference, and RSA keys would take a noticeable part of a second.
  const TlsOwned<EVP_PKEY> authority_key(EVP_EC_gen("P-256"));
  const TlsOwned<EVP_PKEY> key(EVP_EC_gen("P-256"));
  if (authority_key == nullptr || key == nullptr) return failure();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  const TlsOwned<X509> authority = Sign(authority_key.get(), nullptr, nullptr,
                                        {.common_name = fmt::format("{}-ca@{}", host, seconds),
                                         .constraints = "critical,CA:TRUE",
                                         .usage = "critical,digitalSignature,keyEncipherment,keyCertSign"},
                                        now);
  if (authority == nullptr) return failure();
  std::string names = "DNS:" + host;
  for (const std::string& name : other_names) names += ",DNS:" + name;
  for (const std::string& address : addresses) names += ",IP:" + address;
  const TlsOwned<X509> certificate = Sign(key.get(), authority.get(), authority_key.get(),
                                          {.common_name = fmt::format("{}@{}", host, seconds),
                                           .constraints = "critical,CA:FALSE",
                                           .usage = "critical,digitalSignature,keyEncipherment",
                                           .extended_usage = "serverAuth",
                                           .names = names},
                                          now);
  const TlsOwned<BIO> chain(BIO_new(BIO_s_mem()));
  const TlsOwned<BIO> secret(BIO_new(BIO_s_mem()));
  if (certificate == nullptr || chain == nullptr || secret == nullptr) return failure();
  if (PEM_write_bio_X509(chain.get(), certificate.get()) != 1 ||
      PEM_write_bio_X509(chain.get(), authority.get()) != 1 ||
      PEM_write_bio_PrivateKey(secret.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return failure();
  }
  return SelfSignedPair{TextOf(chain.get()), TextOf(secret.get())};
}

}  // namespace berth::net
