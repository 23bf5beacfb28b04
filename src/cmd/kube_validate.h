// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cmd/kube_flags.h"
#include "cmd/tls_names.h"
#include "config/fields/field_errors.h"

#include <string>
#include <vector>

namespace berth::cmd {

// What is wrong with values of flags, and what is merely odd, in kube-scheduler's words and order.
struct FlagProblems {
  config::Messages errors;
  config::Messages warnings;
};
FlagProblems ValidateKubeFlags(const KubeFlags& kube, const features::FeatureGates& gates);

// How to serve HTTPS, in the words of OpenSSL.
struct ServingTls {
  std::vector<std::string> cipher_suites;  // up to TLS 1.2; empty: the default
  std::vector<std::string> groups;         // empty: the default
  TlsVersion min_version = TlsVersion::Tls12;
};
// Fails when a certificate has no key or a key no certificate, and for names that mean nothing. Without a port to serve
// on nothing is checked, as upstream.
Result<ServingTls> ServingTlsOf(const ServingFlags& serving);

// kube-scheduler checks these only when it makes the client and the elector, after the configuration was accepted.
Result<void> CheckRates(const config::ClientConnection& client);
Result<void> CheckElection(const config::LeaderElection& election);

}  // namespace berth::cmd
