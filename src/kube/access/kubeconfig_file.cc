// SPDX-License-Identifier: Apache-2.0
#include "kube/access/kubeconfig_file.h"

#include "api/decoder.h"
#include "api/document.h"
#include "config/fields/scalars.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>

namespace berth::kube {
namespace {

using api::FieldReader;
using api::Value;

constexpr std::string_view kExecExtension = "client.authentication.k8s.io/exec";

// Reads one file; relative paths in it refer to its folder.
class KubeconfigReader {
 public:
  explicit KubeconfigReader(const std::string& path)
      : path_(path), folder_(std::filesystem::path(path).parent_path()) {}

  ClusterEntry ReadCluster(FieldReader& fields) const {
    ClusterEntry entry;
    entry.file = path_;
    entry.server = fields.String("server");
    entry.tls_server_name = fields.String("tls-server-name");
    entry.insecure_skip_tls_verify = fields.Bool("insecure-skip-tls-verify");
    entry.certificate_authority = Absolute(fields.String("certificate-authority"));
    entry.certificate_authority_data = config::ReadBytes(fields, "certificate-authority-data");
    entry.proxy_url = fields.String("proxy-url");
    entry.disable_compression = fields.Bool("disable-compression");
    fields.ForEach("extensions", [&](FieldReader& extension) {
      if (extension.String("name") != kExecExtension) return;
      if (const Value* value = extension.Raw("extension")) entry.exec_config = api::ToJson(*value);
    });
    entry.empty = false;
    return entry;
  }

  UserEntry ReadUser(FieldReader& fields) const {
    UserEntry entry;
    entry.file = path_;
    entry.client_certificate = Absolute(fields.String("client-certificate"));
    entry.client_certificate_data = config::ReadBytes(fields, "client-certificate-data");
    entry.client_key = Absolute(fields.String("client-key"));
    entry.client_key_data = config::ReadBytes(fields, "client-key-data");
    entry.token = fields.String("token");
    entry.token_file = Absolute(fields.String("tokenFile"));
    entry.as = fields.String("as");
    entry.as_uid = fields.String("as-uid");
    entry.as_groups = fields.Strings("as-groups");
    fields.Map("as-user-extra", [&](FieldReader& extra) {
      for (const Value::Member& member : extra.value().members()) {
        entry.as_user_extra[member.key] = extra.Strings(member.key);
      }
    });
    entry.username = fields.String("username");
    entry.password = fields.String("password");
    fields.Map("auth-provider", [&](FieldReader& provider) { entry.auth_provider = provider.String("name"); });
    fields.Map("exec", [&](FieldReader& exec) { entry.exec = ReadExec(exec); });
    return entry;
  }

  ContextEntry ReadContext(FieldReader& fields) const {
    return {path_, fields.String("cluster"), fields.String("user"), fields.String("namespace")};
  }

 private:
  ExecEntry ReadExec(FieldReader& fields) const {
    ExecEntry exec;
    exec.command = fields.String("command");
    if (exec.command.find('/') != std::string::npos) exec.command = Absolute(std::move(exec.command));
    exec.args = fields.Strings("args");
    fields.ForEach("env", [&](FieldReader& variable) {
      std::string name = variable.String("name");
      exec.env.emplace_back(std::move(name), variable.String("value"));
    });
    exec.api_version = fields.String("apiVersion");
    exec.install_hint = fields.String("installHint");
    exec.interactive_mode = fields.String("interactiveMode");
    exec.provide_cluster_info = fields.Bool("provideClusterInfo");
    if (exec.interactive_mode.empty() && (exec.api_version == "client.authentication.k8s.io/v1beta1" ||
                                          exec.api_version == "client.authentication.k8s.io/v1alpha1")) {
      exec.interactive_mode = "IfAvailable";
    }
    return exec;
  }

  std::string Absolute(std::string path) const {
    if (path.empty() || path.starts_with('/')) return path;
    return (folder_ / path).lexically_normal().string();
  }

  std::string path_;
  std::filesystem::path folder_;
};

// Reads a list of {name: …, <field>: {…}} into a map. A missing map is one without fields.
template <typename Entry, typename Read>
void ReadNamed(FieldReader& root, std::string_view list, std::string_view field, Read read,
               std::map<std::string, Entry, std::less<>>& entries) {
  const Value nothing = Value::Map();
  root.ForEach(list, [&](FieldReader& item) {
    std::string name = item.String("name");
    Entry entry;
    if (!item.Map(field, [&](FieldReader& fields) { entry = read(fields); })) {
      FieldReader fields(nothing, item.Path(field), item.errors());
      entry = read(fields);
    }
    if (!entries.emplace(name, std::move(entry)).second) {
      item.Fail("name", fmt::format("duplicate name \"{}\" in list: remove one of the entries", name));
    }
  });
}

void CheckKind(FieldReader& root) {
  const std::string version = root.String("apiVersion");
  const std::string kind = root.String("kind");
  if (!version.empty() && version != "v1") {
    root.Fail("apiVersion", fmt::format("no kind \"Config\" is registered for version \"{}\": must be v1", version));
  }
  if (!kind.empty() && kind != "Config") {
    root.Fail("kind", fmt::format("expected Config, found {}: this is not a kubeconfig", kind));
  }
}

}  // namespace

void Kubeconfig::MergeBehind(Kubeconfig other) {
  std::ranges::move(other.files, std::back_inserter(files));
  if (current_context.empty()) current_context = std::move(other.current_context);
  clusters.merge(other.clusters);
  users.merge(other.users);
  contexts.merge(other.contexts);
}

Result<Kubeconfig> ParseKubeconfig(std::string_view text, const std::string& path) {
  Kubeconfig kubeconfig;
  kubeconfig.files.push_back(path);
  BERTH_ASSIGN_OR_RETURN(const std::vector<api::Document> documents, api::ReadDocuments(text, path));
  if (documents.empty() || documents.front().root.is_null()) return kubeconfig;
  api::DecodeErrors errors;
  FieldReader root(documents.front().root, "", errors);
  const KubeconfigReader reader(path);
  CheckKind(root);
  kubeconfig.current_context = root.String("current-context");
  const auto cluster = [&](FieldReader& fields) { return reader.ReadCluster(fields); };
  const auto user = [&](FieldReader& fields) { return reader.ReadUser(fields); };
  const auto context = [&](FieldReader& fields) { return reader.ReadContext(fields); };
  ReadNamed(root, "clusters", "cluster", cluster, kubeconfig.clusters);
  ReadNamed(root, "users", "user", user, kubeconfig.users);
  ReadNamed(root, "contexts", "context", context, kubeconfig.contexts);
  if (!errors.empty()) return InvalidError(errors.Text(path));
  return kubeconfig;
}

}  // namespace berth::kube
