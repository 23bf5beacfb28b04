// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::kube {

// The entries of kubeconfig files as they stand there, before they are checked. Paths are absolute already, `…_data` is
// decoded.

struct ClusterEntry {
  std::string file = {};  // that has the entry
  std::string server = {};
  std::string tls_server_name = {};
  bool insecure_skip_tls_verify = false;
  std::string certificate_authority = {};
  std::string certificate_authority_data = {};
  std::string proxy_url = {};
  bool disable_compression = false;
  std::string exec_config = {};  // JSON of the extension client.authentication.k8s.io/exec
  bool empty = true;             // nothing is set at all
};

struct ExecEntry {
  std::string command = {};
  std::vector<std::string> args = {};
  std::vector<std::pair<std::string, std::string>> env = {};
  std::string api_version = {};
  std::string install_hint = {};
  std::string interactive_mode = {};
  bool provide_cluster_info = false;
};

struct UserEntry {
  std::string file = {};
  std::string client_certificate = {};
  std::string client_certificate_data = {};
  std::string client_key = {};
  std::string client_key_data = {};
  std::string token = {};
  std::string token_file = {};
  std::string as = {};
  std::string as_uid = {};
  std::vector<std::string> as_groups = {};
  std::map<std::string, std::vector<std::string>> as_user_extra = {};
  std::string username = {};
  std::string password = {};
  std::optional<std::string> auth_provider = {};  // its name
  std::optional<ExecEntry> exec = {};
};

struct ContextEntry {
  std::string file = {};
  std::string cluster = {};
  std::string user = {};
  std::string namespace_name = {};
};

// One file, or several merged.
struct Kubeconfig {
  std::vector<std::string> files = {};  // that were read
  std::string current_context = {};
  std::map<std::string, ClusterEntry, std::less<>> clusters = {};
  std::map<std::string, UserEntry, std::less<>> users = {};
  std::map<std::string, ContextEntry, std::less<>> contexts = {};

  // Adds what `other` has and this one lacks: an entry is taken whole or not at all.
  void MergeBehind(Kubeconfig other);
};

// Reads the text of one file; `path` is absolute. Unknown fields are ignored. The error names file, line and field.
Result<Kubeconfig> ParseKubeconfig(std::string_view text, const std::string& path);

}  // namespace berth::kube
