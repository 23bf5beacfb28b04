// SPDX-License-Identifier: Apache-2.0
#include "conformance/case_cluster.h"

#include "api/document.h"
#include "api/object.h"
#include "config/load.h"
#include "config/plan.h"

#include <map>
#include <tuple>

#include <fmt/ranges.h>

namespace berth::conformance {

using framework::PodInfoPtr;

Result<std::vector<config::ProfilePlan>> PlansFor(const api::Value* config, const framework::Registry& registry,
                                                  const features::FeatureGates& gates) {
  if (config == nullptr) return config::PlanProfiles(config::DefaultConfiguration(registry, gates), registry);
  auto planned = config::LoadAndPlan(api::ToJson(*config), "config", registry, gates);
  if (const auto* problem = std::get_if<config::ConfigProblem>(&planned)) {
    return InvalidError(fmt::format("{}", fmt::join(problem->messages, "\n")));
  }
  return std::move(std::get<config::PlannedConfiguration>(planned).plans);
}

Result<features::FeatureGates> GatesFrom(const api::Value* map) {
  std::map<std::string, bool> gates;
  if (map != nullptr) {
    for (const api::Value::Member& member : map->members()) gates[member.key] = member.value.bool_value();
  }
  return features::FeatureGates::FromMap(gates);
}

Result<std::unique_ptr<CaseCluster>> CaseCluster::Make(const api::Value* config, const framework::Registry& registry,
                                                       const Clock* clock, const features::FeatureGates& gates) {
  BERTH_ASSIGN_OR_RETURN(std::vector<config::ProfilePlan> plans, PlansFor(config, registry, gates));
  std::unique_ptr<CaseCluster> cluster(new CaseCluster(clock));
  runtime::Services services;
  services.cluster = &cluster->cluster_;
  services.lister = &cluster->cluster_.objects();
  services.resource_names = &cluster->names_;
  services.nominator = &cluster->nominated_;
  services.waiting_pods = &cluster->waiting_;
  services.evictor = &cluster->silent_;
  services.events = &cluster->silent_;
  services.clock = cluster->clock_;
  BERTH_ASSIGN_OR_RETURN(cluster->profile_, runtime::Profile::Build(std::move(plans.front()), registry, services));
  return cluster;
}

Result<void> CaseCluster::Load(const api::Value& objects) {
  // Nodes before pods, so that every pod finds its node; other kinds are added right away, in the order of the case.
  std::map<std::tuple<bool, std::string, std::string>, const api::Value*> in_order;
  for (const api::Value& object : objects.items()) {
    const api::Value* kind = object.Find("kind");
    const api::Value* meta = object.Find("metadata");
    const bool is_pod = kind != nullptr && kind->text() == "Pod";
    if (meta == nullptr || (!is_pod && (kind == nullptr || kind->text() != "Node"))) {
      BERTH_RETURN_IF_ERROR(Set(object));
      continue;
    }
    const api::Value* ns = meta->Find("namespace");
    const api::Value* name = meta->Find("name");
    in_order[{is_pod, ns == nullptr ? "" : ns->text(), name == nullptr ? "" : name->text()}] = &object;
  }
  for (const auto& [key, object] : in_order) BERTH_RETURN_IF_ERROR(Set(*object));
  BeginCycle();  // upstream took a snapshot once before the first change
  return {};
}

Result<void> CaseCluster::Set(const api::Value& object) {
  BERTH_ASSIGN_OR_RETURN(const api::Object decoded, ReadObject(object));
  Set(decoded);
  return {};
}

void CaseCluster::Set(const api::Object& object) {
  if (const auto* node = std::get_if<api::NodePtr>(&object)) {
    cluster_.SetNode(*node);
  } else if (const auto* pod = std::get_if<api::PodPtr>(&object)) {
    const std::string_view uid = framework::PodUid(**pod);
    uid_of_pod_[(*pod)->meta.Key()] = uid;
    case_nominations_.Remove(uid);
    const PodInfoPtr info = framework::MakePodInfo(*pod, names_);
    if (!(*pod)->node_name.empty()) {
      cluster_.PlacePod(info, (*pod)->node_name);
    } else if (!(*pod)->status->nominated_node_name.empty()) {
      case_nominations_.Add(info, (*pod)->status->nominated_node_name);
    }
  } else {
    cluster_.SetObject(object);
  }
}

void CaseCluster::Remove(std::string_view kind, std::string_view key) {
  if (kind == api::KindOf<api::Node>()) {
    cluster_.RemoveNode(key);
  } else if (kind == api::KindOf<api::Pod>()) {
    RemovePod(key);
  } else {
    cluster_.RemoveObject(kind, key);
  }
}

void CaseCluster::RemovePod(std::string_view key) {
  const auto it = uid_of_pod_.find(key);
  if (it == uid_of_pod_.end()) return;
  cluster_.RemovePod(it->second);
  case_nominations_.Remove(it->second);
  uid_of_pod_.erase(it);
}

void CaseCluster::Place(const PodInfoPtr& pod, std::string_view node) {
  uid_of_pod_[pod->pod->meta.Key()] = framework::PodUid(*pod->pod);
  cluster_.PlacePod(pod, node);
}

Result<PodInfoPtr> CaseCluster::ReadPod(const api::Value& object) {
  api::DecodeErrors errors;
  auto pod = std::make_shared<const api::Pod>(api::DecodeStoredPod(object, errors));
  if (!errors.empty()) return InvalidError(errors.Text("pod"));
  return Info(std::move(pod));
}

Result<api::Object> CaseCluster::ReadObject(const api::Value& object) {
  const api::Value* kind = object.Find("kind");
  api::DecodeErrors errors;
  api::Object decoded = kind != nullptr && kind->text() == api::KindOf<api::Pod>()
                            ? std::make_shared<const api::Pod>(api::DecodeStoredPod(object, errors))
                            : api::DecodeObject(object, errors);
  if (!errors.empty()) return InvalidError(errors.Text("object"));
  return decoded;
}

}  // namespace berth::conformance
