// SPDX-License-Identifier: Apache-2.0
#include "config/plan_extenders.h"

#include "config/brought_plugins.h"
#include "config/plugin_arguments.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

#include <fmt/format.h>

namespace berth::config {
namespace {

bool HasPem(const std::string& text) { return text.find("-----BEGIN ") != std::string::npos; }

// The given bytes, or those of the file; adds a problem when the file cannot be read.
std::string DataOrFile(const std::string& data, const std::string& file, Messages& problems) {
  if (!data.empty() || file.empty()) return data;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    problems.push_back(fmt::format("open {}: {}", file, std::strerror(errno)));
    return "";
  }
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void CheckTls(const ExtenderTls& tls, bool https, Messages& problems) {
  const bool has_ca = !tls.ca_file.empty() || !tls.ca_data.empty();
  const bool has_key_pair =
      (!tls.cert_file.empty() || !tls.cert_data.empty()) && (!tls.key_file.empty() || !tls.key_data.empty());
  // An HTTPS extender without a certificate authority is not verified.
  const bool insecure = tls.insecure || (https && !has_ca);
  const bool uses_tls = has_ca || has_key_pair || insecure || !tls.server_name.empty();
  if (!uses_tls) return;
  if (has_ca && insecure) {
    problems.emplace_back("specifying a root certificates file with the insecure flag is not allowed");
    return;
  }
  const size_t before = problems.size();
  const std::string ca = DataOrFile(tls.ca_data, tls.ca_file, problems);
  DataOrFile(tls.cert_data, tls.cert_file, problems);
  DataOrFile(tls.key_data, tls.key_file, problems);
  if (problems.size() == before && has_ca && !HasPem(ca)) {
    problems.emplace_back("unable to load root certificates: no certificate found");
  }
}

// The plugin that must ignore the resources an extender manages.
constexpr std::string_view kFit = "NodeResourcesFit";

api::Value IgnoredResources(const std::vector<Extender>& extenders) {
  api::Value names = api::Value::List();
  for (const Extender& extender : extenders) {
    for (const ExtenderResource& resource : extender.managed_resources) {
      if (resource.ignored_by_scheduler) names.Append(api::Value::String(resource.name));
    }
  }
  return names;
}

// A plugin that runs elsewhere is handed its own arguments in `config`.
void SetIgnored(api::Value& args, const api::Value& ignored, bool runs_elsewhere) {
  if (!runs_elsewhere) return args.Set("ignoredResources", ignored);
  const api::Value* given = args.Find("config");
  api::Value own = given != nullptr && given->is_map() ? *given : api::Value::Map();
  own.Set("ignoredResources", ignored);
  args.Set("config", std::move(own));
}

}  // namespace

Messages PrepareExtenders(SchedulerConfiguration& config, const framework::Registry& registry) {
  Messages problems;
  for (const Extender& extender : config.extenders) {
    if (extender.tls) CheckTls(*extender.tls, extender.enable_https, problems);
  }
  const api::Value ignored = IgnoredResources(config.extenders);
  if (!problems.empty() || ignored.items().empty()) return problems;
  for (ProfileConfig& profile : config.profiles) {
    const auto found = std::ranges::find(profile.plugin_config, kFit, &PluginConfig::name);
    if (found == profile.plugin_config.end()) return {"can't find NodeResourcesFitArgs in plugin config"};
    api::Value args = EncodeArgs(*found);
    if (!args.is_map()) args = api::Value::Map();
    SetIgnored(args, ignored, AreOfBroughtKind(registry, args));
    api::DecodeErrors errors;
    found->args = DecodeArgs(found->name, &args, "", registry, config.features, errors);
    if (!errors.empty()) problems.push_back(errors.Text(kFit));
  }
  return problems;
}

}  // namespace berth::config
