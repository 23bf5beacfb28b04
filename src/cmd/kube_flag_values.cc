// SPDX-License-Identifier: Apache-2.0
#include "cmd/kube_flag_values.h"

#include "api/quantity.h"
#include "cmd/kube_version.h"
#include "config/fields/field_errors.h"
#include "flags/go_numbers.h"

#include <algorithm>
#include <regex>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::cmd {
namespace {

constexpr int kVerbosityBits = 31;  // so that it fits an int

std::vector<std::string_view> SplitAt(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string WithoutSpaces(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1));
}

Result<NamedCertificate> ParseNamedCertificate(std::string_view text) {
  NamedCertificate certificate;
  const size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    const std::string names = WithoutSpaces(text.substr(colon + 1));
    if (names.empty()) return InvalidError("empty names list is not allowed");
    for (const std::string_view name : SplitAt(names, ',')) certificate.names.push_back(WithoutSpaces(name));
  }
  const std::vector<std::string_view> files = SplitAt(text.substr(0, colon), ',');
  if (files.size() != 2) return InvalidError("expected comma separated certificate and key file paths");
  certificate.cert_file = WithoutSpaces(files[0]);
  certificate.key_file = WithoutSpaces(files[1]);
  return certificate;
}

std::string CertificateText(const NamedCertificate& certificate) {
  const std::string files = certificate.cert_file + "," + certificate.key_file;
  return certificate.names.empty() ? files : fmt::format("{}:{}", files, fmt::join(certificate.names, ","));
}

Result<log::ModuleLevel> ParseModuleLevel(std::string_view item) {
  const std::vector<std::string_view> parts = SplitAt(item, '=');
  if (parts.size() != 2 || parts[0].empty() || parts[1].empty()) {
    return InvalidError(config::Quoted(item) + " does not have the pattern=N format");
  }
  const Result<uint64_t> verbosity = flags::ParseGoUint(parts[1], kVerbosityBits);
  if (!verbosity) {
    return InvalidError(fmt::format("parsing verbosity in {}: {}", config::Quoted(item), verbosity.error().message));
  }
  return log::ModuleLevel{std::string(parts[0]), static_cast<int>(*verbosity)};
}

std::string QuantityProblem(const std::string& text) {
  const std::regex number_and_suffix(R"([+-]?[0-9]*\.?[0-9]*[eEinumkKMGTP]+[+-]?[0-9]*)");
  if (std::regex_match(text, number_and_suffix)) return "unable to parse quantity's suffix";
  return "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
}

}  // namespace

flags::FlagValue NamedCertificatesValue(std::vector<NamedCertificate>& variable) {
  const auto set = [&variable](std::string_view text) -> Result<void> {
    BERTH_ASSIGN_OR_RETURN(NamedCertificate certificate, ParseNamedCertificate(text));
    variable.push_back(std::move(certificate));
    return {};
  };
  const auto text = [&variable] {
    std::vector<std::string> texts(variable.size());
    std::ranges::transform(variable, texts.begin(), CertificateText);
    return fmt::format("[{}]", fmt::join(texts, ";"));
  };
  return {"namedCertKey", set, text};
}

flags::FlagValue VerbosityValue(int& variable) {
  const auto set = [&variable](std::string_view text) -> Result<void> {
    BERTH_ASSIGN_OR_RETURN(const uint64_t verbosity, flags::ParseGoUint(text, kVerbosityBits));
    variable = static_cast<int>(verbosity);
    return {};
  };
  return {"Level", set, [&variable] { return std::to_string(variable); }};
}

flags::FlagValue ModuleLevelsValue(std::vector<log::ModuleLevel>& variable) {
  const auto set = [&variable](std::string_view text) -> Result<void> {
    for (const std::string_view item : SplitAt(text, ',')) {
      if (item.empty()) continue;
      BERTH_ASSIGN_OR_RETURN(log::ModuleLevel level, ParseModuleLevel(item));
      variable.push_back(std::move(level));
    }
    return {};
  };
  const auto text = [&variable] {
    std::vector<std::string> items;
    for (const log::ModuleLevel& level : variable)
      items.push_back(fmt::format("{}={}", level.pattern, level.verbosity));
    return fmt::format("{}", fmt::join(items, ","));
  };
  return {"pattern=N,...", set, text};
}

flags::FlagValue BytesValue(int64_t& variable) {
  const auto set = [&variable](std::string_view text) -> Result<void> {
    const Result<api::Quantity> amount = api::Quantity::Parse(text);
    if (!amount) return InvalidError(QuantityProblem(std::string(text)));
    variable = amount->Value();
    return {};
  };
  return {"quantity", set, [&variable] { return std::to_string(variable); }};
}

flags::FlagValue VersionValue(KubeFlags& variable) {
  const auto set = [&variable](std::string_view text) -> Result<void> {
    if (text == "raw") {
      variable.version = VersionRequest::Raw;
    } else if (text.starts_with('v')) {
      BERTH_RETURN_IF_ERROR(CheckReportedVersion(text));
      variable.version = VersionRequest::None;
      variable.reported_version = text;
    } else {
      BERTH_ASSIGN_OR_RETURN(const bool wanted, flags::ParseGoBool(text));
      variable.version = wanted ? VersionRequest::Short : VersionRequest::None;
    }
    return {};
  };
  const auto text = [&variable]() -> std::string {
    switch (variable.version) {
      case VersionRequest::Raw: return "raw";
      case VersionRequest::Short: return "true";
      case VersionRequest::None: break;
    }
    return variable.reported_version.empty() ? "false" : variable.reported_version;
  };
  return {"version", set, text};
}

flags::FlagValue GatesValue(std::vector<std::string>& variable) {
  const auto set = [&variable](std::string_view text) -> Result<void> {
    variable.emplace_back(text);
    return {};
  };
  return {"colonSeparatedMultimapStringString", set,
          [&variable] { return fmt::format("{}", fmt::join(variable, ",")); }};
}

}  // namespace berth::cmd
