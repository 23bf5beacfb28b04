// SPDX-License-Identifier: Apache-2.0
#include "plugins/dynamic_resources/dynamic_resources_args.h"

#include "config/fields/field_errors.h"
#include "config/fields/go_duration.h"
#include "config/fields/scalars.h"

namespace berth::plugins {

using config::FormatGoDuration;
using features::Gate;

namespace {

bool DevicesMayHaveConditions(const features::FeatureGates& gates) {
  return gates.Enabled(Gate::DRADeviceBindingConditions) && gates.Enabled(Gate::DRAResourceClaimDeviceStatus);
}

}  // namespace

void DynamicResourcesArgs::AddGatedDefaults(const features::FeatureGates& gates) {
  if (gates.Enabled(Gate::DRASchedulerFilterTimeout)) filter_timeout = std::chrono::seconds(10);
  if (DevicesMayHaveConditions(gates)) binding_timeout = std::chrono::seconds(600);
}

void DynamicResourcesArgs::Decode(api::FieldReader& reader) {
  if (const auto timeout = config::ReadDuration(reader, "filterTimeout", true)) filter_timeout = timeout;
  if (const auto timeout = config::ReadDuration(reader, "bindingTimeout", true)) binding_timeout = timeout;
}

void DynamicResourcesArgs::Encode(api::Value& map) const {
  if (filter_timeout) map.Set("filterTimeout", api::Value::String(FormatGoDuration(*filter_timeout)));
  if (binding_timeout) map.Set("bindingTimeout", api::Value::String(FormatGoDuration(*binding_timeout)));
}

std::vector<std::string> DynamicResourcesArgs::Validate(const std::string& path,
                                                        const features::FeatureGates& gates) const {
  config::Messages messages;
  if (filter_timeout && !gates.Enabled(Gate::DRASchedulerFilterTimeout)) {
    messages.push_back(
        config::Forbidden(config::Child(path, "filterTimeout"), "DRASchedulingFilterTimeout feature gate is disabled"));
  } else if (filter_timeout && *filter_timeout < Duration{}) {
    messages.push_back(config::Invalid(config::Child(path, "filterTimeout"), FormatGoDuration(*filter_timeout),
                                       "must be zero or positive"));
  }
  if (binding_timeout && !DevicesMayHaveConditions(gates)) {
    messages.push_back(
        config::Forbidden(config::Child(path, "bindingTimeout"),
                          "DRADeviceBindingConditions or DRAResourceClaimDeviceStatus feature gate is disabled"));
  } else if (binding_timeout && *binding_timeout < std::chrono::seconds(1)) {
    messages.push_back(config::Invalid(config::Child(path, "bindingTimeout"), FormatGoDuration(*binding_timeout),
                                       "must be at least 1 second"));
  }
  return messages;
}

}  // namespace berth::plugins
