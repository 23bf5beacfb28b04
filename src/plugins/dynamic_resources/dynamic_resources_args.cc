// SPDX-License-Identifier: Apache-2.0
#include "plugins/dynamic_resources/dynamic_resources_args.h"

#include "config/fields/field_errors.h"
#include "config/fields/go_duration.h"
#include "config/fields/scalars.h"

namespace berth::plugins {

using config::FormatGoDuration;

void DynamicResourcesArgs::Decode(api::FieldReader& reader) {
  if (const auto timeout = config::ReadDuration(reader, "filterTimeout", true)) filter_timeout = timeout;
  if (const auto timeout = config::ReadDuration(reader, "bindingTimeout", true)) binding_timeout = timeout;
}

void DynamicResourcesArgs::Encode(api::Value& map) const {
  if (filter_timeout) map.Set("filterTimeout", api::Value::String(FormatGoDuration(*filter_timeout)));
  if (binding_timeout) map.Set("bindingTimeout", api::Value::String(FormatGoDuration(*binding_timeout)));
}

std::vector<std::string> DynamicResourcesArgs::Validate(const std::string& path) const {
  config::Messages messages;
  if (filter_timeout && *filter_timeout < Duration{}) {
    messages.push_back(config::Invalid(config::Child(path, "filterTimeout"), FormatGoDuration(*filter_timeout),
                                       "must be zero or positive"));
  }
  if (binding_timeout && *binding_timeout < std::chrono::seconds(1)) {
    messages.push_back(config::Invalid(config::Child(path, "bindingTimeout"), FormatGoDuration(*binding_timeout),
                                       "must be at least 1 second"));
  }
  return messages;
}

}  // namespace berth::plugins
