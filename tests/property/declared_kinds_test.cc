// SPDX-License-Identifier: Apache-2.0
// A kind that no plugin declares is not watched, so a plugin that reads one finds nothing and does not notice. Here
// every in-tree plugin is asked about pods that make it look at whatever it can, and what it asks for must be declared.
#include "api/manifest.h"
#include "plugins/registry.h"
#include "queue/change_events.h"
#include "scheduler/decide.h"
#include "support/test_bed.h"

#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::test {
namespace {

using framework::PluginEntry;
using framework::Status;
using Kinds = std::set<std::string, std::less<>>;

// Notes which kinds are asked for.
class NotingLister final : public framework::Lister {
 public:
  explicit NotingLister(const framework::Lister& inner) : inner_(inner) {}

  const api::Namespace* FindNamespace(std::string_view name) const override {
    Note("Namespace");
    return inner_.FindNamespace(name);
  }
  std::vector<const api::Namespace*> Namespaces() const override {
    Note("Namespace");
    return inner_.Namespaces();
  }
  std::vector<const api::Service*> Services(std::string_view ns) const override {
    Note("Service");
    return inner_.Services(ns);
  }
  const api::ReplicationController* FindReplicationController(std::string_view ns,
                                                              std::string_view name) const override {
    Note("ReplicationController");
    return inner_.FindReplicationController(ns, name);
  }
  const api::ReplicaSet* FindReplicaSet(std::string_view ns, std::string_view name) const override {
    Note("ReplicaSet");
    return inner_.FindReplicaSet(ns, name);
  }
  const api::StatefulSet* FindStatefulSet(std::string_view ns, std::string_view name) const override {
    Note("StatefulSet");
    return inner_.FindStatefulSet(ns, name);
  }
  std::vector<const api::PodDisruptionBudget*> PodDisruptionBudgets() const override {
    Note("PodDisruptionBudget");
    return inner_.PodDisruptionBudgets();
  }
  const api::PriorityClass* FindPriorityClass(std::string_view name) const override {
    Note("PriorityClass");
    return inner_.FindPriorityClass(name);
  }
  std::vector<const api::PriorityClass*> PriorityClasses() const override {
    Note("PriorityClass");
    return inner_.PriorityClasses();
  }
  const api::PersistentVolume* FindPersistentVolume(std::string_view name) const override {
    Note("PersistentVolume");
    return inner_.FindPersistentVolume(name);
  }
  std::vector<const api::PersistentVolume*> PersistentVolumesOfClass(std::string_view storage_class) const override {
    Note("PersistentVolume");
    return inner_.PersistentVolumesOfClass(storage_class);
  }
  const api::PersistentVolumeClaim* FindClaim(std::string_view ns, std::string_view name) const override {
    Note("PersistentVolumeClaim");
    return inner_.FindClaim(ns, name);
  }
  const api::StorageClass* FindStorageClass(std::string_view name) const override {
    Note("StorageClass");
    return inner_.FindStorageClass(name);
  }
  const api::CsiNode* FindCsiNode(std::string_view name) const override {
    Note("CSINode");
    return inner_.FindCsiNode(name);
  }
  const api::CsiDriver* FindCsiDriver(std::string_view name) const override {
    Note("CSIDriver");
    return inner_.FindCsiDriver(name);
  }
  std::vector<const api::CsiStorageCapacity*> StorageCapacities() const override {
    Note("CSIStorageCapacity");
    return inner_.StorageCapacities();
  }
  std::vector<const api::VolumeAttachment*> VolumeAttachments() const override {
    Note("VolumeAttachment");
    return inner_.VolumeAttachments();
  }
  std::vector<const api::VolumeAttachment*> VolumeAttachmentsOf(std::string_view node) const override {
    Note("VolumeAttachment");
    return inner_.VolumeAttachmentsOf(node);
  }
  const api::CustomObject* FindCustom(std::string_view kind, std::string_view ns,
                                      std::string_view name) const override {
    Note(kind);
    return inner_.FindCustom(kind, ns, name);
  }
  std::vector<const api::CustomObject*> CustomObjects(std::string_view kind) const override {
    Note(kind);
    return inner_.CustomObjects(kind);
  }
  std::vector<api::Object> ObjectsOf(std::string_view kind) const override {
    Note(kind);
    return inner_.ObjectsOf(kind);
  }
  uint64_t Version(std::string_view kind) const override {
    Note(kind);
    return inner_.Version(kind);
  }

  const Kinds& asked() const { return asked_; }

 private:
  void Note(std::string_view kind) const { asked_.emplace(kind); }

  const framework::Lister& inner_;
  mutable Kinds asked_;
};

constexpr std::string_view kCluster = R"(
apiVersion: v1
kind: List
items:
- {kind: Node, metadata: {name: a, labels: {zone: z}}, status: {allocatable: {cpu: 4, pods: 110}}}
- {kind: Node, metadata: {name: b, labels: {zone: w}}, status: {allocatable: {cpu: 4, pods: 110}}}
- {kind: Namespace, metadata: {name: default, labels: {team: x}}}
- {kind: Service, metadata: {name: s}, spec: {selector: {app: web}}}
- {kind: PersistentVolume, metadata: {name: pv}, spec: {storageClassName: slow, csi: {driver: d, volumeHandle: h}}}
- {kind: PersistentVolume, metadata: {name: in-tree}, spec: {storageClassName: slow, gcePersistentDisk: {pdName: disk}}}
- {kind: PersistentVolumeClaim, metadata: {name: migrated, annotations: {pv.kubernetes.io/bind-completed: "yes"}},
    spec: {storageClassName: slow, volumeName: in-tree}}
- {kind: PersistentVolumeClaim, metadata: {name: bound}, spec: {storageClassName: slow, volumeName: pv}}
- {kind: PersistentVolumeClaim, metadata: {name: unbound}, spec: {storageClassName: slow, accessModes: [ReadWriteOnce],
    resources: {requests: {storage: 1Gi}}}}
- {kind: StorageClass, metadata: {name: slow}, provisioner: d, volumeBindingMode: WaitForFirstConsumer}
- {kind: CSIDriver, metadata: {name: d}, spec: {storageCapacity: true}}
- {kind: CSINode, metadata: {name: a}, spec: {drivers: [{name: d, nodeID: a, allocatable: {count: 2}}]}}
- {kind: VolumeAttachment, metadata: {name: va}, spec: {attacher: d, nodeName: a, source: {persistentVolumeName: pv}}}
- {kind: Pod, metadata: {name: running, uid: running, labels: {app: web}}, spec: {nodeName: a, priority: 0,
    containers: [{name: c, resources: {requests: {cpu: 4}}}], affinity: {podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, namespaceSelector: {matchLabels: {team: x}},
        labelSelector: {matchLabels: {app: db}}}]}}}}
)";

constexpr std::string_view kPods = R"(
apiVersion: v1
kind: List
items:
- {kind: Pod, metadata: {name: of-set, labels: {app: web}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet,
    name: r, controller: true}]}, spec: {priority: 10, containers: [{name: c, resources: {requests: {cpu: 4}}}]}}
- {kind: Pod, metadata: {name: stateful, labels: {app: web}, ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet,
    name: r, controller: true}]}, spec: {containers: [{name: c}]}}
- {kind: Pod, metadata: {name: replicated, labels: {app: web}, ownerReferences: [{apiVersion: v1,
    kind: ReplicationController, name: r, controller: true}]}, spec: {containers: [{name: c}]}}
- {kind: Pod, metadata: {name: near, labels: {app: db}}, spec: {containers: [{name: c}], affinity: {podAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, namespaceSelector: {matchLabels: {team: x}},
      labelSelector: {matchLabels: {app: web}}}]}}}}
- {kind: Pod, metadata: {name: with-bound}, spec: {containers: [{name: c}], volumes: [{name: v,
    persistentVolumeClaim: {claimName: bound}}]}}
- {kind: Pod, metadata: {name: with-migrated}, spec: {containers: [{name: c}], volumes: [{name: v,
    persistentVolumeClaim: {claimName: migrated}}]}}
- {kind: Pod, metadata: {name: with-unbound}, spec: {containers: [{name: c}], volumes: [{name: v,
    persistentVolumeClaim: {claimName: unbound}}]}}
)";

std::vector<api::Object> ObjectsIn(std::string_view yaml) {
  std::vector<api::Object> objects;
  Result<api::Manifests> manifests = api::ParseManifests(api::ReadDocuments(yaml, "test").value());
  for (api::Manifest& manifest : manifests.value().objects) objects.push_back(std::move(manifest.object));
  return objects;
}

// What the plugin asks for when it is alone in a profile.
Kinds AskedBy(const PluginEntry& entry) {
  const framework::Registry registry({entry});
  TestBed bed;
  const NotingLister lister(bed.cluster.objects());
  bed.lister = &lister;
  for (const api::Object& object : ObjectsIn(kCluster)) bed.Add(object);
  const runtime::Profile& profile = bed.AddProfile(PlanOf(registry), registry);
  for (const api::Object& object : ObjectsIn(kPods)) {
    const framework::PodInfoPtr pod = bed.Info(std::get<api::PodPtr>(object));
    runtime::Cycle cycle;
    Rng rng(1);
    const scheduler::Decision decision = scheduler::Decide(profile, *pod, cycle, rng);
    if (decision.outcome == scheduler::Decision::Outcome::Placed) {
      const std::string& node = bed.cluster.node(decision.node).name();
      const runtime::BindingSteps& binding = profile.binding();
      if (binding.RunReserve(cycle.state, *pod, node).ok()) binding.RunUnreserve(cycle.state, *pod, node);
    }
    if (profile.plugins().HasAnyAt(framework::ExtensionPoint::PostFilter)) {
      cycle.verdicts.Reset(bed.cluster.live_nodes());
      cycle.verdicts.RejectAll(bed.cluster.live_nodes(), cycle.verdicts.Intern(Status::Unschedulable("full")));
      profile.filtering().RunPostFilter(cycle, *pod);
    }
  }
  return lister.asked();
}

// What the plugin says it reads, and what it wants to hear of.
Kinds DeclaredBy(const PluginEntry& entry) {
  Kinds kinds(entry.kinds.begin(), entry.kinds.end());
  const framework::Registry registry({entry});
  TestBed bed;
  const framework::PluginInstance* plugin = bed.AddProfile(PlanOf(registry), registry).plugins().Find(entry.name);
  if (plugin->enqueue_extensions == nullptr) return kinds;
  for (const framework::ClusterEventWithHint& registered : plugin->enqueue_extensions->EventsToRegister()) {
    kinds.emplace(queue::KindOf(registered.event));
  }
  return kinds;
}

TEST(DeclaredKinds, EveryPluginDeclaresWhatItReads) {
  Kinds asked_by_all;
  const framework::Registry registry = plugins::InTreeRegistry();
  for (const PluginEntry& entry : registry.entries()) {
    const Kinds asked = AskedBy(entry);
    const Kinds declared = DeclaredBy(entry);
    for (const std::string& kind : asked) {
      EXPECT_TRUE(declared.contains(kind)) << entry.name << " reads " << kind << " and does not say so";
    }
    for (const std::string& kind : entry.kinds) {
      EXPECT_TRUE(asked.contains(kind)) << entry.name << " declares " << kind << ": is it read at all?";
    }
    asked_by_all.insert(asked.begin(), asked.end());
  }
  Kinds others;
  for (const api::KindInfo& kind : api::kKinds) others.emplace(kind.name);
  for (const std::string_view kind : {"Pod", "Node", "PriorityClass"}) others.erase(others.find(kind));
  EXPECT_EQ(asked_by_all, others) << "the pods of this test make plugins look at all kinds";
}

}  // namespace
}  // namespace berth::test
