// SPDX-License-Identifier: Apache-2.0
#include "framework/pod_info.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::framework {
namespace {

Result<AffinityTerm> ParseTerm(const api::Pod& pod, const api::PodAffinityTerm& term) {
  AffinityTerm parsed;
  BERTH_ASSIGN_OR_RETURN(parsed.selector, api::Selector::From(term.label_selector));
  BERTH_ASSIGN_OR_RETURN(parsed.namespace_selector, api::Selector::From(term.namespace_selector));
  parsed.namespaces = term.namespaces;
  if (parsed.namespaces.empty() && !term.namespace_selector) parsed.namespaces.push_back(pod.meta.namespace_);
  std::sort(parsed.namespaces.begin(), parsed.namespaces.end());
  parsed.namespaces.erase(std::unique(parsed.namespaces.begin(), parsed.namespaces.end()), parsed.namespaces.end());
  parsed.topology_key = term.topology_key;
  return parsed;
}

// Several problems are bracketed, as upstream writes lists of errors.
void NoteProblem(std::string_view list, const Error& error, std::string& problem) {
  const std::string text = fmt::format("{}: {}", list, error.message);
  if (problem.empty()) {
    problem = text;
  } else if (problem.front() == '[') {
    problem.insert(problem.size() - 1, ", " + text);
  } else {
    problem = fmt::format("[{}, {}]", problem, text);
  }
}

std::vector<AffinityTerm> ParseTerms(const api::Pod& pod, const std::vector<api::PodAffinityTerm>& terms,
                                     std::string_view list, std::string& problem) {
  Result<std::vector<AffinityTerm>> parsed = ParseAffinityTerms(pod, terms);
  if (parsed) return std::move(*parsed);
  NoteProblem(list, parsed.error(), problem);
  return {};
}

std::vector<WeightedAffinityTerm> ParseTerms(const api::Pod& pod,
                                             const std::vector<api::WeightedPodAffinityTerm>& terms,
                                             std::string_view list, std::string& problem) {
  std::vector<WeightedAffinityTerm> parsed;
  for (const api::WeightedPodAffinityTerm& term : terms) {
    Result<AffinityTerm> result = ParseTerm(pod, term.term);
    if (!result) {
      NoteProblem(list, result.error(), problem);
      return {};
    }
    parsed.push_back({std::move(*result), term.weight});
  }
  return parsed;
}

void CollectHostPorts(const std::vector<api::Container>& containers, bool sidecars_only, std::vector<HostPort>& ports) {
  for (const api::Container& container : containers) {
    if (sidecars_only && !container.is_sidecar()) continue;
    for (const api::ContainerPort& port : container.ports) {
      if (port.host_port <= 0) continue;
      ports.push_back({port.host_ip.empty() ? "0.0.0.0" : port.host_ip, port.protocol.empty() ? "TCP" : port.protocol,
                       port.host_port});
    }
  }
}

PodTraits MakeTraits(const api::Pod& pod, ResourceNames& names, const PodRules& rules) {
  PodTraits traits;
  PodRequestOptions held{.use_status = rules.resizes,
                         .skip_pod_level = !rules.pod_level_resources,
                         .skip_pod_status = !rules.resizes_at_pod_level};
  traits.requests = ResourceAmounts::From(PodRequests(pod, held), names);
  traits.spec_requests = ResourceAmounts::From(PodRequests(pod, {.skip_pod_level = !rules.pod_level_resources}), names);
  held.nonzero_defaults = true;
  const api::ResourceList nonzero = PodRequests(pod, held);
  if (const api::Quantity* cpu = nonzero.Find(api::kResourceCpu)) traits.nonzero_cpu = cpu->MilliValue();
  if (const api::Quantity* memory = nonzero.Find(api::kResourceMemory)) traits.nonzero_memory = memory->Value();

  traits.host_ports = HostPortsOf(*pod.spec);

  if (const api::Affinity* affinity = pod.spec->affinity.get()) {
    std::string& problem = traits.affinity_problem;
    if (affinity->pod) {
      traits.required_affinity = ParseTerms(pod, affinity->pod->required, "requiredAffinityTerms", problem);
    }
    if (affinity->anti) {
      traits.required_anti_affinity = ParseTerms(pod, affinity->anti->required, "requiredAntiAffinityTerms", problem);
    }
    if (affinity->pod) {
      traits.preferred_affinity = ParseTerms(pod, affinity->pod->preferred, "preferredAffinityTerms", problem);
    }
    if (affinity->anti) {
      traits.preferred_anti_affinity =
          ParseTerms(pod, affinity->anti->preferred, "preferredAntiAffinityTerms", problem);
    }
  }
  return traits;
}

}  // namespace

bool AffinityTerm::Matches(std::string_view other_namespace, const api::Labels& labels,
                           const api::Labels* namespace_labels) const {
  static const api::Labels kNoLabels;
  const bool in_scope = std::binary_search(namespaces.begin(), namespaces.end(), other_namespace) ||
                        namespace_selector.Matches(namespace_labels != nullptr ? *namespace_labels : kNoLabels);
  return in_scope && selector.Matches(labels);
}

Result<std::vector<AffinityTerm>> ParseAffinityTerms(const api::Pod& pod,
                                                     const std::vector<api::PodAffinityTerm>& terms) {
  std::vector<AffinityTerm> parsed;
  parsed.reserve(terms.size());
  for (const api::PodAffinityTerm& term : terms) {
    BERTH_ASSIGN_OR_RETURN(AffinityTerm result, ParseTerm(pod, term));
    parsed.push_back(std::move(result));
  }
  return parsed;
}

std::vector<HostPort> HostPortsOf(const api::PodSpec& spec) {
  std::vector<HostPort> ports;
  CollectHostPorts(spec.containers, /*sidecars_only=*/false, ports);
  CollectHostPorts(spec.init_containers, /*sidecars_only=*/true, ports);
  return ports;
}

PodRules PodRules::From(const features::FeatureGates& gates) {
  return {gates.Enabled(features::Gate::PodLevelResources), gates.Enabled(features::Gate::InPlacePodVerticalScaling),
          gates.Enabled(features::Gate::InPlacePodLevelResourcesVerticalScaling)};
}

bool StatusMatters(const api::PodStatus& status, const PodRules& rules) {
  if (!rules.resizes) return false;
  const auto has_resources = [](const api::ContainerStatus& container) { return container.resources.has_value(); };
  return status.resources.has_value() || std::ranges::any_of(status.container_statuses, has_resources) ||
         std::ranges::any_of(status.init_container_statuses, has_resources);
}

PodTemplate MakeTemplate(const api::Pod& pod, ResourceNames& names, const PodRules& rules) {
  return {pod.meta.namespace_, pod.spec, MakeTraits(pod, names, rules), !StatusMatters(*pod.status, rules)};
}

PodInfoPtr MakePodInfo(api::PodPtr pod, ResourceNames& names, const PodRules& rules) {
  auto pod_template = std::make_shared<const PodTemplate>(MakeTemplate(*pod, names, rules));
  auto pod_class = std::make_shared<const PodClass>(PodClass{std::move(pod_template), pod->meta.labels});
  return std::make_shared<const PodInfo>(std::move(pod), std::move(pod_class));
}

}  // namespace berth::framework
