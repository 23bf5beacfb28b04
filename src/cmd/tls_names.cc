// SPDX-License-Identifier: Apache-2.0
#include "cmd/tls_names.h"

#include "config/fields/field_errors.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include <fmt/format.h>

namespace berth::cmd {
namespace {

struct CipherSuite {
  std::string_view name;
  std::string_view openssl;  // empty: of TLS 1.3
  bool insecure = false;
};

// Sorted by name.
constexpr std::array<CipherSuite, 27> kCipherSuites = {{
    {"TLS_AES_128_GCM_SHA256", ""},
    {"TLS_AES_256_GCM_SHA384", ""},
    {"TLS_CHACHA20_POLY1305_SHA256", ""},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "ECDHE-ECDSA-AES128-SHA"},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", "ECDHE-ECDSA-AES128-SHA256", true},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"},
    {"TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", "ECDHE-ECDSA-AES256-SHA"},
    {"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384"},
    {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305", "ECDHE-ECDSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_ECDSA_WITH_RC4_128_SHA", "ECDHE-ECDSA-RC4-SHA", true},
    {"TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA", "ECDHE-RSA-DES-CBC3-SHA", true},
    {"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "ECDHE-RSA-AES128-SHA"},
    {"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", "ECDHE-RSA-AES128-SHA256", true},
    {"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256"},
    {"TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", "ECDHE-RSA-AES256-SHA"},
    {"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384"},
    {"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305", "ECDHE-RSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_RSA_WITH_RC4_128_SHA", "ECDHE-RSA-RC4-SHA", true},
    {"TLS_RSA_WITH_3DES_EDE_CBC_SHA", "DES-CBC3-SHA", true},
    {"TLS_RSA_WITH_AES_128_CBC_SHA", "AES128-SHA", true},
    {"TLS_RSA_WITH_AES_128_CBC_SHA256", "AES128-SHA256", true},
    {"TLS_RSA_WITH_AES_128_GCM_SHA256", "AES128-GCM-SHA256", true},
    {"TLS_RSA_WITH_AES_256_CBC_SHA", "AES256-SHA", true},
    {"TLS_RSA_WITH_AES_256_GCM_SHA384", "AES256-GCM-SHA384", true},
    {"TLS_RSA_WITH_RC4_128_SHA", "RC4-SHA", true},
}};

struct Group {
  int32_t number;
  std::string_view openssl;
};

constexpr std::array<Group, 7> kGroups = {{{23, "P-256"},
                                           {24, "P-384"},
                                           {25, "P-521"},
                                           {29, "X25519"},
                                           {4587, "SecP256r1MLKEM768"},
                                           {4588, "X25519MLKEM768"},
                                           {4589, "SecP384r1MLKEM1024"}}};

struct VersionName {
  std::string_view name;
  TlsVersion version;
};

constexpr std::array<VersionName, 4> kVersions = {{{"VersionTLS10", TlsVersion::Tls10},
                                                   {"VersionTLS11", TlsVersion::Tls11},
                                                   {"VersionTLS12", TlsVersion::Tls12},
                                                   {"VersionTLS13", TlsVersion::Tls13}}};

std::vector<std::string_view> SuitesThatAre(bool insecure) {
  std::vector<std::string_view> names;
  for (const CipherSuite& suite : kCipherSuites) {
    if (suite.insecure == insecure) names.push_back(suite.name);
  }
  return names;
}

}  // namespace

std::vector<std::string_view> PreferredCipherSuites() { return SuitesThatAre(false); }

std::vector<std::string_view> InsecureCipherSuites() { return SuitesThatAre(true); }

std::vector<std::string_view> TlsVersions() {
  std::vector<std::string_view> names;
  for (const VersionName& version : kVersions) names.push_back(version.name);
  return names;
}

Result<std::vector<std::string>> CipherSuitesNamed(const std::vector<std::string>& names) {
  std::vector<std::string> suites;
  for (const std::string& name : names) {
    const auto* const found = std::ranges::find(kCipherSuites, name, &CipherSuite::name);
    if (found == kCipherSuites.end()) {
      return InvalidError(fmt::format("Cipher suite {} not supported or doesn't exist", name));
    }
    if (!found->openssl.empty()) suites.emplace_back(found->openssl);
  }
  return suites;
}

Result<std::vector<std::string>> GroupsNumbered(const std::vector<int32_t>& numbers) {
  constexpr int32_t kLargest = std::numeric_limits<uint16_t>::max();
  std::vector<std::string> groups;
  std::set<int32_t> seen;
  for (const int32_t number : numbers) {
    if (number <= 0 || number > kLargest) {
      return InvalidError(fmt::format("curve preference {} is out of range (must be 1-{})", number, kLargest));
    }
    if (!seen.insert(number).second) return InvalidError(fmt::format("duplicate curve preference {}", number));
    const auto* const found = std::ranges::find(kGroups, number, &Group::number);
    if (found == kGroups.end()) return InvalidError(fmt::format("curve preference {} is not supported", number));
    groups.emplace_back(found->openssl);
  }
  return groups;
}

Result<TlsVersion> TlsVersionNamed(std::string_view name) {
  if (name.empty()) return TlsVersion::Tls12;
  const auto* const found = std::ranges::find(kVersions, name, &VersionName::name);
  if (found == kVersions.end()) return InvalidError("unknown tls version " + config::Quoted(name));
  return found->version;
}

}  // namespace berth::cmd
