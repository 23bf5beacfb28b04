// SPDX-License-Identifier: Apache-2.0
#include "kube/access/access_builder.h"

#include "api/document.h"
#include "api/value.h"
#include "config/fields/base64.h"
#include "kube/access/exec_plugin.h"
#include "kube/access/impersonation.h"
#include "kube/access/kubeconfig_check.h"
#include "kube/access/trimmed.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::kube {
namespace {

template <typename Entries>
std::string NamesOf(const Entries& entries) {
  if (entries.empty()) return "none";
  std::vector<std::string_view> names;
  names.reserve(entries.size());
  for (const auto& [name, entry] : entries) names.push_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// The info that an exec plugin is given of the cluster, in the order in which client-go writes it.
std::string ClusterInfoJson(const ClusterEntry& cluster, const std::string& ca) {
  using api::Value;
  Value info = Value::Map();
  info.Set("server", Value::String(cluster.server));
  if (!cluster.tls_server_name.empty()) info.Set("tls-server-name", Value::String(cluster.tls_server_name));
  if (cluster.insecure_skip_tls_verify) info.Set("insecure-skip-tls-verify", Value::Bool(true));
  if (!ca.empty()) info.Set("certificate-authority-data", Value::String(config::EncodeBase64(ca)));
  if (!cluster.proxy_url.empty()) info.Set("proxy-url", Value::String(cluster.proxy_url));
  if (cluster.disable_compression) info.Set("disable-compression", Value::Bool(true));
  std::string json = api::ToJson(info);
  json.pop_back();
  return json + ",\"config\":" + (cluster.exec_config.empty() ? "null" : cluster.exec_config) + "}";
}

InteractiveMode ModeNamed(std::string_view name) {
  if (name == "Always") return InteractiveMode::Always;
  return name == "IfAvailable" ? InteractiveMode::IfAvailable : InteractiveMode::Never;
}

}  // namespace

AccessBuilder::AccessBuilder(const FoundKubeconfig& found, const KubeconfigOverrides& overrides,
                             const Surroundings& surroundings)
    : found_(found), overrides_(overrides), surroundings_(surroundings) {}

Result<ClusterAccess> AccessBuilder::Build() {
  BERTH_RETURN_IF_ERROR(PickEntries());
  BERTH_RETURN_IF_ERROR(CheckEntries());
  access_.origin = Origin();
  Result<ServerAddress> server = ParseServerAddress(cluster_.server);
  if (!server) {
    return InvalidError(fmt::format("{}: cluster \"{}\": {}", Origin(), cluster_name_, server.error().message));
  }
  access_.server = *std::move(server);
  access_.namespace_name = context_.namespace_name.empty() ? "default" : context_.namespace_name;
  AddImpersonation();
  if (access_.server.tls) {
    BERTH_RETURN_IF_ERROR(AddTrust());
    BERTH_RETURN_IF_ERROR(AddKeyPair());
    BERTH_RETURN_IF_ERROR(AddCredentials());
  } else {
    access_.warnings.push_back(fmt::format("{}: server {} is not https: no credentials are sent to it{}",
                                           access_.origin, access_.server.Text(),
                                           access_.server.user ? " but those of its URL, in clear text" : ""));
  }
  CredentialSource& who = access_.credentials;
  if (access_.server.user && who.token.empty() && who.token_file.empty() && !who.basic && !who.exec) {
    who.basic = access_.server.user;
  }
  BERTH_RETURN_IF_ERROR(AddProxy());
  return std::move(access_);
}

Result<void> AccessBuilder::PickEntries() {
  const Kubeconfig& files = found_.merged;
  context_name_ = overrides_.context.empty() ? files.current_context : overrides_.context;
  if (const auto context = files.contexts.find(context_name_); context != files.contexts.end()) {
    context_ = context->second;
    context_exists_ = true;
  } else if (!overrides_.context.empty() && files.files.empty()) {
    return InvalidError(
        fmt::format("context \"{}\": there is no kubeconfig: name one by --kubeconfig or KUBECONFIG", context_name_));
  } else if (!overrides_.context.empty()) {
    return InvalidError(
        fmt::format("context \"{}\" does not exist: {} has only {}", context_name_, Origin(), NamesOf(files.contexts)));
  }
  if (!overrides_.user.empty()) context_.user = overrides_.user;
  if (!overrides_.cluster.empty()) context_.cluster = overrides_.cluster;
  if (!overrides_.namespace_name.empty()) context_.namespace_name = overrides_.namespace_name;
  user_name_ = context_.user;
  if (const auto user = files.users.find(user_name_); user != files.users.end()) {
    user_ = user->second;
  } else if (!overrides_.user.empty()) {
    return InvalidError(
        fmt::format("auth info \"{}\" does not exist: {} has only {}", user_name_, Origin(), NamesOf(files.users)));
  } else if (!user_name_.empty()) {
    access_.warnings.push_back(fmt::format("{}: user \"{}\" is not among the users ({}): requests are anonymous",
                                           Origin(), user_name_, NamesOf(files.users)));
  }
  cluster_name_ = context_.cluster;
  if (const auto cluster = files.clusters.find(cluster_name_); cluster != files.clusters.end()) {
    cluster_ = cluster->second;
  } else if (!overrides_.cluster.empty()) {
    return InvalidError(
        fmt::format("cluster \"{}\" does not exist: {} has only {}", cluster_name_, Origin(), NamesOf(files.clusters)));
  }
  if (!overrides_.server.empty()) {
    cluster_.server = overrides_.server;
    cluster_.tls_server_name.clear();
    cluster_.empty = false;
  }
  return {};
}

Result<void> AccessBuilder::CheckEntries() {
  if (!context_name_.empty() && !context_exists_) {
    problems_.push_back(
        fmt::format("context was not found for specified context: {}: change current-context, contexts are {}",
                    context_name_, NamesOf(found_.merged.contexts)));
  }
  std::ranges::move(ProblemsOfUser(user_name_, user_), std::back_inserter(problems_));
  if (!user_.client_certificate.empty() || !user_.client_certificate_data.empty()) {
    key_pair_.certificate =
        DataOrFile(user_.client_certificate_data, user_.client_certificate, "client-cert", user_name_);
    key_pair_.key = DataOrFile(user_.client_key_data, user_.client_key, "client-key", user_name_);
  }
  if (cluster_.empty) {
    if (problems_.empty()) return NothingDescribed();
    problems_.emplace_back("cluster has no server defined");
  } else {
    std::ranges::move(ProblemsOfCluster(cluster_name_, cluster_), std::back_inserter(problems_));
    ca_ = DataOrFile(cluster_.certificate_authority_data, cluster_.certificate_authority, "certificate-authority",
                     cluster_name_);
  }
  if (problems_.empty()) return {};
  return InvalidError(fmt::format("invalid configuration: {} ({})", config::Joined(problems_), Origin()));
}

std::string AccessBuilder::DataOrFile(const std::string& data, const std::string& path, std::string_view field,
                                      std::string_view entry) {
  if (!data.empty() || path.empty()) return data;
  Result<std::string> content = surroundings_.read_file(path);
  if (content) return *std::move(content);
  problems_.push_back(
      fmt::format("unable to read {} {} for {} due to {}", field, path, entry, content.error().message));
  return {};
}

Result<void> AccessBuilder::AddTrust() {
  const std::string& path = cluster_.certificate_authority;
  const bool has_authority = !path.empty() || !cluster_.certificate_authority_data.empty();
  if (has_authority && cluster_.insecure_skip_tls_verify) {
    return InvalidError(fmt::format(
        "{}: cluster \"{}\": specifying a root certificates file with the insecure flag is not allowed: remove either "
        "certificate-authority or insecure-skip-tls-verify",
        Origin(), cluster_name_));
  }
  if (!ca_.empty() && ca_.find("-----BEGIN CERTIFICATE-----") == std::string::npos) {
    return InvalidError(
        fmt::format("{}: cluster \"{}\": unable to load root certificates: {} has no certificate in PEM", Origin(),
                    cluster_name_, path.empty() ? "certificate-authority-data" : path));
  }
  // To trust the system's authorities instead would be to send credentials to whoever has a certificate of theirs.
  if (has_authority && ca_.empty()) {
    return InvalidError(fmt::format("{}: cluster \"{}\": unable to load root certificates: {} is empty", Origin(),
                                    cluster_name_, path));
  }
  if (cluster_.certificate_authority_data.empty()) access_.credentials.ca_file = path;
  access_.trust = {std::move(ca_), cluster_.tls_server_name, cluster_.insecure_skip_tls_verify};
  return {};
}

Result<void> AccessBuilder::AddKeyPair() {
  if (user_.client_certificate.empty() && user_.client_certificate_data.empty()) return {};
  const auto check = [&](const std::string& pem, std::string_view label, std::string_view field,
                         const std::string& path) -> Result<void> {
    if (pem.find(label) != std::string::npos) return {};
    return InvalidError(fmt::format("{}: user \"{}\": {} has no {} in PEM", Origin(), user_name_,
                                    path.empty() ? fmt::format("{}-data", field) : path,
                                    label == "PRIVATE KEY-----" ? "private key" : "certificate"));
  };
  BERTH_RETURN_IF_ERROR(
      check(key_pair_.certificate, "-----BEGIN CERTIFICATE-----", "client-certificate", user_.client_certificate));
  BERTH_RETURN_IF_ERROR(check(key_pair_.key, "PRIVATE KEY-----", "client-key", user_.client_key));
  access_.credentials.key_pair = std::move(key_pair_);
  if (user_.client_certificate_data.empty() && user_.client_key_data.empty()) {
    access_.credentials.certificate_file = user_.client_certificate;
    access_.credentials.key_file = user_.client_key;
  }
  return {};
}

Result<void> AccessBuilder::AddCredentials() {
  CredentialSource& who = access_.credentials;
  who.token = TrimmedCopy(user_.token);
  who.token_file = user_.token_file;
  if (who.token.empty() && !who.token_file.empty()) {
    const Result<std::string> content = surroundings_.read_file(who.token_file);
    const std::string why = content ? "it is empty" : content.error().message;
    if (content) who.token = TrimmedCopy(*content);
    if (who.token.empty()) {
      return InvalidError(fmt::format("{}: user \"{}\": no token can be read from tokenFile {}: {}", Origin(),
                                      user_name_, who.token_file, why));
    }
  }
  if (!user_.username.empty()) {
    if (!who.token.empty()) {
      return InvalidError(fmt::format("{}: user \"{}\": username/password or bearer token may be set, but not both",
                                      Origin(), user_name_));
    }
    who.basic = Url::User{user_.username, user_.password};
  }
  if (user_.auth_provider) {
    return InvalidError(fmt::format(
        "{}: user \"{}\": no Auth Provider found for name \"{}\": auth-provider plugins have been removed, use an exec "
        "credential plugin instead",
        Origin(), user_name_, *user_.auth_provider));
  }
  return AddExec();
}

Result<void> AccessBuilder::AddExec() {
  if (!user_.exec) return {};
  const ExecEntry& entry = *user_.exec;
  if (entry.api_version != kExecV1 && entry.api_version != kExecV1beta1) {
    return InvalidError(fmt::format("{}: user \"{}\": exec plugin: invalid apiVersion \"{}\": must be {} or {}",
                                    Origin(), user_name_, entry.api_version, kExecV1, kExecV1beta1));
  }
  CredentialSource& who = access_.credentials;
  if (!who.token.empty() || who.basic || !who.key_pair.empty()) return {};  // what is written down wins
  ExecPlugin plugin;
  plugin.command = entry.command;
  plugin.arguments = entry.args;
  plugin.variables = entry.env;
  plugin.api_version = entry.api_version;
  plugin.install_hint = WithoutControlCharacters(entry.install_hint);
  plugin.interactive_mode = ModeNamed(entry.interactive_mode);
  if (entry.provide_cluster_info) plugin.cluster_info = ClusterInfoJson(cluster_, access_.trust.ca);
  plugin.user = user_name_;
  who.exec = std::move(plugin);
  return {};
}

void AccessBuilder::AddImpersonation() {
  if (user_.as.empty()) return;
  access_.impersonation = ImpersonationHeaders({user_.as, user_.as_uid, user_.as_groups, user_.as_user_extra});
}

Result<void> AccessBuilder::AddProxy() {
  if (cluster_.proxy_url.empty()) {
    BERTH_ASSIGN_OR_RETURN(access_.proxy, ProxyFromEnvironment(access_.server, surroundings_));
  } else {
    BERTH_ASSIGN_OR_RETURN(access_.proxy, ParseProxy(cluster_.proxy_url));
  }
  return {};
}

std::string AccessBuilder::Origin() const {
  if (found_.merged.files.empty()) return "no kubeconfig";
  std::string origin = fmt::format("kubeconfig {}", fmt::join(found_.merged.files, ":"));
  if (!context_name_.empty() && context_exists_) origin += fmt::format(", context {}", context_name_);
  return origin;
}

Error AccessBuilder::NothingDescribed() const {
  std::string why = "no configuration has been provided";
  if (context_exists_) {
    why += fmt::format(": cluster \"{}\" is not among the clusters ({}) of {}", cluster_name_,
                       NamesOf(found_.merged.clusters), Origin());
  } else if (!found_.merged.files.empty() && found_.merged.contexts.empty()) {
    why += fmt::format(": {} has no contexts", Origin());
  } else if (!found_.merged.files.empty()) {
    why += fmt::format(": {} has no current-context; contexts are {}; choose one by --context", Origin(),
                       NamesOf(found_.merged.contexts));
  } else if (!found_.missing.empty()) {
    why += fmt::format(": {} does not exist; set --kubeconfig or KUBECONFIG", fmt::join(found_.missing, ", "));
  } else {
    why += ": set --kubeconfig";
  }
  return NotFoundError("invalid configuration: " + why);
}

}  // namespace berth::kube
