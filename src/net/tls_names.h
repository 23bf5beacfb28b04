// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace berth::net {

// What Go's names for parts of TLS mean to OpenSSL. Users of kube-scheduler know Go's.

// "VersionTLS12"; empty: the same.
Result<int> TlsVersionNamed(const std::string& name);

// In the form of an option that names several things, of which OpenSSL may lack some.
struct TlsChoice {
  std::string value = {};  // in OpenSSL's words, separated by colons; empty: nothing is left
  std::vector<std::string> warnings = {};
};

// Cipher suites up to TLS 1.2; those of TLS 1.3 are known but cannot be chosen, as in Go. Warns of those that are weak,
// and of those that OpenSSL lacks.
Result<TlsChoice> CipherSuitesNamed(const std::vector<std::string>& names);
// Those that Go chooses when nothing is said.
std::string DefaultCipherSuites();

// Key exchange mechanisms by their number in the protocol, which is Go's CurveID.
Result<TlsChoice> CurvesNumbered(const std::vector<int32_t>& numbers);

}  // namespace berth::net
