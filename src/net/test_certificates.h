// SPDX-License-Identifier: Apache-2.0
#pragma once

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
  CertifiedKey IssueClient(const std::string& common_name, const std::vector<std::string>& organizations = {}) const;

 private:
  evp_pkey_st* key_;
  x509_st* certificate_ = nullptr;
  CertifiedKey self_;
};

}  // namespace berth::net
