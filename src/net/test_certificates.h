// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

struct x509_st;
struct evp_pkey_st;

namespace berth::net {

// In PEM.
struct CertifiedKey {
  std::string certificate;
  std::string key;
};

// What a client's certificate has that others have not.
struct OddCertificate {
  size_t serial_bytes = 4;
  bool signed_by_sha1 = false;
};

// A certificate authority for one test.
class TestAuthority {
 public:
  explicit TestAuthority(const std::string& name = "test authority");
  ~TestAuthority();
  TestAuthority(const TestAuthority&) = delete;
  TestAuthority& operator=(const TestAuthority&) = delete;

  const std::string& certificate() const { return self_.certificate; }
  // `names` as OpenSSL writes them: "IP:127.0.0.1,DNS:localhost".
  CertifiedKey IssueServer(const std::string& names, bool expired = false) const;
  CertifiedKey IssueClient(const std::string& common_name, const std::vector<std::string>& organizations = {},
                           const OddCertificate& odd = {}) const;

 private:
  evp_pkey_st* key_;
  x509_st* certificate_ = nullptr;
  CertifiedKey self_;
};

}  // namespace berth::net
