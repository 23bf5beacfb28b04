// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "simulator/described_objects.h"
#include "simulator/placement_report.h"
#include "simulator/run/virtual_scheduler.h"

namespace berth::simulator {

// Lets the scheduler place the pending pods of a described cluster until nothing more happens: pods that do not fit
// have been retried since the last change. They arrive together, the oldest first. Preemption victims are deleted
// immediately and do not come back; their disruption budgets allow one disruption less. Claims get volumes as from a
// volume controller, without delay. The same objects and setup give the same report. Fails when a profile cannot be
// built.
Result<PlacementReport> PlacePendingPods(DescribedObjects objects, const SchedulerSetup& setup);

}  // namespace berth::simulator
