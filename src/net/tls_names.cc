// SPDX-License-Identifier: Apache-2.0
#include "net/tls_names.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <openssl/ssl.h>

namespace berth::net {
namespace {

struct SuiteName {
  std::string_view go;
  std::string_view openssl;  // empty: of TLS 1.3, or not to be had
  bool weak = false;
};

constexpr std::array kSuiteNames = {
    SuiteName{"TLS_AES_128_GCM_SHA256", ""},
    SuiteName{"TLS_AES_256_GCM_SHA384", ""},
    SuiteName{"TLS_CHACHA20_POLY1305_SHA256", ""},
    SuiteName{"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"},
    SuiteName{"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256"},
    SuiteName{"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384"},
    SuiteName{"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384"},
    SuiteName{"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"},
    SuiteName{"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305"},
    SuiteName{"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305", "ECDHE-ECDSA-CHACHA20-POLY1305"},
    SuiteName{"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305", "ECDHE-RSA-CHACHA20-POLY1305"},
    SuiteName{"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "ECDHE-ECDSA-AES128-SHA"},
    SuiteName{"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "ECDHE-RSA-AES128-SHA"},
    SuiteName{"TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", "ECDHE-ECDSA-AES256-SHA"},
    SuiteName{"TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", "ECDHE-RSA-AES256-SHA"},
    SuiteName{"TLS_RSA_WITH_AES_128_CBC_SHA", "AES128-SHA", true},
    SuiteName{"TLS_RSA_WITH_AES_256_CBC_SHA", "AES256-SHA", true},
    SuiteName{"TLS_RSA_WITH_AES_128_GCM_SHA256", "AES128-GCM-SHA256", true},
    SuiteName{"TLS_RSA_WITH_AES_256_GCM_SHA384", "AES256-GCM-SHA384", true},
    SuiteName{"TLS_RSA_WITH_AES_128_CBC_SHA256", "AES128-SHA256", true},
    SuiteName{"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", "ECDHE-ECDSA-AES128-SHA256", true},
    SuiteName{"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", "ECDHE-RSA-AES128-SHA256", true},
    SuiteName{"TLS_RSA_WITH_3DES_EDE_CBC_SHA", "", true},
    SuiteName{"TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA", "", true},
    SuiteName{"TLS_RSA_WITH_RC4_128_SHA", "", true},
    SuiteName{"TLS_ECDHE_ECDSA_WITH_RC4_128_SHA", "", true},
    SuiteName{"TLS_ECDHE_RSA_WITH_RC4_128_SHA", "", true},
};

struct CurveName {
  int32_t number;
  std::string_view openssl;  // empty: not to be had
};

constexpr std::array kCurveNames = {
    CurveName{23, "P-256"}, CurveName{24, "P-384"}, CurveName{25, "P-521"}, CurveName{29, "X25519"},
    CurveName{4587, ""},    CurveName{4588, ""},    CurveName{4589, ""},
};

void AppendName(std::string& list, std::string_view name) {
  if (!list.empty()) list += ':';
  list += name;
}

}  // namespace

Result<int> TlsVersionNamed(const std::string& name) {
  if (name.empty() || name == "VersionTLS12") return TLS1_2_VERSION;
  if (name == "VersionTLS10") return TLS1_VERSION;
  if (name == "VersionTLS11") return TLS1_1_VERSION;
  if (name == "VersionTLS13") return TLS1_3_VERSION;
  return InvalidError(fmt::format("unknown tls version \"{}\"", name));
}

Result<TlsChoice> CipherSuitesNamed(const std::vector<std::string>& names) {
  TlsChoice choice;
  for (const std::string& name : names) {
    const auto found =
        std::find_if(kSuiteNames.begin(), kSuiteNames.end(), [&](const SuiteName& each) { return each.go == name; });
    if (found == kSuiteNames.end()) {
      return InvalidError(fmt::format("Cipher suite {} not supported or doesn't exist", name));
    }
    if (found->weak) choice.warnings.push_back(fmt::format("Use of insecure cipher '{}' detected.", name));
    if (!found->openssl.empty()) AppendName(choice.value, found->openssl);
    if (found->openssl.empty() && found->weak) {
      choice.warnings.push_back(fmt::format("the cipher suite {} is left out: OpenSSL has it not", name));
    }
  }
  return choice;
}

std::string DefaultCipherSuites() {
  std::string list;
  for (const SuiteName& each : kSuiteNames) {
    if (!each.weak && !each.openssl.empty()) AppendName(list, each.openssl);
  }
  return list;
}

Result<TlsChoice> CurvesNumbered(const std::vector<int32_t>& numbers) {
  TlsChoice choice;
  for (const int32_t number : numbers) {
    const auto found = std::find_if(kCurveNames.begin(), kCurveNames.end(),
                                    [&](const CurveName& each) { return each.number == number; });
    if (number <= 0 || number > UINT16_MAX) {
      return InvalidError(fmt::format("curve preference {} is out of range (must be 1-{})", number, UINT16_MAX));
    }
    if (std::count(numbers.begin(), numbers.end(), number) > 1) {
      return InvalidError(fmt::format("duplicate curve preference {}", number));
    }
    if (found == kCurveNames.end()) return InvalidError(fmt::format("curve preference {} is not supported", number));
    if (found->openssl.empty()) {
      choice.warnings.push_back(fmt::format("the key exchange {} is left out: OpenSSL has it not", number));
    } else {
      AppendName(choice.value, found->openssl);
    }
  }
  if (!numbers.empty() && choice.value.empty()) return InvalidError("none of the curve preferences can be used");
  return choice;
}

}  // namespace berth::net
