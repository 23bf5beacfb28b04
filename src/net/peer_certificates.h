// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <memory>
#include <string>
#include <vector>

struct ssl_st;

namespace berth::net {

// What a client has shown of itself in the TLS handshake: its certificate, and those that lead from it to an authority.
// It has proven to hold the key; whether the certificate is to be believed, a `CertificatePool` says. Immutable.
class PeerCertificates {
 public:
  // Null when it has shown none.
  static std::shared_ptr<const PeerCertificates> Of(const ssl_st* ssl);
  ~PeerCertificates();
  PeerCertificates(const PeerCertificates&) = delete;
  PeerCertificates& operator=(const PeerCertificates&) = delete;

  // From the certificate's subject.
  const std::string& common_name() const { return common_name_; }
  const std::vector<std::string>& organizations() const { return organizations_; }
  const std::vector<std::string>& user_uids() const { return user_uids_; }  // Kubernetes' OID 1.3.6.1.4.1.57683.2
  const std::string& fingerprint() const { return fingerprint_; }           // SHA-256, in hexadecimal digits
  // For messages: a decimal number, or how long it is when it is longer than any authority makes it.
  std::string Serial() const;

  class Impl;  // the library's objects, for the files of this folder
  const Impl& impl() const { return *impl_; }

 private:
  explicit PeerCertificates(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
  std::string common_name_;
  std::vector<std::string> organizations_;
  std::vector<std::string> user_uids_;
  std::string fingerprint_;
};

// Authorities that certify clients. Immutable.
class CertificatePool {
 public:
  // The error names the option.
  static Result<std::shared_ptr<const CertificatePool>> Make(const std::string& pem, const std::string& option);
  ~CertificatePool();
  CertificatePool(const CertificatePool&) = delete;
  CertificatePool& operator=(const CertificatePool&) = delete;

  // Whether one of the authorities says, now, that this is a client. The error says why not.
  Result<void> Verify(const PeerCertificates& shown) const;

 private:
  class Impl;
  explicit CertificatePool(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::net
