// SPDX-License-Identifier: Apache-2.0
#include "net/digest.h"

#include "base/check.h"

#include <array>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

namespace berth::net {

SecretDigest::SecretDigest() : key_(32, '\0') {
  BERTH_CHECK(RAND_bytes(reinterpret_cast<unsigned char*>(key_.data()), static_cast<int>(key_.size())) == 1);
}

std::string SecretDigest::Of(std::string_view secret) const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest = {};
  unsigned int size = 0;
  BERTH_CHECK(HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
                   reinterpret_cast<const unsigned char*>(secret.data()), secret.size(), digest.data(),
                   &size) != nullptr);
  return {reinterpret_cast<const char*>(digest.data()), size};
}

}  // namespace berth::net
