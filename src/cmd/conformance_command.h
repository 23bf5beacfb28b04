// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cmd/streams.h"
#include "conformance/random_run.h"
#include "conformance/run.h"
#include "framework/registry.h"

#include <string>
#include <vector>

namespace berth::cmd {

// `berth conformance`: do decisions match the golden cases? 0 when all do, 3 when some differ, 1 when it fails. `twins`
// are the plugins that answer as plugins of another process do.
int RunConformance(const conformance::RunOptions& options, const std::vector<std::string>& twins,
                   const framework::Registry& registry, const Streams& streams);

// `berth conformance --random`: does Berth agree with its naive evaluation? 0 when it does, 3 when it does not, 1 when
// the run fails.
int RunRandomConformance(const conformance::RandomOptions& options, const framework::Registry& registry,
                         const Streams& streams);

}  // namespace berth::cmd
