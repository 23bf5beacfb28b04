// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kube/access/proxy.h"
#include "kube/access/server_address.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace berth::kube {

// How an API server is recognised. PEM.
struct ServerTrust {
  std::string ca = {};           // empty: the system's authorities
  std::string server_name = {};  // expected in the server's certificate; empty: its host
  bool skip_verification = false;
};

// A client certificate with its key. PEM.
struct KeyPair {
  std::string certificate = {};
  std::string key = {};

  bool empty() const { return certificate.empty(); }
  bool operator==(const KeyPair&) const = default;
};

enum class InteractiveMode : uint8_t { Never, IfAvailable, Always };

// A program that prints credentials.
struct ExecPlugin {
  std::string command = {};  // a name to be found in PATH, or a path
  std::vector<std::string> arguments = {};
  std::vector<std::pair<std::string, std::string>> variables = {};
  std::string api_version = {};  // client.authentication.k8s.io/v1 or v1beta1
  std::string install_hint = {};
  InteractiveMode interactive_mode = InteractiveMode::Never;
  std::string cluster_info = {};  // JSON of spec.cluster for the program; empty: it is not told
  std::string user = {};          // the entry of the kubeconfig, for messages
};

// Who we are, as configured; `Credentials` makes headers of it.
struct CredentialSource {
  // At most one of these four gives the Authorization header: the token file, the token, the basic user, the plugin.
  std::string token_file = {};  // read again and again
  std::string token = {};       // also what is used while the token file cannot be read
  std::optional<Url::User> basic = {};
  std::optional<ExecPlugin> exec = {};
  // Shown in the TLS handshake beside any of them. With both files named, they are read again and again.
  KeyPair key_pair = {};
  std::string certificate_file = {};
  std::string key_file = {};
  // Whom we trust may change while we run, as a cluster's authority is replaced: read again and again, too.
  std::string ca_file = {};
};

// How to reach a cluster, and who we are there.
struct ClusterAccess {
  std::string origin =
      {};  // where this was found, for messages: "in-cluster configuration", "kubeconfig /a, context b"
  ServerAddress server = {};
  ServerTrust trust = {};
  std::optional<Proxy> proxy = {};
  // Headers that make the server treat us as someone else, names in lower case.
  std::vector<std::pair<std::string, std::string>> impersonation = {};
  std::string namespace_name = {};
  CredentialSource credentials = {};
  // What is strange but no error: to be logged by the caller.
  std::vector<std::string> warnings = {};
};

}  // namespace berth::kube
