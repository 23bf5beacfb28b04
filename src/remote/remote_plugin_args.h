// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "features/feature_gates.h"
#include "framework/extension_point.h"
#include "framework/plugin_args.h"
#include "framework/registry.h"
#include "remote/address.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::remote {

inline constexpr std::string_view kArgsApiVersion = "plugin.berth.dev/v1";
inline constexpr std::string_view kArgsKind = "RemotePluginArgs";

// What becomes of a step whose call fails.
enum class FailurePolicy : uint8_t {
  Fail,      // the step fails, with the plugin's name
  Ignore,    // it goes on as if the plugin had nothing to say
  Fallback,  // another plugin of the program answers
};

// What a launched program may use; nothing means no limit of ours.
struct RemoteLimits {
  std::optional<int64_t> memory;  // bytes
  std::optional<int64_t> open_files;
  std::optional<int64_t> processes;
};

// The plugin that answers when the remote one does not.
struct RemoteFallback {
  std::string name;
  framework::PluginArgsPtr args;
};

// Where a plugin in another process is found, and how it is treated. The same for all such plugins.
struct RemotePluginArgs final : framework::TypedArgs {
  // `program`: the plugins that may serve as fallback; null where there are none.
  explicit RemotePluginArgs(std::shared_ptr<const framework::Registry> program = nullptr)
      : program_(std::move(program)) {}

  std::string endpoint;
  std::vector<std::string> command;
  TlsFiles tls;
  std::vector<framework::ExtensionPoint> points;
  std::vector<std::string> kinds;
  Duration timeout = std::chrono::milliseconds(500);
  Duration start_timeout = std::chrono::seconds(10);
  FailurePolicy failure_policy = FailurePolicy::Fail;
  std::optional<RemoteFallback> fallback;
  int32_t max_in_flight = 64;
  bool whole_objects = false;
  RemoteLimits limits;
  api::Value config;  // the plugin's own arguments; null when there are none

  std::optional<OwnKind> own_kind() const override { return OwnKind{kArgsApiVersion, kArgsKind}; }
  void AddGatedDefaults(const features::FeatureGates& gates) override { gates_ = gates; }
  void Decode(api::FieldReader& reader) override;
  void Encode(api::Value& map) const override;
  std::vector<std::string> Validate(const std::string& path, const features::FeatureGates& gates) const override;

 private:
  void DecodeFallback(api::FieldReader& reader);
  void ValidateFallback(const std::string& path, std::vector<std::string>& messages) const;

  std::shared_ptr<const framework::Registry> program_;
  features::FeatureGates gates_;
};

// Whether a plugin with these arguments, of whatever kind they are, is told all that homes have of nodes and pods.
bool WantsWholeObjects(const framework::PluginArgs& args);

}  // namespace berth::remote
