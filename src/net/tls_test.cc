// SPDX-License-Identifier: Apache-2.0
#include "net/tls.h"

#include "net/test_certificates.h"

#include <gtest/gtest.h>

namespace berth::net {
namespace {

std::string ProblemOf(const TlsOptions& options) {
  const auto context = TlsClientContext::Make(options);
  return context ? "" : context.error().message;
}

TEST(TlsClientContext, IsMadeOfAuthoritiesAndAClientCertificate) {
  const TestAuthority authority;
  const TestAuthority other;
  const CertifiedKey client = authority.IssueClient("me");
  EXPECT_EQ(ProblemOf({}), "");
  EXPECT_EQ(ProblemOf({.ca = authority.certificate() + other.certificate()}), "");
  EXPECT_EQ(ProblemOf({.certificate = client.certificate + authority.certificate(), .key = client.key}), "");
}

TEST(TlsClientContext, AnErrorNamesTheOptionThatCannotBeUsed) {
  const TestAuthority authority;
  const CertifiedKey client = authority.IssueClient("me");
  const CertifiedKey other = authority.IssueClient("you");
  EXPECT_EQ(ProblemOf({.ca = "nonsense"}), "TLS: ca: no certificate in PEM found");
  EXPECT_TRUE(
      ProblemOf({.ca = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"}).starts_with("TLS: ca: "));
  EXPECT_EQ(ProblemOf({.certificate = client.certificate}), "TLS: key: missing, though there is a certificate");
  EXPECT_EQ(ProblemOf({.key = client.key}), "TLS: certificate: missing, though there is a key");
  EXPECT_EQ(ProblemOf({.certificate = "x", .key = client.key}), "TLS: certificate: no certificate in PEM found");
  EXPECT_TRUE(ProblemOf({.certificate = client.certificate, .key = "x"}).starts_with("TLS: key: "));
  EXPECT_TRUE(ProblemOf({.certificate = client.certificate, .key = other.key}).starts_with("TLS: key: "));
}

}  // namespace
}  // namespace berth::net
