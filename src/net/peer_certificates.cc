// SPDX-License-Identifier: Apache-2.0
#include "net/peer_certificates.h"

#include "net/pem.h"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

namespace berth::net {
namespace {

struct FreeVerification {
  void operator()(X509_STORE_CTX* verification) const { X509_STORE_CTX_free(verification); }
};

std::string AsUtf8(const ASN1_STRING* text) {
  unsigned char* bytes = nullptr;
  const int size = ASN1_STRING_to_UTF8(&bytes, text);
  if (size < 0) {
    ERR_clear_error();
    return {};
  }
  std::string utf8(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
  OPENSSL_free(bytes);
  return utf8;
}

std::vector<std::string> SubjectEntries(X509* certificate, const ASN1_OBJECT* kind) {
  std::vector<std::string> values;
  X509_NAME* subject = X509_get_subject_name(certificate);
  for (int at = -1; (at = X509_NAME_get_index_by_OBJ(subject, kind, at)) >= 0;) {
    values.push_back(AsUtf8(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at))));
  }
  return values;
}

std::string Fingerprint(X509* certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest = {};
  unsigned int size = 0;
  X509_digest(certificate, EVP_sha256(), digest.data(), &size);
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

}  // namespace

class PeerCertificates::Impl {
 public:
  Impl(X509* own, STACK_OF(X509) * others) : own_(own), others_(others) {}
  ~Impl() {
    X509_free(own_);
    sk_X509_pop_free(others_, X509_free);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  X509* own() const { return own_; }
  STACK_OF(X509) * others() const { return others_; }  // may be null

 private:
  X509* own_;
  STACK_OF(X509) * others_;
};

std::shared_ptr<const PeerCertificates> PeerCertificates::Of(const SSL* ssl) {
  X509* own = SSL_get1_peer_certificate(ssl);
  if (own == nullptr) return nullptr;
  STACK_OF(X509)* others = SSL_get_peer_cert_chain(ssl);  // at a server, without the client's own
  auto impl = std::make_unique<Impl>(own, others == nullptr ? nullptr : X509_chain_up_ref(others));
  return std::shared_ptr<const PeerCertificates>(new PeerCertificates(std::move(impl)));
}

PeerCertificates::PeerCertificates(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {
  X509* own = impl_->own();
  const std::vector<std::string> names = SubjectEntries(own, OBJ_nid2obj(NID_commonName));
  if (!names.empty()) common_name_ = names.back();  // of several, the last counts, as in Go
  organizations_ = SubjectEntries(own, OBJ_nid2obj(NID_organizationName));
  ASN1_OBJECT* uid = OBJ_txt2obj("1.3.6.1.4.1.57683.2", 1);
  user_uids_ = SubjectEntries(own, uid);
  ASN1_OBJECT_free(uid);
  fingerprint_ = Fingerprint(own);
}

PeerCertificates::~PeerCertificates() = default;

std::string PeerCertificates::Serial() const {
  constexpr int kLongest = 20;  // by RFC 5280; the time to make decimal digits grows with the square of the length
  const ASN1_INTEGER* serial = X509_get0_serialNumber(impl_->own());
  const int size = ASN1_STRING_length(serial);
  if (size > kLongest) return fmt::format("({} bytes)", size);
  BIGNUM* number = ASN1_INTEGER_to_BN(serial, nullptr);
  char* digits = BN_bn2dec(number);
  std::string text(digits == nullptr ? "?" : digits);
  OPENSSL_free(digits);
  BN_free(number);
  return text;
}

class CertificatePool::Impl {
 public:
  explicit Impl(TlsOwned<X509_STORE> store) : store_(std::move(store)) {}
  X509_STORE* store() const { return store_.get(); }

 private:
  TlsOwned<X509_STORE> store_;
};

CertificatePool::CertificatePool(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CertificatePool::~CertificatePool() = default;

Result<std::shared_ptr<const CertificatePool>> CertificatePool::Make(const std::string& pem,
                                                                     const std::string& option) {
  ERR_clear_error();
  TlsOwned<X509_STORE> store(X509_STORE_new());
  if (store == nullptr) return TlsOptionError(option, "out of memory");
  BERTH_RETURN_IF_ERROR(
      EachCertificate(pem, option, [&](X509* each) { return X509_STORE_add_cert(store.get(), each); }));
  // A certificate that was given as an authority is one, whoever signed it.
  X509_STORE_set_flags(store.get(), X509_V_FLAG_PARTIAL_CHAIN);
  X509_STORE_set_purpose(store.get(), X509_PURPOSE_SSL_CLIENT);
  // As Go: no signature by MD5 or SHA-1, no RSA key below 1024 bits. By itself, a store accepts anything.
  X509_VERIFY_PARAM_set_auth_level(X509_STORE_get0_param(store.get()), 1);
  return std::shared_ptr<const CertificatePool>(new CertificatePool(std::make_unique<Impl>(std::move(store))));
}

Result<void> CertificatePool::Verify(const PeerCertificates& shown) const {
  ERR_clear_error();
  const std::unique_ptr<X509_STORE_CTX, FreeVerification> verification(X509_STORE_CTX_new());
  if (verification == nullptr ||
      X509_STORE_CTX_init(verification.get(), impl_->store(), shown.impl().own(), shown.impl().others()) != 1) {
    ERR_clear_error();
    return Error{ErrorCode::Internal, "out of memory"};
  }
  if (X509_verify_cert(verification.get()) == 1) return {};
  const int problem = X509_STORE_CTX_get_error(verification.get());
  ERR_clear_error();
  return InvalidError(X509_verify_cert_error_string(problem));
}

}  // namespace berth::net
