// SPDX-License-Identifier: Apache-2.0
#include "net/tls_names.h"

#include <gtest/gtest.h>

namespace berth::net {
namespace {

TEST(TlsNames, VersionsHaveGosNames) {
  EXPECT_EQ(*TlsVersionNamed(""), *TlsVersionNamed("VersionTLS12"));
  EXPECT_LT(*TlsVersionNamed("VersionTLS10"), *TlsVersionNamed("VersionTLS11"));
  EXPECT_LT(*TlsVersionNamed("VersionTLS12"), *TlsVersionNamed("VersionTLS13"));
  EXPECT_EQ(TlsVersionNamed("TLS12").error().message, "unknown tls version \"TLS12\"");
}

TEST(TlsNames, CipherSuitesHaveGosNames) {
  const auto choice = CipherSuitesNamed(
      {"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_AES_128_GCM_SHA256", "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305"});
  ASSERT_TRUE(choice.has_value());
  EXPECT_EQ(choice->value, "ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-CHACHA20-POLY1305");
  EXPECT_TRUE(choice->warnings.empty());
  EXPECT_EQ(CipherSuitesNamed({"AES"}).error().message, "Cipher suite AES not supported or doesn't exist");
  const auto weak = CipherSuitesNamed({"TLS_RSA_WITH_AES_128_CBC_SHA", "TLS_RSA_WITH_RC4_128_SHA"});
  EXPECT_EQ(weak->value, "AES128-SHA");
  EXPECT_EQ(weak->warnings.size(), 3u);
}

TEST(TlsNames, CurvesHaveTheProtocolsNumbers) {
  EXPECT_EQ(CurvesNumbered({})->value, "");
  EXPECT_EQ(CurvesNumbered({29, 23})->value, "X25519:P-256");
  EXPECT_EQ(CurvesNumbered({4588, 23})->warnings.size(), 1u);
  EXPECT_FALSE(CurvesNumbered({4588}).has_value());
  EXPECT_EQ(CurvesNumbered({0}).error().message, "curve preference 0 is out of range (must be 1-65535)");
  EXPECT_EQ(CurvesNumbered({23, 23}).error().message, "duplicate curve preference 23");
  EXPECT_EQ(CurvesNumbered({1}).error().message, "curve preference 1 is not supported");
}

}  // namespace
}  // namespace berth::net
