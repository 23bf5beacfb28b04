// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cmd/load_cluster.h"
#include "cmd/simulate_command.h"
#include "cmd/streams.h"
#include "framework/registry.h"

namespace berth::cmd {

// `berth simulate` with a scenario, from --scenario or among the documents of -f: what happens to the pods over time?
// 0 when none is pending at the end, 3 when some are, 1 when something is unusable or cannot be written.
int RunScenario(Documents documents, const SimulateOptions& options, const framework::Registry& registry,
                const Streams& streams);

// Returns whether there is a scenario among the documents.
bool HasScenario(const Documents& documents);

}  // namespace berth::cmd
