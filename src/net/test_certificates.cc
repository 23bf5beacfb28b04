// SPDX-License-Identifier: Apache-2.0
#include "net/test_certificates.h"

#include "base/check.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace berth::net {
namespace {

struct CertificateContent {
  std::string common_name;
  std::string names = {};
  std::string constraints = "CA:FALSE";
  std::string usage = {};
  bool expired = false;
  std::vector<std::string> organizations = {};
  OddCertificate odd = {};
};

void AddExtension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  if (value.empty()) return;
  X509V3_CTX context = {};
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  BERTH_CHECK(extension != nullptr);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

// Without an issuer, it signs itself.
X509* Issue(EVP_PKEY* key, X509* issuer, EVP_PKEY* issuer_key, const CertificateContent& content) {
  constexpr long kHour = 3600;
  X509* certificate = X509_new();
  X509_set_version(certificate, 2);
  std::vector<unsigned char> serial(content.odd.serial_bytes);
  RAND_bytes(serial.data(), static_cast<int>(serial.size()));
  serial.front() = (serial.front() & 0x7fU) | 1U;
  BIGNUM* number = BN_bin2bn(serial.data(), static_cast<int>(serial.size()), nullptr);
  BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate));
  BN_free(number);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -2 * kHour);
  X509_gmtime_adj(X509_getm_notAfter(certificate), content.expired ? -kHour : kHour);
  X509_NAME* subject = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(content.common_name.c_str()), -1, -1, 0);
  for (const std::string& each : content.organizations) {
    X509_NAME_add_entry_by_txt(subject, "O", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(each.c_str()), -1, -1,
                               0);
  }
  X509_set_issuer_name(certificate, issuer == nullptr ? subject : X509_get_subject_name(issuer));
  X509_set_pubkey(certificate, key);
  X509* signer = issuer == nullptr ? certificate : issuer;
  AddExtension(certificate, signer, NID_basic_constraints, content.constraints);
  AddExtension(certificate, signer, NID_subject_alt_name, content.names);
  AddExtension(certificate, signer, NID_ext_key_usage, content.usage);
  BERTH_CHECK(X509_sign(certificate, issuer == nullptr ? key : issuer_key,
                        content.odd.signed_by_sha1 ? EVP_sha1() : EVP_sha256()) > 0);
  return certificate;
}

std::string BioText(BIO* bio) {
  std::string text(BIO_ctrl_pending(bio), '\0');
  BIO_read(bio, text.data(), static_cast<int>(text.size()));
  BIO_free(bio);
  return text;
}

CertifiedKey InPem(X509* certificate, EVP_PKEY* key) {
  BIO* first = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(first, certificate);
  BIO* second = BIO_new(BIO_s_mem());
  PEM_write_bio_PrivateKey(second, key, nullptr, nullptr, 0, nullptr, nullptr);
  return {BioText(first), BioText(second)};
}

CertifiedKey IssueNew(X509* issuer, EVP_PKEY* issuer_key, const CertificateContent& content) {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = Issue(key, issuer, issuer_key, content);
  CertifiedKey pem = InPem(certificate, key);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return pem;
}

}  // namespace

TestAuthority::TestAuthority(const std::string& name) : key_(EVP_EC_gen("P-256")) {
  certificate_ = Issue(key_, nullptr, nullptr, {.common_name = name, .constraints = "critical,CA:TRUE"});
  self_ = InPem(certificate_, key_);
}

TestAuthority::~TestAuthority() {
  X509_free(certificate_);
  EVP_PKEY_free(key_);
}

CertifiedKey TestAuthority::IssueServer(const std::string& names, bool expired) const {
  return IssueNew(certificate_, key_,
                  {.common_name = "test server", .names = names, .usage = "serverAuth", .expired = expired});
}

CertifiedKey TestAuthority::IssueClient(const std::string& common_name, const std::vector<std::string>& organizations,
                                        const OddCertificate& odd) const {
  return IssueNew(certificate_, key_,
                  {.common_name = common_name, .usage = "clientAuth", .organizations = organizations, .odd = odd});
}

}  // namespace berth::net
