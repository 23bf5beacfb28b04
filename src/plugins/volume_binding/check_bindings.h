// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "framework/binding_work.h"
#include "framework/cluster_view.h"
#include "framework/lister.h"
#include "plugins/volume_binding/reservation.h"

#include <string_view>
#include <vector>

namespace berth::plugins {

// Whether the volume controller and provisioners have done their part: every claim of the reservation, all of which is
// written, is bound. False while they have not; an error, worded as upstream's, when they never will. Looks at the
// cluster's own objects, never at assumed ones.
Result<bool> CheckBindings(const Reservation& reservation, std::string_view node, const framework::ClusterView& cluster,
                           const framework::Lister& lister);

// The objects whose changes can change that answer.
std::vector<framework::ObjectKey> ObjectsToWatch(const Reservation& reservation, std::string_view node,
                                                 const framework::Lister& lister);

}  // namespace berth::plugins
