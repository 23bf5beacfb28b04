// SPDX-License-Identifier: Apache-2.0
#include "support/builders.h"

#include "api/pod_defaults.h"

namespace berth::test {
namespace {

api::PodAffinityTerm TermFor(std::string_view key, std::string_view value, std::string_view topology_key) {
  api::PodAffinityTerm term;
  term.label_selector.emplace().match_labels.Set(key, value);
  term.topology_key = topology_key;
  return term;
}

}  // namespace

api::Quantity Amount(std::string_view text) {
  Result<api::Quantity> amount = api::Quantity::Parse(text);
  BERTH_CHECK(amount.has_value());
  return *amount;
}

api::ResourceList Resources(Amounts amounts) {
  api::ResourceList list;
  for (const auto& [name, amount] : amounts) list.Set(name, Amount(amount));
  return list;
}

Timestamp AtSecond(int64_t second) { return Timestamp(std::chrono::seconds(1'767'225'600 + second)); }

NodeBuilder::NodeBuilder(std::string_view name) {
  node_.meta.name = name;
  Label("kubernetes.io/hostname", name);
  Allocatable(api::kResourcePods, "110");
}

NodeBuilder& NodeBuilder::Label(std::string_view key, std::string_view value) {
  node_.meta.labels.Set(key, value);
  return *this;
}

NodeBuilder& NodeBuilder::Allocatable(std::string_view resource, std::string_view amount) {
  node_.allocatable.Set(resource, Amount(amount));
  return *this;
}

NodeBuilder& NodeBuilder::Taint(std::string_view key, std::string_view value, api::TaintEffect effect) {
  node_.taints.push_back({std::string(key), std::string(value), effect});
  return *this;
}

NodeBuilder& NodeBuilder::Unschedulable() {
  node_.unschedulable = true;
  return *this;
}

NodeBuilder& NodeBuilder::Image(std::string_view name, int64_t size_bytes) {
  node_.images.push_back({{std::string(name)}, size_bytes});
  return *this;
}

api::NodePtr NodeBuilder::Build() const { return std::make_shared<const api::Node>(node_); }

PodBuilder::PodBuilder(std::string_view name) {
  const size_t slash = name.find('/');
  pod_.meta.namespace_ = slash == std::string_view::npos ? "default" : name.substr(0, slash);
  pod_.meta.name = slash == std::string_view::npos ? name : name.substr(slash + 1);
  pod_.meta.uid = pod_.meta.Key();
  spec_.containers.emplace_back().name = "main";
}

PodBuilder& PodBuilder::Uid(std::string_view uid) {
  pod_.meta.uid = uid;
  return *this;
}

PodBuilder& PodBuilder::Label(std::string_view key, std::string_view value) {
  pod_.meta.labels.Set(key, value);
  return *this;
}

PodBuilder& PodBuilder::Node(std::string_view name) {
  pod_.node_name = name;
  return *this;
}

PodBuilder& PodBuilder::Nominated(std::string_view node) {
  status_.nominated_node_name = node;
  return *this;
}

PodBuilder& PodBuilder::Priority(int32_t priority) {
  spec_.priority = priority;
  return *this;
}

PodBuilder& PodBuilder::PreemptNever() {
  spec_.preemption_policy = "Never";
  return *this;
}

PodBuilder& PodBuilder::Started(int64_t second) {
  status_.start_time = AtSecond(second);
  return *this;
}

PodBuilder& PodBuilder::Terminating() {
  pod_.meta.deleted = AtSecond(0);
  return *this;
}

PodBuilder& PodBuilder::Condition(std::string_view type, std::string_view status, std::string_view reason) {
  status_.conditions.push_back({std::string(type), std::string(status), std::string(reason), {}});
  return *this;
}

PodBuilder& PodBuilder::Request(std::string_view resource, std::string_view amount) {
  spec_.containers.front().resources.requests.Set(resource, Amount(amount));
  return *this;
}

PodBuilder& PodBuilder::Container(Amounts requests) {
  api::Container& container = spec_.containers.emplace_back();
  container.name = "c" + std::to_string(spec_.containers.size());
  container.resources.requests = Resources(requests);
  return *this;
}

PodBuilder& PodBuilder::InitContainer(Amounts requests) {
  api::Container& container = spec_.init_containers.emplace_back();
  container.name = "i" + std::to_string(spec_.init_containers.size());
  container.resources.requests = Resources(requests);
  return *this;
}

PodBuilder& PodBuilder::Sidecar(Amounts requests) {
  InitContainer(requests);
  spec_.init_containers.back().restart_policy = "Always";
  return *this;
}

PodBuilder& PodBuilder::Overhead(Amounts amounts) {
  spec_.overhead = Resources(amounts);
  return *this;
}

PodBuilder& PodBuilder::PodLevel(Amounts requests) {
  spec_.resources.emplace().requests = Resources(requests);
  return *this;
}

PodBuilder& PodBuilder::InForce(Amounts requests) {
  FirstStatus().resources.emplace().requests = Resources(requests);
  return *this;
}

PodBuilder& PodBuilder::Granted(Amounts requests) {
  FirstStatus().allocated_resources = Resources(requests);
  return *this;
}

PodBuilder& PodBuilder::HostPort(int32_t port, std::string_view ip, std::string_view protocol) {
  spec_.containers.front().ports.push_back({port, port, std::string(ip), std::string(protocol)});
  return *this;
}

PodBuilder& PodBuilder::Claim(std::string_view claim) {
  spec_.volumes.push_back({"v" + std::to_string(spec_.volumes.size()), api::ClaimVolume{std::string(claim)}});
  return *this;
}

PodBuilder& PodBuilder::Tolerate(std::string_view key, api::TaintEffect effect) {
  spec_.tolerations.push_back({std::string(key), "Exists", {}, effect});
  return *this;
}

PodBuilder& PodBuilder::NodeSelector(std::string_view key, std::string_view value) {
  spec_.node_selector.Set(key, value);
  return *this;
}

PodBuilder& PodBuilder::Near(std::string_view key, std::string_view value, std::string_view topology_key) {
  if (!affinity_.pod) affinity_.pod.emplace();
  affinity_.pod->required.push_back(TermFor(key, value, topology_key));
  return *this;
}

PodBuilder& PodBuilder::Away(std::string_view key, std::string_view value, std::string_view topology_key) {
  if (!affinity_.anti) affinity_.anti.emplace();
  affinity_.anti->required.push_back(TermFor(key, value, topology_key));
  return *this;
}

PodBuilder& PodBuilder::Spread(std::string_view key, std::string_view value, std::string_view topology_key,
                               int32_t max_skew) {
  api::TopologySpreadConstraint& constraint = spec_.topology_spread_constraints.emplace_back();
  constraint.label_selector.emplace().match_labels.Set(key, value);
  constraint.topology_key = topology_key;
  constraint.max_skew = max_skew;
  return *this;
}

api::PodPtr PodBuilder::Build() const {
  api::Pod pod = pod_;
  api::PodSpec spec = spec_;
  if (affinity_.node || affinity_.pod || affinity_.anti)
    spec.affinity = std::make_shared<const api::Affinity>(affinity_);
  api::ApplyPodDefaults(spec);
  pod.spec = std::make_shared<const api::PodSpec>(std::move(spec));
  pod.status = std::make_shared<const api::PodStatus>(status_);
  return std::make_shared<const api::Pod>(std::move(pod));
}

api::ContainerStatus& PodBuilder::FirstStatus() {
  if (status_.container_statuses.empty()) {
    status_.container_statuses.emplace_back().name = spec_.containers.front().name;
  }
  return status_.container_statuses.front();
}

}  // namespace berth::test
