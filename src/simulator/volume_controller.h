// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/storage.h"
#include "api/value.h"
#include "base/clock.h"
#include "base/result.h"
#include "cluster/cluster_objects.h"
#include "simulator/run/cluster_writer.h"
#include "simulator/scenario/scenario.h"
#include "store/store.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace berth::simulator {

// Does for volumes and claims what the volume controller and the provisioners of a Kubernetes cluster do, as far as
// scheduling sees it:
//
// - a volume that names a claim, and a claim that names a volume, are bound to each other;
// - a claim that need not wait for a pod gets the smallest volume that will do, or a new one if its class has a
//   provisioner;
// - a claim that a scheduler has given a node gets a new volume that can be reached from there, or loses the node again
//   when that is impossible;
// - volumes are Available, Bound or Released, and deleted with their claim if they say so; claims are Bound or Lost.
//
// It watches the store and writes through the writer, whose owner commits. Nothing else may write these objects between
// Pump and that commit. One thread.
class VolumeController {
 public:
  // Everything lent outlives the controller.
  static Result<std::unique_ptr<VolumeController>> Make(store::Store& store, ClusterWriter& writer, const Clock& clock,
                                                        const VolumeDelays& delays);
  VolumeController(const VolumeController&) = delete;
  VolumeController& operator=(const VolumeController&) = delete;

  // Sees what has changed, and changes what follows from that by now.
  Result<void> Pump();
  // When time alone lets it do more.
  std::optional<Timestamp> NextDeadline() const;

 private:
  // What to do about a claim that is not bound.
  struct Plan {
    enum class What : uint8_t { Nothing, Bind, Provision, GiveNodeBack };
    What what = What::Nothing;
    std::string volume;                        // Bind
    std::optional<api::NodeSelector> reached;  // Provision: from where the volume can be reached; everywhere if absent
  };

  VolumeController(ClusterWriter& writer, const Clock& clock, const VolumeDelays& delays)
      : writer_(writer), clock_(clock), delays_(delays) {}

  void Take(const store::Event& event);
  void Take(std::shared_ptr<const api::PersistentVolume> volume);
  void Take(std::shared_ptr<const api::PersistentVolumeClaim> claim);
  void Forget(const store::Key& key);
  void Unindex(const api::PersistentVolume& volume);

  Result<void> CheckVolume(const std::string& name);
  Result<void> CheckClaim(const std::string& key);
  Plan PlanFor(const api::PersistentVolumeClaim& claim) const;
  Plan PlanProvisioning(const api::PersistentVolumeClaim& claim, const api::StorageClass& storage_class) const;
  const api::PersistentVolume* SmallestFor(const api::PersistentVolumeClaim& claim) const;
  bool IsDue(const std::string& claim, Duration delay);
  void ForgetDue(const std::string& claim);

  Result<void> Bind(const api::PersistentVolumeClaim& claim, const std::string& volume);
  Result<void> Provision(const api::PersistentVolumeClaim& claim, const std::optional<api::NodeSelector>& reached);
  Result<void> BindClaim(const api::PersistentVolumeClaim& claim, const std::string& volume);
  Result<void> GiveNodeBack(const api::PersistentVolumeClaim& claim);
  Result<void> SetPhase(const store::Key& key, const std::string& phase);
  // Writes the document, and knows it from now on.
  Result<void> Write(api::Value document);

  ClusterWriter& writer_;
  const Clock& clock_;
  const VolumeDelays delays_;
  std::unique_ptr<store::Watch> watch_;
  cluster::ClusterObjects objects_;                            // volumes, claims and classes
  std::map<std::string, std::set<std::string>> volumes_with_;  // by the claim they name
  std::set<std::string> unbound_;                              // claims
  std::set<std::string> volumes_to_check_;
  std::set<std::string> claims_to_check_;
  std::map<std::string, Timestamp> due_;               // when the plan for a claim may be carried out
  std::set<std::pair<Timestamp, std::string>> times_;  // the same, by time
};

}  // namespace berth::simulator
