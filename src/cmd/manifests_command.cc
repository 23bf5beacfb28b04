// SPDX-License-Identifier: Apache-2.0
#include "cmd/manifests_command.h"

#include "api/document.h"
#include "base/check.h"
#include "base/result.h"
#include "cmd/manifests.h"

#include <algorithm>
#include <ostream>
#include <string_view>

#include <fmt/format.h>

namespace berth::cmd {
namespace {

// Competes for kube-scheduler's lease, so it stays where that is.
constexpr std::string_view kTakesOver = "replace";

// An RFC 1123 label, as every namespace is named.
bool IsNamespace(std::string_view name) {
  constexpr std::string_view kMayHave = "abcdefghijklmnopqrstuvwxyz0123456789-";
  return !name.empty() && name.size() <= 63 && name.find_first_not_of(kMayHave) == name.npos && name.front() != '-' &&
         name.back() != '-';
}

bool IsImage(std::string_view name) {
  return !name.empty() && std::ranges::none_of(name, [](char c) { return c <= ' ' || c > '~'; });
}

// The value of a line like "  key: value" or "- key: value"; null when it is about something else.
std::string_view ValueOf(std::string_view line, std::string_view key) {
  line.remove_prefix(std::min(line.find_first_not_of(" -"), line.size()));
  return line.starts_with(key) ? line.substr(key.size()) : std::string_view();
}

std::string WithValue(std::string_view line, std::string_view value, const std::string& instead) {
  std::string text = api::ToYaml(api::Value::String(instead));  // quoted where YAML needs it
  text.erase(text.find_last_not_of('\n') + 1);
  return fmt::format("{}{}", line.substr(0, line.size() - value.size()), text);
}

// The namespace of the overlay's objects: that of its first object that has one.
std::string_view NamespaceOf(std::string_view manifests) {
  constexpr std::string_view kKey = "\n  namespace: ";
  const size_t begin = manifests.find(kKey) + kKey.size();
  return manifests.substr(begin, manifests.find('\n', begin) - begin);
}

void Print(std::string_view manifests, const ManifestsOptions& options, std::ostream& out) {
  const std::string_view usual = NamespaceOf(manifests);
  while (!manifests.empty()) {
    const std::string_view line = manifests.substr(0, manifests.find('\n'));
    manifests.remove_prefix(std::min(line.size() + 1, manifests.size()));
    // A Namespace is the only object that is named like the namespace.
    const bool names_it = ValueOf(line, "namespace: ") == usual || ValueOf(line, "name: ") == usual;
    const std::string_view image = ValueOf(line, "image: ");
    if (names_it && !options.name_space.empty()) {
      out << WithValue(line, usual, options.name_space) << '\n';
    } else if (!image.empty() && !options.image.empty()) {
      out << WithValue(line, image, options.image) << '\n';
    } else {
      out << line << '\n';
    }
  }
}

Result<void> Check(const ManifestsOptions& options) {
  if (!options.image.empty() && !IsImage(options.image)) {
    return InvalidError(fmt::format("\"{}\" cannot be the name of an image", options.image));
  }
  if (options.name_space.empty()) return {};
  if (!IsNamespace(options.name_space)) {
    return InvalidError(fmt::format("\"{}\" cannot be the name of a namespace", options.name_space));
  }
  if (options.overlay == kTakesOver) {
    return InvalidError("what takes kube-scheduler's place uses its lease in kube-system: leave --namespace out");
  }
  return {};
}

}  // namespace

int RunManifests(const ManifestsOptions& options, const Streams& streams) {
  const auto overlay = std::ranges::find(Overlays(), options.overlay, &Overlay::name);
  BERTH_CHECK(overlay != Overlays().end());
  if (const Result<void> checked = Check(options); !checked) {
    *streams.err << "berth manifests: " << checked.error().message << '\n';
    return kExitUsage;
  }
  Print(overlay->manifests, options, *streams.out);
  return kExitOk;
}

}  // namespace berth::cmd
