// SPDX-License-Identifier: Apache-2.0
#include "cmd/kube_version.h"

#include "config/fields/field_errors.h"
#include "features/version.h"

#include <regex>
#include <utility>

#include <fmt/format.h>

namespace berth::cmd {
namespace {

constexpr std::string_view kRelease = "1.36.4";

#if defined(__x86_64__)
constexpr std::string_view kPlatform = "linux/amd64";
#elif defined(__aarch64__)
constexpr std::string_view kPlatform = "linux/arm64";
#else
constexpr std::string_view kPlatform = "linux";
#endif

#if defined(__clang__)
constexpr std::string_view kCompiler = "clang";
#else
constexpr std::string_view kCompiler = "gcc";
#endif

}  // namespace

std::string KubeVersion() { return fmt::format("v{}+berth.{}", kRelease, BERTH_VERSION); }

std::string_view KubePlatform() { return kPlatform; }

Result<void> CheckReportedVersion(std::string_view version) {
  const std::regex numbers_first(R"(\s*v?(\d+(?:\.\d+)*)(.*))");
  const std::regex three_numbers(R"(\d+\.\d+\.\d+)");
  const std::regex zero_first(R"((?:.*\.)?(0\d+)(?:\..*)?)");
  const std::regex suffix(R"((?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?\s*)");
  const std::string text(version);
  const std::string quoted = config::Quoted(version);
  std::smatch parts;
  if (!std::regex_match(text, parts, numbers_first)) {
    return InvalidError(fmt::format("could not parse {} as version", quoted));
  }
  if (!std::regex_match(parts[1].str(), three_numbers)) {
    return InvalidError(fmt::format("illegal version string {}", quoted));
  }
  const std::string numbers = parts[1];
  if (std::smatch zeros; std::regex_match(numbers, zeros, zero_first)) {
    return InvalidError(
        fmt::format("illegal zero-prefixed version component {} in {}", config::Quoted(zeros[1].str()), quoted));
  }
  if (!std::regex_match(parts[2].str(), suffix)) {
    return InvalidError(fmt::format("could not parse pre-release/metadata ({}) in version {}", parts[2].str(), quoted));
  }
  if (numbers != kRelease) {
    return InvalidError(fmt::format("version {} must match major/minor/patch of default version {}", quoted,
                                    config::Quoted(KubeVersion())));
  }
  return {};
}

metrics::BuildInfo KubeBuild(std::string version) {
  metrics::BuildInfo build;
  build.major = std::to_string(features::kOwnVersion.major);
  build.minor = std::to_string(features::kOwnVersion.minor);
  build.git_version = std::move(version);
  build.compiler = kCompiler;
  build.platform = kPlatform;
  return build;
}

std::string RawVersion(const metrics::BuildInfo& build) {
  return fmt::format(
      "version.Info{{Major:\"{}\", Minor:\"{}\", EmulationMajor:\"\", EmulationMinor:\"\", MinCompatibilityMajor:\"\", "
      "MinCompatibilityMinor:\"\", GitVersion:\"{}\", GitCommit:\"{}\", GitTreeState:\"{}\", BuildDate:\"{}\", "
      "GoVersion:\"{}\", Compiler:\"{}\", Platform:\"{}\"}}",
      build.major, build.minor, build.git_version, build.git_commit, build.git_tree_state, build.build_date,
      build.go_version, build.compiler, build.platform);
}

}  // namespace berth::cmd
