// SPDX-License-Identifier: Apache-2.0
#include "config/args/decode_selectors.h"

namespace berth::config {
namespace {

using api::FieldReader;

std::vector<api::NodeSelectorRequirement> DecodeRequirements(FieldReader& reader, std::string_view key) {
  std::vector<api::NodeSelectorRequirement> requirements;
  reader.ForEach(key, [&](FieldReader& map) {
    requirements.push_back({map.String("key"), map.String("operator"), map.Strings("values")});
    map.RejectUnknown();
  });
  return requirements;
}

api::NodeSelectorTerm DecodeTerm(FieldReader& reader) {
  api::NodeSelectorTerm term{DecodeRequirements(reader, "matchExpressions"), DecodeRequirements(reader, "matchFields")};
  reader.RejectUnknown();
  return term;
}

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

std::optional<api::InclusionPolicy> DecodePolicy(FieldReader& reader, std::string_view key) {
  const std::optional<std::string> word = reader.OptionalString(key);
  if (!word) return std::nullopt;
  return *word == "Honor" ? api::InclusionPolicy::Honor : api::InclusionPolicy::Ignore;
}

}  // namespace

api::NodeAffinity DecodeNodeAffinity(FieldReader& reader) {
  api::NodeAffinity affinity;
  reader.Map("requiredDuringSchedulingIgnoredDuringExecution", [&](FieldReader& map) {
    affinity.required.emplace();
    map.ForEach("nodeSelectorTerms", [&](FieldReader& term) { affinity.required->terms.push_back(DecodeTerm(term)); });
    map.RejectUnknown();
  });
  reader.ForEach("preferredDuringSchedulingIgnoredDuringExecution", [&](FieldReader& map) {
    api::PreferredSchedulingTerm preferred;
    preferred.weight = map.Int32("weight").value_or(0);
    map.Map("preference", [&](FieldReader& term) { preferred.preference = DecodeTerm(term); });
    map.RejectUnknown();
    affinity.preferred.push_back(std::move(preferred));
  });
  reader.RejectUnknown();
  return affinity;
}

api::TopologySpreadConstraint DecodeSpreadConstraint(FieldReader& reader) {
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

}  // namespace berth::config
