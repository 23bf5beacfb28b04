// SPDX-License-Identifier: Apache-2.0
#include "config/load.h"

#include "api/document.h"
#include "config/brought_plugins.h"
#include "config/convert/convert.h"
#include "config/decode.h"
#include "config/first_document.h"
#include "config/known_plugins.h"
#include "config/locate.h"
#include "config/plan.h"
#include "config/plugin_arguments.h"
#include "config/validate.h"

#include <fmt/format.h>

namespace berth::config {
namespace {

std::string Prefix(std::string_view source, api::Position at) {
  if (at.line == 0) return fmt::format("{}: ", source);
  return fmt::format("{}:{}:{}: ", source, at.line, at.column);
}

ConfigProblem Refused(Stage stage, std::string message) { return {stage, {std::move(message)}}; }

std::string TextAt(const api::Value& root, std::string_view key) {
  const api::Value* value = root.Find(key);
  return value != nullptr && value->is_string() ? value->text() : "";
}

// Why a document is not a configuration of any version; empty when it is.
std::string TypeProblem(const api::Value& root) {
  if (root.is_null()) return "Object 'Kind' is missing: the document is empty";
  if (!root.is_map()) return fmt::format("expected map, found {}", api::KindName(root.kind()));
  const std::string kind = TextAt(root, "kind");
  const std::string version = TextAt(root, "apiVersion");
  if (kind.empty()) return fmt::format("Object 'kind' is missing; write \"kind: {}\"", kKind);
  if (version.empty()) return fmt::format("Object 'apiVersion' is missing; write \"apiVersion: {}\"", kApiVersion);
  if ((version == kApiVersion && kind == kKind) || IsOlderVersion(version, kind)) return "";
  return fmt::format("no kind \"{}\" is registered for version \"{}\"; write \"apiVersion: {}\" and \"kind: {}\"", kind,
                     version, kApiVersion, kKind);
}

std::vector<std::string> Texts(const api::DecodeErrors& errors, std::string_view source) {
  std::vector<std::string> texts;
  for (const api::DecodeError& error : errors.errors()) {
    const std::string path = error.path.empty() ? "" : error.path + ": ";
    texts.push_back(Prefix(source, error.position) + path + error.message);
  }
  return texts;
}

std::vector<std::string> Located(const Messages& messages, std::string_view source, const api::Value& document) {
  std::vector<std::string> texts;
  for (const std::string& message : messages) {
    texts.push_back(Prefix(source, Locate(document, message.substr(0, message.find(": ")))) + message);
  }
  return texts;
}

// Upstream ignores arguments of plugins that take none, and so must we; but we note it.
void NoteIdleArgs(LoadedConfiguration& loaded, const framework::Registry& registry) {
  for (size_t i = 0; i < loaded.config.profiles.size(); ++i) {
    const std::vector<PluginConfig>& configs = loaded.config.profiles[i].plugin_config;
    for (size_t j = 0; j < configs.size(); ++j) {
      if (configs[j].args == nullptr || !TakesNoArgs(registry, configs[j].name)) continue;
      loaded.notes.push_back(
          fmt::format("profiles[{}].pluginConfig[{}].args: plugin {} takes no arguments, these have "
                      "no effect",
                      i, j, configs[j].name));
    }
  }
}

}  // namespace

std::string_view StageName(Stage stage) {
  switch (stage) {
    case Stage::Decode: return "decode";
    case Stage::Validate: return "validate";
    case Stage::Build: return "build";
  }
  return "";
}

OrProblem<LoadedConfiguration> LoadConfiguration(std::string_view text, std::string_view source,
                                                 const framework::Registry& given, const features::FeatureGates& gates,
                                                 const Override& precede) {
  Result<std::vector<api::Document>> documents = api::ReadDocuments(FirstDocument(text), source);
  if (!documents) return Refused(Stage::Decode, documents.error().message);
  LoadedConfiguration loaded;
  if (!documents->empty()) loaded.document = std::move(documents->front().root);
  const std::string problem = TypeProblem(loaded.document);
  if (!problem.empty()) return Refused(Stage::Decode, Prefix(source, loaded.document.position()) + problem);
  loaded.original_version = TextAt(loaded.document, "apiVersion");
  api::DecodeErrors errors;
  if (loaded.original_version != kApiVersion) {
    Converted converted = ConvertToV1(loaded.document, errors);
    if (!errors.empty()) return ConfigProblem{Stage::Decode, Texts(errors, source)};
    loaded.document = std::move(converted.document);
    loaded.notes = std::move(converted.notes);
  }
  loaded.registry = WithBroughtPlugins(given, loaded.document);
  const framework::Registry& registry = *loaded.registry;
  loaded.config = DecodeConfiguration(loaded.document, registry, gates, errors);
  if (!errors.empty()) return ConfigProblem{Stage::Decode, Texts(errors, source)};
  NoteIdleArgs(loaded, registry);
  ApplyDefaults(loaded.config, registry);
  if (precede) precede(loaded.config);
  const Messages messages = Validate(loaded.config);
  if (!messages.empty()) return ConfigProblem{Stage::Validate, Located(messages, source, loaded.document)};
  return loaded;
}

OrProblem<LoadedConfiguration> LoadConfigurationFile(const std::string& path, const framework::Registry& registry,
                                                     const features::FeatureGates& gates) {
  const Result<std::string> text = api::ReadText(path);
  if (!text) return Refused(Stage::Decode, text.error().message);
  return LoadConfiguration(*text, path, registry, gates);
}

OrProblem<PlannedConfiguration> LoadAndPlan(std::string_view text, std::string_view source,
                                            const framework::Registry& registry, const features::FeatureGates& gates,
                                            const Override& precede) {
  OrProblem<LoadedConfiguration> loaded = LoadConfiguration(text, source, registry, gates, precede);
  if (const auto* problem = std::get_if<ConfigProblem>(&loaded)) return *problem;
  PlannedConfiguration planned{std::get<LoadedConfiguration>(std::move(loaded)), {}};
  PlanOutcome outcome = PlanAll(planned.loaded.config, *planned.loaded.registry);
  if (!outcome.problems.empty()) {
    ConfigProblem problem{Stage::Build, {}};
    for (const PlanProblem& found : outcome.problems) {
      const api::Position at =
          found.plugin.empty() ? api::Position{} : LocatePlugin(planned.loaded.document, found.profile, found.plugin);
      problem.messages.push_back(Prefix(source, at) + found.message);
    }
    return problem;
  }
  planned.plans = std::move(outcome.plans);
  return planned;
}

OrProblem<PlannedConfiguration> LoadAndPlanFile(const std::string& path, const framework::Registry& registry,
                                                const features::FeatureGates& gates, const Override& precede) {
  const Result<std::string> text = api::ReadText(path);
  if (!text) return Refused(Stage::Decode, text.error().message);
  return LoadAndPlan(*text, path, registry, gates, precede);
}

}  // namespace berth::config
