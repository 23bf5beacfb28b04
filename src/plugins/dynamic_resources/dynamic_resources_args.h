// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "framework/plugin_args.h"

#include <optional>
#include <string>
#include <vector>

namespace berth::plugins {

struct DynamicResourcesArgs final : framework::TypedArgs {
  std::optional<Duration> filter_timeout = std::chrono::seconds(10);
  std::optional<Duration> binding_timeout = std::chrono::seconds(600);

  void Decode(api::FieldReader& reader) override;
  void Encode(api::Value& map) const override;
  std::vector<std::string> Validate(const std::string& path) const override;
};

}  // namespace berth::plugins
