// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "simulator/run/run_report.h"

namespace berth::simulator {

// {apiVersion: berth/v1alpha1, kind: ScenarioReport, …}; docs/cli.md describes the fields.
api::Value RunReportDocument(const RunReport& report);

}  // namespace berth::simulator
