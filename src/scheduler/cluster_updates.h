// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "home/object_change.h"
#include "scheduler/attempts.h"
#include "scheduler/consultations.h"
#include "scheduler/engine_state.h"
#include "scheduler/evictions.h"
#include "scheduler/held_cycle.h"
#include "scheduler/node_names.h"

#include <memory>

namespace berth::scheduler {

// Brings the engine's picture of the cluster up to date with what its home tells, and wakes the pods that a change
// could help. Engine thread only.
class ClusterUpdates {
 public:
  // Everything lent outlives this.
  ClusterUpdates(EngineState& engine, Attempts& attempts, Evictions& evictions, HeldCycle& held,
                 Consultations& consultations)
      : engine_(engine), attempts_(attempts), evictions_(evictions), held_(held), consultations_(consultations) {}

  void Apply(const home::ObjectChange& change);
  // The names of nodes by number, for decision records; a new object if nodes were added since the last call.
  const std::shared_ptr<const NodeNames>& node_names();

 private:
  void TakeIn(const home::ObjectChange& change);
  void SetNode(const api::NodePtr& node);
  void RemoveNode(const api::NodePtr& node);
  void SetPod(const api::PodPtr& pod);
  void SetAssignedPod(const api::PodPtr& pod);
  void NoteUpdate(const api::PodPtr& before, const api::PodPtr& after);
  void SetUnassignedPod(const api::PodPtr& pod);
  void RemovePod(const api::PodPtr& pod);
  void SetOther(const api::Object& object);
  void RemoveOther(const api::Object& object);

  EngineState& engine_;
  Attempts& attempts_;
  Evictions& evictions_;
  HeldCycle& held_;
  Consultations& consultations_;
  NodeNames node_names_;
  std::shared_ptr<const NodeNames> shared_node_names_;  // null when nodes came since
};

}  // namespace berth::scheduler
