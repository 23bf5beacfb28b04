// SPDX-License-Identifier: Apache-2.0
#include "api/encode_parts.h"

namespace berth::api {
namespace {

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

MapWriter Requirements(const ResourceRequirements& resources) {
  MapWriter map;
  map.Amounts("requests", resources.requests).Amounts("limits", resources.limits);
  return map;
}

Value EncodePort(const ContainerPort& port) {
  const auto unless_zero = [](int32_t number) { return number == 0 ? std::nullopt : std::optional(number); };
  return MapWriter()
      .Number("containerPort", unless_zero(port.container_port))
      .Number("hostPort", unless_zero(port.host_port))
      .Text("hostIP", port.host_ip)
      .Text("protocol", port.protocol)
      .Take();
}

Value EncodeContainer(const Container& container) {
  std::vector<std::string> rules;
  if (container.restarts_all_containers) rules.emplace_back("RestartAllContainers");
  return MapWriter()
      .Text("name", container.name)
      .Text("image", container.image)
      .Map("resources", Requirements(container.resources))
      .List("ports", container.ports, EncodePort)
      .Text("restartPolicy", container.restart_policy)
      .List("restartPolicyRules", rules,
            [](const std::string& rule) { return MapWriter().Text("action", rule).Take(); })
      .Take();
}

Value EncodeTerm(const PodAffinityTerm& term) {
  return MapWriter()
      .Selector("labelSelector", term.label_selector)
      .Texts("namespaces", term.namespaces)
      .Selector("namespaceSelector", term.namespace_selector)
      .Text("topologyKey", term.topology_key)
      .Take();
}

Value EncodePodAffinity(const PodAffinity& affinity) {
  return MapWriter()
      .List(kRequired, affinity.required, EncodeTerm)
      .List(kPreferred, affinity.preferred,
            [](const WeightedPodAffinityTerm& weighted) {
              return MapWriter()
                  .Number("weight", weighted.weight)
                  .Put("podAffinityTerm", EncodeTerm(weighted.term))
                  .Take();
            })
      .Take();
}

Value EncodeNodeAffinity(const NodeAffinity& affinity) {
  return MapWriter()
      .NodeTerms(kRequired, affinity.required)
      .List(
          kPreferred, affinity.preferred,
          [](const PreferredSchedulingTerm& term) {
            return MapWriter().Number("weight", term.weight).Put("preference", EncodeNodeTerm(term.preference)).Take();
          })
      .Take();
}

Value EncodeAffinity(const Affinity& affinity) {
  MapWriter map;
  if (affinity.node) map.Put("nodeAffinity", EncodeNodeAffinity(*affinity.node));
  if (affinity.pod) map.Put("podAffinity", EncodePodAffinity(*affinity.pod));
  if (affinity.anti) map.Put("podAntiAffinity", EncodePodAffinity(*affinity.anti));
  return map.Take();
}

Value EncodeToleration(const Toleration& toleration) {
  return MapWriter()
      .Text("key", toleration.key)
      .Text("operator", toleration.op)
      .Text("value", toleration.value)
      .Text("effect", EffectName(toleration.effect))
      .Take();
}

Value EncodeSpread(const TopologySpreadConstraint& constraint) {
  const auto policy = [](const std::optional<InclusionPolicy>& given) -> std::string_view {
    return !given ? "" : *given == InclusionPolicy::Honor ? "Honor" : "Ignore";
  };
  const bool anyway = constraint.when_unsatisfiable == UnsatisfiableAction::ScheduleAnyway;
  return MapWriter()
      .Number("maxSkew", constraint.max_skew)
      .Text("topologyKey", constraint.topology_key)
      .Text("whenUnsatisfiable", anyway ? "ScheduleAnyway" : "DoNotSchedule")
      .Selector("labelSelector", constraint.label_selector)
      .Number("minDomains", constraint.min_domains)
      .Text("nodeAffinityPolicy", policy(constraint.node_affinity_policy))
      .Text("nodeTaintsPolicy", policy(constraint.node_taints_policy))
      .Texts("matchLabelKeys", constraint.match_label_keys)
      .Take();
}

Value EncodeVolume(const Volume& volume) {
  MapWriter map;
  map.Text("name", volume.name);
  if (auto [field, source] = EncodeSource(volume); !field.empty()) map.Put(field, std::move(source));
  return map.Take();
}

Value Named(const std::string& name) { return MapWriter().Text("name", name).Take(); }

MapWriter EncodeSpec(const Pod& pod) {
  const PodSpec& spec = *pod.spec;
  MapWriter map;
  map.Text("nodeName", pod.node_name)
      .List("containers", spec.containers, EncodeContainer)
      .List("initContainers", spec.init_containers, EncodeContainer);
  if (spec.resources) map.Put("resources", Requirements(*spec.resources).Take());
  map.Amounts("overhead", spec.overhead)
      .Text("schedulerName", spec.scheduler_name)
      .Number("priority", spec.priority)
      .Text("priorityClassName", spec.priority_class_name)
      .Text("preemptionPolicy", spec.preemption_policy)
      .Pairs("nodeSelector", spec.node_selector);
  if (spec.affinity != nullptr) map.Put("affinity", EncodeAffinity(*spec.affinity));
  map.List("tolerations", spec.tolerations, EncodeToleration)
      .List("topologySpreadConstraints", spec.topology_spread_constraints, EncodeSpread)
      .List("schedulingGates", spec.scheduling_gates, Named)
      .List("resourceClaims", spec.resource_claims, Named)
      .List("volumes", spec.volumes, EncodeVolume)
      .Flag("hostNetwork", spec.host_network);
  if (spec.host_users) map.Put("hostUsers", Value::Bool(*spec.host_users));
  map.Number("terminationGracePeriodSeconds", spec.termination_grace_period_seconds);
  return map;
}

Value EncodeContainerStatus(const ContainerStatus& status) {
  MapWriter map;
  map.Text("name", status.name);
  if (status.resources) map.Put("resources", Requirements(*status.resources).Take());
  return map.Amounts("allocatedResources", status.allocated_resources).Take();
}

void EncodeGeneratedClaims(const GeneratedClaims& claims, MapWriter& map) {
  map.List("resourceClaimStatuses", claims.entries, [](const GeneratedClaims::OfEntry& entry) {
    return MapWriter().Text("name", entry.name).OptionalText("resourceClaimName", entry.object).Take();
  });
  if (!claims.extended) return;
  map.Put("extendedResourceClaimStatus", MapWriter()
                                             .Text("resourceClaimName", claims.extended->object)
                                             .List("requestMappings", claims.extended->resources,
                                                   [](const GeneratedClaims::ExtendedResource& mapping) {
                                                     return MapWriter()
                                                         .Text("containerName", mapping.container)
                                                         .Text("resourceName", mapping.resource)
                                                         .Text("requestName", mapping.request)
                                                         .Take();
                                                   })
                                             .Take());
}

MapWriter EncodeStatus(const PodStatus& status) {
  MapWriter map;
  map.Text("phase", status.phase)
      .Text("nominatedNodeName", status.nominated_node_name)
      .Time("startTime", status.start_time)
      .List("conditions", EncodeConditions(status.conditions), [](const Value& value) { return value; })
      .List("containerStatuses", status.container_statuses, EncodeContainerStatus)
      .List("initContainerStatuses", status.init_container_statuses, EncodeContainerStatus);
  if (status.resources) map.Put("resources", Requirements(*status.resources).Take());
  map.Amounts("allocatedResources", status.allocated_resources);
  if (status.generated_claims != nullptr) EncodeGeneratedClaims(*status.generated_claims, map);
  return map;
}

}  // namespace

void EncodeBody(const Pod& pod, MapWriter& map) {
  map.Map("spec", EncodeSpec(pod)).Map("status", EncodeStatus(*pod.status));
}

}  // namespace berth::api
