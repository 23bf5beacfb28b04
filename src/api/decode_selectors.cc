// SPDX-License-Identifier: Apache-2.0
#include "api/decode_selectors.h"

#include <fmt/format.h>

namespace berth::api {
namespace {

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

std::vector<NodeSelectorRequirement> DecodeNodeRequirements(FieldReader& reader, std::string_view key) {
  std::vector<NodeSelectorRequirement> requirements;
  reader.ForEach(key, [&](FieldReader& r) {
    requirements.push_back({r.String("key"), r.String("operator"), r.Strings("values")});
  });
  return requirements;
}

std::optional<InclusionPolicy> DecodePolicy(FieldReader& reader, std::string_view key) {
  const std::optional<std::string> text = reader.OptionalString(key);
  if (!text) return std::nullopt;
  if (*text == "Honor") return InclusionPolicy::Honor;
  if (*text == "Ignore") return InclusionPolicy::Ignore;
  reader.Fail(key, fmt::format("\"{}\" is neither Honor nor Ignore", *text));
  return std::nullopt;
}

}  // namespace

LabelSelector DecodeLabelSelector(FieldReader& reader) {
  LabelSelector selector;
  selector.match_labels = reader.LabelMap("matchLabels");
  reader.ForEach("matchExpressions", [&](FieldReader& r) {
    selector.match_expressions.push_back({r.String("key"), r.String("operator"), r.Strings("values")});
  });
  return selector;
}

std::optional<LabelSelector> DecodeLabelSelector(FieldReader& reader, std::string_view key) {
  std::optional<LabelSelector> selector;
  reader.Map(key, [&](FieldReader& r) { selector = DecodeLabelSelector(r); });
  return selector;
}

NodeSelectorTerm DecodeNodeSelectorTerm(FieldReader& reader) {
  return {DecodeNodeRequirements(reader, "matchExpressions"), DecodeNodeRequirements(reader, "matchFields")};
}

NodeSelector DecodeNodeSelector(FieldReader& reader) {
  NodeSelector selector;
  reader.ForEach("nodeSelectorTerms", [&](FieldReader& r) { selector.terms.push_back(DecodeNodeSelectorTerm(r)); });
  return selector;
}

std::optional<NodeSelector> DecodeNodeSelector(FieldReader& reader, std::string_view key) {
  std::optional<NodeSelector> selector;
  reader.Map(key, [&](FieldReader& r) { selector = DecodeNodeSelector(r); });
  return selector;
}

NodeAffinity DecodeNodeAffinity(FieldReader& reader) {
  NodeAffinity affinity;
  affinity.required = DecodeNodeSelector(reader, kRequired);
  reader.ForEach(kPreferred, [&](FieldReader& r) {
    PreferredSchedulingTerm term;
    term.weight = r.Int32("weight").value_or(0);
    r.Map("preference", [&](FieldReader& preference) { term.preference = DecodeNodeSelectorTerm(preference); });
    affinity.preferred.push_back(std::move(term));
  });
  return affinity;
}

PodAffinityTerm DecodePodAffinityTerm(FieldReader& reader) {
  PodAffinityTerm term;
  term.label_selector = DecodeLabelSelector(reader, "labelSelector");
  term.namespaces = reader.Strings("namespaces");
  term.namespace_selector = DecodeLabelSelector(reader, "namespaceSelector");
  term.topology_key = reader.String("topologyKey");
  return term;
}

PodAffinity DecodePodAffinity(FieldReader& reader) {
  PodAffinity affinity;
  reader.ForEach(kRequired, [&](FieldReader& r) { affinity.required.push_back(DecodePodAffinityTerm(r)); });
  reader.ForEach(kPreferred, [&](FieldReader& r) {
    WeightedPodAffinityTerm weighted;
    weighted.weight = r.Int32("weight").value_or(0);
    r.Map("podAffinityTerm", [&](FieldReader& term) { weighted.term = DecodePodAffinityTerm(term); });
    affinity.preferred.push_back(std::move(weighted));
  });
  return affinity;
}

Affinity DecodeAffinity(FieldReader& reader) {
  Affinity affinity;
  reader.Map("nodeAffinity", [&](FieldReader& r) { affinity.node = DecodeNodeAffinity(r); });
  reader.Map("podAffinity", [&](FieldReader& r) { affinity.pod = DecodePodAffinity(r); });
  reader.Map("podAntiAffinity", [&](FieldReader& r) { affinity.anti = DecodePodAffinity(r); });
  return affinity;
}

TopologySpreadConstraint DecodeTopologySpreadConstraint(FieldReader& reader) {
  TopologySpreadConstraint constraint;
  constraint.max_skew = reader.Int32("maxSkew").value_or(0);
  constraint.topology_key = reader.String("topologyKey");
  const std::string action = reader.String("whenUnsatisfiable");
  if (action == "ScheduleAnyway") {
    constraint.when_unsatisfiable = UnsatisfiableAction::ScheduleAnyway;
  } else if (action != "DoNotSchedule") {
    reader.Fail("whenUnsatisfiable", fmt::format("\"{}\" is neither DoNotSchedule nor ScheduleAnyway", action));
  }
  constraint.label_selector = DecodeLabelSelector(reader, "labelSelector");
  constraint.min_domains = reader.Int32("minDomains");
  constraint.node_affinity_policy = DecodePolicy(reader, "nodeAffinityPolicy");
  constraint.node_taints_policy = DecodePolicy(reader, "nodeTaintsPolicy");
  constraint.match_label_keys = reader.Strings("matchLabelKeys");
  return constraint;
}

}  // namespace berth::api
