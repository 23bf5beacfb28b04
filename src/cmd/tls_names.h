// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// What flags about TLS may say, in the words of Go, and what that is in the words of OpenSSL.
namespace berth::cmd {

// All names of cipher suites that kube-scheduler accepts, sorted.
std::vector<std::string_view> PreferredCipherSuites();
std::vector<std::string_view> InsecureCipherSuites();
std::vector<std::string_view> TlsVersions();

// OpenSSL's names of cipher suites up to TLS 1.2. Those of TLS 1.3 are accepted and left out: Go always offers them.
Result<std::vector<std::string>> CipherSuitesNamed(const std::vector<std::string>& names);
// OpenSSL's names of groups.
Result<std::vector<std::string>> GroupsNumbered(const std::vector<int32_t>& numbers);

// Versions of TLS, as their records number them.
enum class TlsVersion : uint16_t { Tls10 = 0x0301, Tls11 = 0x0302, Tls12 = 0x0303, Tls13 = 0x0304 };
// Empty: TLS 1.2.
Result<TlsVersion> TlsVersionNamed(std::string_view name);

}  // namespace berth::cmd
