// SPDX-License-Identifier: Apache-2.0
#include "cmd/metric_label_flags.h"

#include "api/document.h"
#include "api/value.h"
#include "features/version.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace berth::cmd {
namespace {

using config::Invalid;
using config::InvalidRaw;

constexpr std::string_view kMetricName = "[a-zA-Z_:][a-zA-Z0-9_:]*";
constexpr std::string_view kLabelName = "[a-zA-Z_][a-zA-Z0-9_]*";

bool IsName(std::string_view text, bool with_colons) {
  const auto letter = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (with_colons && c == ':');
  };
  return !text.empty() && letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

bool IsKey(std::string_view key) {
  const size_t comma = key.find(',');
  return comma != std::string_view::npos && IsName(key.substr(0, comma), true) && IsName(key.substr(comma + 1), false);
}

api::Value AsMap(const std::map<std::string, std::string>& labels) {
  api::Value map = api::Value::Map();
  for (const auto& [key, values] : labels) map.Set(key, api::Value::String(values));
  return map;
}

api::Value AsList(const std::vector<std::string>& names) {
  api::Value list = api::Value::List();
  for (const std::string& name : names) list.Append(api::Value::String(name));
  return list;
}

std::string LabelsProblem(std::string_view path, const std::map<std::string, std::string>& labels) {
  if (std::ranges::all_of(labels, [](const auto& entry) { return IsKey(entry.first); })) return "";
  return InvalidRaw(path, api::ToJson(AsMap(labels)),
                    fmt::format("must have keys with format `metricName,labelName` where metricName matches \"{}\" and "
                                "labelName matches \"{}\"",
                                kMetricName, kLabelName));
}

Result<std::map<std::string, std::string>> ReadManifest(const std::string& path) {
  const Result<std::string> text = api::ReadText(path);
  if (!text) return InvalidError("failed to read allow list manifest: " + text.error().message);
  const Result<std::vector<api::Document>> documents = api::ReadDocuments(*text, path);
  if (!documents) return InvalidError("failed to parse allow list manifest: " + documents.error().message);
  std::map<std::string, std::string> labels;
  if (documents->empty() || documents->front().root.is_null()) return labels;
  const api::Value& root = documents->front().root;
  if (!root.is_map()) return InvalidError("failed to parse allow list manifest: it is not a map");
  for (const api::Value::Member& member : root.members()) {
    if (!member.value.is_string()) {
      return InvalidError(fmt::format("failed to parse allow list manifest: {} is not a string", member.key));
    }
    labels[member.key] = member.value.text();
  }
  return labels;
}

// The flags as the configuration of which kube-scheduler speaks.
std::string MetricsJson(const MetricsFlags& flags) {
  api::Value map = api::Value::Map();
  if (!flags.show_hidden_metrics_for_version.empty()) {
    map.Set("showHiddenMetricsForVersion", api::Value::String(flags.show_hidden_metrics_for_version));
  }
  if (!flags.disabled_metrics.empty()) map.Set("disabledMetrics", AsList(flags.disabled_metrics));
  if (!flags.allow_metric_labels.empty()) map.Set("allowListMapping", AsMap(flags.allow_metric_labels));
  map.Set("allowListMappingManifest", api::Value::String(flags.allow_metric_labels_manifest));
  return api::ToJson(map);
}

std::string ManifestProblem(const std::string& file) {
  constexpr std::string_view kPath = "metrics.allowListMappingManifest";
  if (file.empty()) return "";
  const Result<std::map<std::string, std::string>> labels = ReadManifest(file);
  if (!labels) return Invalid(kPath, file, labels.error().message);
  const std::string problem = LabelsProblem(kPath, *labels);
  if (problem.empty()) return "";
  return Invalid(kPath, file, fmt::format("invalid allow list mapping in manifest: [{}]", problem));
}

}  // namespace

config::Messages MetricsFlagsProblems(const MetricsFlags& flags, bool has_labels) {
  config::Messages problems;
  const std::string previous = features::kOwnVersion.PreviousMinor().Text();
  const std::string& shown = flags.show_hidden_metrics_for_version;
  if (!shown.empty() && shown != previous) {
    problems.push_back(Invalid(
        "metrics.showHiddenMetricsForVersion", shown,
        fmt::format("must be omitted or have the value '{}'; only the previous minor version is allowed", previous)));
  }
  const auto bad =
      std::ranges::find_if_not(flags.disabled_metrics, [](const auto& name) { return IsName(name, true); });
  if (bad != flags.disabled_metrics.end()) {
    problems.push_back(InvalidRaw("metrics.disabledMetrics", api::ToJson(AsList(flags.disabled_metrics)),
                                  fmt::format("must be fully qualified metric names matching \"^{}$\", got {}",
                                              kMetricName, config::Quoted(*bad))));
  }
  for (std::string problem : {LabelsProblem("metrics.allowListMapping", flags.allow_metric_labels),
                              ManifestProblem(flags.allow_metric_labels_manifest)}) {
    if (!problem.empty()) problems.push_back(std::move(problem));
  }
  if (has_labels && !flags.allow_metric_labels_manifest.empty()) {
    problems.push_back(
        InvalidRaw("metrics", MetricsJson(flags), "cannot specify both allowListMapping and allowListMappingManifest"));
  }
  return problems;
}

Result<std::map<std::string, std::string>> AllowedMetricLabels(const MetricsFlags& flags) {
  if (!flags.allow_metric_labels.empty() || flags.allow_metric_labels_manifest.empty()) {
    return flags.allow_metric_labels;
  }
  return ReadManifest(flags.allow_metric_labels_manifest);
}

}  // namespace berth::cmd
