// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "simulator/placement_report.h"

namespace berth::simulator {

// {apiVersion: berth/v1alpha1, kind: SimulationReport, …}; docs/cli.md describes the fields.
api::Value ReportDocument(const PlacementReport& report);

}  // namespace berth::simulator
