// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "api/value.h"
#include "features/feature_gates.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::framework {

// A plugin's arguments: TypedArgs for plugins that declare a type, RawArgs for those that do not.
class PluginArgs {
 public:
  virtual ~PluginArgs() = default;
};

using PluginArgsPtr = std::shared_ptr<const PluginArgs>;

// Arguments as they stand in the configuration, for plugins that read the document themselves.
struct RawArgs final : PluginArgs {
  api::Value value;
};

// Arguments that know how to read, check and write themselves. A plugin derives a struct from this and declares it as
// its `Args`; the struct's member initialisers are the defaults. In configurations its kind is "<plugin name>Args" of
// kube-scheduler's API, unless it has its own.
class TypedArgs : public PluginArgs {
 public:
  // The API version and the kind of arguments that are the same for many plugins.
  struct OwnKind {
    std::string_view api_version;
    std::string_view kind;
  };
  virtual std::optional<OwnKind> own_kind() const { return std::nullopt; }

  // Completes the defaults with those that depend on feature gates. Called once, before anything is read.
  virtual void AddGatedDefaults(const features::FeatureGates&) {}

  // Reads the fields of a document over the defaults and notes in the reader what is wrong. apiVersion and kind have
  // been checked; fields that were not asked for are refused afterwards.
  virtual void Decode(api::FieldReader& reader) = 0;

  // Writes every field, defaults included: reading the result gives the same arguments.
  virtual void Encode(api::Value& map) const = 0;

  // What is wrong with the values, and which of them no gate allows. Each message begins with the path of its field,
  // which lies below `path`; there are words for them in config/fields/field_errors.h.
  virtual std::vector<std::string> Validate(const std::string& /*path*/, const features::FeatureGates&) const {
    return {};
  }

  // Whether Validate is asked only in profiles that enable the plugin, and what it says is an error of building the
  // plugin rather than of the configuration. `path` is empty then.
  virtual bool validated_when_built() const { return false; }
};

}  // namespace berth::framework
