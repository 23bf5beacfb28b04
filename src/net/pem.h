// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <functional>
#include <memory>
#include <string>

struct bio_st;
struct evp_pkey_st;
struct ssl_ctx_st;
struct x509_st;
struct x509_store_st;

namespace berth::net {

struct FreeTlsObject {
  void operator()(bio_st* bio) const;
  void operator()(evp_pkey_st* key) const;
  void operator()(ssl_ctx_st* context) const;
  void operator()(x509_st* certificate) const;
  void operator()(x509_store_st* store) const;
};
template <typename T>
using TlsOwned = std::unique_ptr<T, FreeTlsObject>;

// A problem with one of the user's settings: in OpenSSL's words if it has any, else in ours.
Error TlsOptionError(const std::string& option, const std::string& problem);

// Calls `take` with each certificate of the text, until it returns something but 1. The error names the option, also
// when the text holds no certificate.
Result<void> EachCertificate(const std::string& pem, const std::string& option,
                             const std::function<int(x509_st* certificate)>& take);

// Lets connections show the certificate, with the rest of its chain.
Result<void> UseKeyPair(ssl_ctx_st* context, const std::string& certificate, const std::string& key);

}  // namespace berth::net
