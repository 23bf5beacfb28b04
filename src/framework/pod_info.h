// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/labels.h"
#include "api/pod.h"
#include "base/rare_vector.h"
#include "base/result.h"
#include "features/feature_gates.h"
#include "framework/resource.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::framework {

// A pod-affinity term with its selectors parsed and its namespaces settled.
struct AffinityTerm {
  api::Selector selector;
  std::vector<std::string> namespaces;  // sorted; the pod's own when the term names none and selects none
  api::Selector namespace_selector;     // selects nothing when the term has none
  std::string topology_key;

  // `namespace_labels` are those of the other pod's namespace; null when that namespace is unknown.
  bool Matches(const api::Pod& other, const api::Labels* namespace_labels) const {
    return Matches(other.meta.namespace_, other.meta.labels, namespace_labels);
  }
  bool Matches(std::string_view other_namespace, const api::Labels& labels, const api::Labels* namespace_labels) const;
  friend bool operator==(const AffinityTerm&, const AffinityTerm&) = default;
};

struct WeightedAffinityTerm {
  AffinityTerm term;
  int32_t weight = 0;
  friend bool operator==(const WeightedAffinityTerm&, const WeightedAffinityTerm&) = default;
};

struct HostPort {
  std::string ip;  // "0.0.0.0" conflicts with every address
  std::string protocol;
  int32_t port = 0;

  bool ConflictsWith(const HostPort& other) const {
    return port == other.port && protocol == other.protocol &&
           (ip == other.ip || ip == "0.0.0.0" || other.ip == "0.0.0.0");
  }
  friend bool operator==(const HostPort&, const HostPort&) = default;
};

// What follows from a pod's spec, computed once. Immutable and shared between pods of one template.
struct PodTraits {
  // What the pod takes from the node it is on, in-place resizes included.
  ResourceAmounts requests;
  // The same with 100m cpu and 200 MiB for containers that ask for none: what LeastAllocated and its kin count.
  int64_t nonzero_cpu = 0;
  int64_t nonzero_memory = 0;
  // What the pod asks for by its spec alone: what a node must have free.
  ResourceAmounts spec_requests;
  RareVector<HostPort> host_ports;
  RareVector<AffinityTerm> required_affinity;
  RareVector<AffinityTerm> required_anti_affinity;
  RareVector<WeightedAffinityTerm> preferred_affinity;
  RareVector<WeightedAffinityTerm> preferred_anti_affinity;
  // Set when a term's selector does not parse; the pod then matches nothing and PreFilter reports it.
  std::string affinity_problem;

  bool has_affinity() const {
    return !required_affinity.empty() || !required_anti_affinity.empty() || !preferred_affinity.empty() ||
           !preferred_anti_affinity.empty();
  }
  friend bool operator==(const PodTraits&, const PodTraits&) = default;
};

// A spec in a namespace, with the traits that follow from it. Pods of one controller share it. Immutable.
struct PodTemplate {
  std::string namespace_;
  std::shared_ptr<const api::PodSpec> spec;
  PodTraits traits;
  // False if the traits also depend on a status, which said that the pod holds something else than its spec requests.
  bool follows_from_spec = true;
};

// Pods that are alike: of one template, with equal labels. Only identity, status and deletion tell them apart, so
// whatever asks for nothing else is answered once for all of them. Two pods are alike when their classes are one
// object: see PodClasses. Immutable.
struct PodClass {
  std::shared_ptr<const PodTemplate> pod_template;
  api::Labels labels;
};

using PodClassPtr = std::shared_ptr<const PodClass>;

// A pod with what the framework knows about it. Immutable; shared by the queue, the cluster and running cycles.
struct PodInfo {
  PodInfo(api::PodPtr of, PodClassPtr with)
      : pod(std::move(of)), pod_class(std::move(with)), traits(&pod_class->pod_template->traits) {}

  api::PodPtr pod;
  PodClassPtr pod_class;
  const PodTraits* traits;  // of the class

  const api::Pod& operator*() const { return *pod; }
  const api::Pod* operator->() const { return pod.get(); }
  const api::PodSpec& spec() const { return *pod->spec; }
};

using PodInfoPtr = std::shared_ptr<const PodInfo>;

// Which parts of a pod say what it asks for, and what it holds.
struct PodRules {
  bool pod_level_resources = true;   // spec.resources
  bool resizes = true;               // the containers' status, while they are resized in place
  bool resizes_at_pod_level = true;  // the pod's status, while spec.resources is
  static PodRules From(const features::FeatureGates& gates);
};

// Whether what the pod holds may be other than what it asks for, by this status.
bool StatusMatters(const api::PodStatus& status, const PodRules& rules);
// The pod's template, made anew.
PodTemplate MakeTemplate(const api::Pod& pod, ResourceNames& names, const PodRules& rules);
// The pod with a class of its own. Where pods are many, PodClasses lets them share.
PodInfoPtr MakePodInfo(api::PodPtr pod, ResourceNames& names, const PodRules& rules = {});

// Parses terms of the pod; fails on the first selector that does not parse.
Result<std::vector<AffinityTerm>> ParseAffinityTerms(const api::Pod& pod,
                                                     const std::vector<api::PodAffinityTerm>& terms);

// The host ports of the containers that run as long as the pod does.
std::vector<HostPort> HostPortsOf(const api::PodSpec& spec);

// The pod's aggregate request, as upstream's resource helper computes it.
struct PodRequestOptions {
  bool use_status = false;        // count what an in-place resize holds, too
  bool skip_pod_level = false;    // ignore pod-level resources
  bool skip_pod_status = false;   // with use_status: count a resize of containers only, not one at pod level
  bool nonzero_defaults = false;  // give containers without cpu or memory requests the defaults
};
api::ResourceList PodRequests(const api::Pod& pod, const PodRequestOptions& options);

}  // namespace berth::framework
