// SPDX-License-Identifier: Apache-2.0
#include "api/decode_meta.h"
#include "api/decode_selectors.h"
#include "api/decode_status.h"
#include "api/decode_taint.h"
#include "api/decode_volume.h"
#include "api/object.h"
#include "api/pod_defaults.h"

namespace berth::api {
namespace {

Container DecodeContainer(FieldReader& reader) {
  Container container;
  container.name = reader.String("name");
  container.image = reader.String("image");
  reader.Map("resources", [&](FieldReader& r) { container.resources = DecodeResourceRequirements(r); });
  reader.ForEach("ports", [&](FieldReader& r) {
    container.ports.push_back({r.Int32("containerPort").value_or(0), r.Int32("hostPort").value_or(0),
                               r.String("hostIP"), r.String("protocol")});
  });
  container.restart_policy = reader.String("restartPolicy");
  reader.ForEach("restartPolicyRules", [&](FieldReader& r) {
    if (r.String("action") == "RestartAllContainers") container.restarts_all_containers = true;
  });
  return container;
}

std::vector<Container> DecodeContainers(FieldReader& spec, std::string_view key) {
  std::vector<Container> containers;
  spec.ForEach(key, [&](FieldReader& r) { containers.push_back(DecodeContainer(r)); });
  return containers;
}

std::vector<std::string> DecodeNames(FieldReader& spec, std::string_view key) {
  std::vector<std::string> names;
  spec.ForEach(key, [&](FieldReader& r) { names.push_back(r.String("name")); });
  return names;
}

void DecodePlacement(FieldReader& reader, PodSpec& spec) {
  spec.node_selector = reader.LabelMap("nodeSelector");
  reader.Map("affinity", [&](FieldReader& r) { spec.affinity = std::make_shared<const Affinity>(DecodeAffinity(r)); });
  reader.ForEach("tolerations", [&](FieldReader& r) { spec.tolerations.push_back(DecodeToleration(r)); });
  reader.ForEach("topologySpreadConstraints", [&](FieldReader& r) {
    spec.topology_spread_constraints.push_back(DecodeTopologySpreadConstraint(r));
  });
  spec.scheduling_gates = DecodeNames(reader, "schedulingGates");
}

PodSpec DecodeSpec(FieldReader& reader) {
  PodSpec spec;
  spec.containers = DecodeContainers(reader, "containers");
  spec.init_containers = DecodeContainers(reader, "initContainers");
  reader.Map("resources", [&](FieldReader& r) { spec.resources = DecodeResourceRequirements(r); });
  spec.overhead = DecodeResourceList(reader, "overhead");
  if (std::string name = reader.String("schedulerName"); !name.empty()) spec.scheduler_name = std::move(name);
  spec.priority = reader.Int32("priority");
  spec.priority_class_name = reader.String("priorityClassName");
  spec.preemption_policy = reader.String("preemptionPolicy");
  DecodePlacement(reader, spec);
  spec.resource_claims = DecodeNames(reader, "resourceClaims");
  reader.ForEach("volumes", [&](FieldReader& r) { spec.volumes.push_back(DecodeVolume(r)); });
  spec.host_network = reader.Bool("hostNetwork");
  spec.host_users = reader.OptionalBool("hostUsers");
  spec.termination_grace_period_seconds = reader.Int64("terminationGracePeriodSeconds");
  return spec;
}

std::vector<ContainerStatus> DecodeContainerStatuses(FieldReader& status, std::string_view key) {
  std::vector<ContainerStatus> statuses;
  status.ForEach(key, [&](FieldReader& r) {
    ContainerStatus container;
    container.name = r.String("name");
    r.Map("resources", [&](FieldReader& in_force) { container.resources = DecodeResourceRequirements(in_force); });
    container.allocated_resources = DecodeResourceList(r, "allocatedResources");
    statuses.push_back(std::move(container));
  });
  return statuses;
}

std::shared_ptr<const GeneratedClaims> DecodeGeneratedClaims(FieldReader& status) {
  GeneratedClaims claims;
  status.ForEach("resourceClaimStatuses", [&](FieldReader& r) {
    claims.entries.push_back({r.String("name"), r.OptionalString("resourceClaimName")});
  });
  status.Map("extendedResourceClaimStatus", [&](FieldReader& r) {
    claims.extended.emplace().object = r.String("resourceClaimName");
    r.ForEach("requestMappings", [&](FieldReader& mapping) {
      claims.extended->resources.push_back(
          {mapping.String("containerName"), mapping.String("resourceName"), mapping.String("requestName")});
    });
  });
  if (claims == GeneratedClaims()) return nullptr;
  return std::make_shared<const GeneratedClaims>(std::move(claims));
}

PodStatus DecodeStatus(FieldReader& reader) {
  PodStatus status;
  status.phase = reader.String("phase");
  status.nominated_node_name = reader.String("nominatedNodeName");
  status.start_time = reader.Time("startTime");
  status.conditions = DecodeConditions(reader);
  status.container_statuses = DecodeContainerStatuses(reader, "containerStatuses");
  status.init_container_statuses = DecodeContainerStatuses(reader, "initContainerStatuses");
  reader.Map("resources", [&](FieldReader& r) { status.resources = DecodeResourceRequirements(r); });
  status.allocated_resources = DecodeResourceList(reader, "allocatedResources");
  status.generated_claims = DecodeGeneratedClaims(reader);
  return status;
}

enum class Defaults { FillIn, Leave };

Pod DecodePod(const Value& document, DecodeErrors& errors, Defaults defaults) {
  FieldReader reader(document, "", errors);
  Pod pod;
  pod.meta = DecodeMetaOf<Pod>(reader);
  PodSpec spec;
  reader.Map("spec", [&](FieldReader& r) {
    spec = DecodeSpec(r);
    if (defaults == Defaults::FillIn) ApplyPodDefaults(spec);
    pod.node_name = r.String("nodeName");
  });
  PodStatus status;
  reader.Map("status", [&](FieldReader& r) { status = DecodeStatus(r); });
  pod.spec = std::make_shared<const PodSpec>(std::move(spec));
  pod.status = std::make_shared<const PodStatus>(std::move(status));
  return pod;
}

}  // namespace

template <>
Pod Decode<Pod>(const Value& document, DecodeErrors& errors) {
  return DecodePod(document, errors, Defaults::FillIn);
}

Pod DecodeStoredPod(const Value& document, DecodeErrors& errors) {
  return DecodePod(document, errors, Defaults::Leave);
}

}  // namespace berth::api
