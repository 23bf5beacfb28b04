// SPDX-License-Identifier: Apache-2.0
#include "plugins/pod_topology_spread/pod_topology_spread_args.h"

#include "config/fields/field_errors.h"
#include "config/fields/qualified_name.h"

#include <fmt/format.h>

namespace berth::plugins {
namespace {

using api::FieldReader;
using config::Child;
using config::Index;
using config::Invalid;

// Cluster objects are read leniently; configuration is not, hence readers that refuse unknown fields.
api::LabelSelector DecodeLabelSelector(FieldReader& reader) {
  api::LabelSelector selector;
  selector.match_labels = reader.LabelMap("matchLabels");
  reader.ForEach("matchExpressions", [&](FieldReader& map) {
    selector.match_expressions.push_back({map.String("key"), map.String("operator"), map.Strings("values")});
    map.RejectUnknown();
  });
  reader.RejectUnknown();
  return selector;
}

// As upstream has it, any other word is not Honor.
std::optional<api::InclusionPolicy> DecodePolicy(FieldReader& reader, std::string_view key) {
  const std::optional<std::string> word = reader.OptionalString(key);
  if (!word) return std::nullopt;
  return *word == "Honor" ? api::InclusionPolicy::Honor : api::InclusionPolicy::Ignore;
}

api::TopologySpreadConstraint DecodeConstraint(FieldReader& reader) {
  api::TopologySpreadConstraint constraint;
  constraint.max_skew = reader.Int32("maxSkew").value_or(0);
  constraint.topology_key = reader.String("topologyKey");
  constraint.when_unsatisfiable = reader.String("whenUnsatisfiable") == "ScheduleAnyway"
                                      ? api::UnsatisfiableAction::ScheduleAnyway
                                      : api::UnsatisfiableAction::DoNotSchedule;
  reader.Map("labelSelector", [&](FieldReader& map) { constraint.label_selector = DecodeLabelSelector(map); });
  constraint.min_domains = reader.Int32("minDomains");
  constraint.node_affinity_policy = DecodePolicy(reader, "nodeAffinityPolicy");
  constraint.node_taints_policy = DecodePolicy(reader, "nodeTaintsPolicy");
  constraint.match_label_keys = reader.Strings("matchLabelKeys");
  reader.RejectUnknown();
  return constraint;
}

}  // namespace

void PodTopologySpreadArgs::Decode(FieldReader& reader) {
  reader.ForEach("defaultConstraints", [&](FieldReader& map) { default_constraints.push_back(DecodeConstraint(map)); });
  if (const api::Value* written = reader.Raw("defaultConstraints")) written_constraints_ = *written;
  const std::string type = reader.String("defaultingType");
  if (!type.empty()) defaulting_type = type;
}

void PodTopologySpreadArgs::Encode(api::Value& map) const {
  if (!written_constraints_.is_null()) map.Set("defaultConstraints", written_constraints_);
  map.Set("defaultingType", api::Value::String(defaulting_type));
}

std::vector<std::string> PodTopologySpreadArgs::Validate(const std::string& path, const features::FeatureGates&) const {
  config::Messages messages;
  const std::string type = Child(path, "defaultingType");
  if (defaulting_type != "System" && defaulting_type != "List") {
    messages.push_back(config::Unsupported(type, defaulting_type, {"System", "List"}));
  } else if (defaulting_type == "System" && !default_constraints.empty()) {
    messages.push_back(Invalid(type, defaulting_type, "when .defaultConstraints are not empty"));
  }
  for (size_t i = 0; i < default_constraints.size(); ++i) {
    CheckConstraint(i, Child(path, "defaultConstraints"), messages);
  }
  return messages;
}

std::string PodTopologySpreadArgs::WrittenAction(size_t constraint) const {
  if (constraint >= written_constraints_.items().size()) return "";
  const api::Value* word = written_constraints_.items()[constraint].Find("whenUnsatisfiable");
  return word == nullptr ? "" : word->text();
}

void PodTopologySpreadArgs::CheckConstraint(size_t i, const std::string& list,
                                            std::vector<std::string>& messages) const {
  const api::TopologySpreadConstraint& constraint = default_constraints[i];
  const std::string at = Index(list, i);
  const std::string action = WrittenAction(i);
  if (constraint.max_skew <= 0) {
    messages.push_back(Invalid(Child(at, "maxSkew"), constraint.max_skew, "not in valid range (0, inf)"));
  }
  if (constraint.topology_key.empty()) {
    messages.push_back(config::Required(Child(at, "topologyKey"), "can not be empty"));
  } else {
    for (const std::string& problem : config::QualifiedNameProblems(constraint.topology_key)) {
      messages.push_back(Invalid(Child(at, "topologyKey"), constraint.topology_key, problem));
    }
  }
  if (action.empty()) {
    messages.push_back(config::Required(Child(at, "whenUnsatisfiable"), "can not be empty"));
  } else if (action != "DoNotSchedule" && action != "ScheduleAnyway") {
    messages.push_back(
        config::Unsupported(Child(at, "whenUnsatisfiable"), action, {"DoNotSchedule", "ScheduleAnyway"}));
  }
  if (constraint.label_selector) {
    messages.push_back(config::Forbidden(Child(at, "labelSelector"),
                                         "constraint must not define a selector, as they deduced for each pod"));
  }
  for (size_t j = 0; j < i; ++j) {
    if (default_constraints[j].topology_key == constraint.topology_key && WrittenAction(j) == action) {
      messages.push_back(config::Duplicate(at, fmt::format("{{{}, {}}}", constraint.topology_key, action)));
      break;
    }
  }
}

}  // namespace berth::plugins
