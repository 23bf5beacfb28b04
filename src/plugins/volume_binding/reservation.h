// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "framework/binding_work.h"
#include "framework/lister.h"
#include "plugins/volume_binding/find_volumes.h"
#include "plugins/volume_binding/pod_claims.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::plugins {

// What Reserve has set aside for a pod, and how far PreBind has come with telling the cluster. Objects are our own
// copies, as they will be: the cluster's may change while the pod waits.
struct Reservation {
  // How an object is told to the cluster.
  enum class Write : uint8_t {
    None,     // it looks like this already
    Planned,  // still to do; the object's resource version is that of the cluster's object it was decided on
    Done,
  };
  // An existing volume for a claim.
  struct Binding {
    VolumePtr volume;
    framework::ObjectKey claim;
    Write write = Write::None;
  };
  // A claim for which a volume is to be made, with the node it is to be reached from.
  struct Provision {
    ClaimPtr claim;
    Write write = Write::None;
  };

  bool is_all_bound = true;  // nothing is left to do
  std::vector<Binding> bindings;
  std::vector<Provision> provisions;
  std::optional<framework::WorkTicket> patch;  // the write that is under way: the first one planned
  std::optional<Timestamp> deadline;           // set once all is written
};

// Sets volumes aside for the claims, and claims for the node: later cycles see them so.
Reservation ReserveVolumes(const PodClaims& claims, const FoundVolumes& found, std::string_view node,
                           const framework::Lister& lister, Assumptions& assumptions);
// Takes back what was assumed and not written. What was written stays assumed until the cluster tells it.
void GiveBack(const Reservation& reservation, Assumptions& assumptions);
// Forgets all that was assumed: the cluster has told it.
void Forget(const Reservation& reservation, Assumptions& assumptions);

// The first planned write; nothing when there is none. Volumes go before claims. Each is refused when its object has
// changed since it was decided on.
std::optional<framework::ObjectPatch> NextPatch(const Reservation& reservation);
// That write is done, and the object's resource version is `version` now.
void NoteWritten(Reservation& reservation, std::string_view version);

framework::ObjectKey KeyOf(const api::PersistentVolume& volume);
framework::ObjectKey KeyOf(const api::PersistentVolumeClaim& claim);

}  // namespace berth::plugins
