// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cmd/streams.h"
#include "conformance/random_run.h"
#include "conformance/run.h"
#include "framework/registry.h"

namespace berth::cmd {

// `berth conformance`: are decisions those of the golden cases? 0 when all are, 3 when some differ, 1 when a file
// cannot be read.
int RunConformance(const conformance::RunOptions& options, const framework::Registry& registry, const Streams& streams);

// `berth conformance --random`: does Berth agree with itself? 0 when it does, 1 when it does not.
int RunRandomConformance(const conformance::RandomOptions& options, const framework::Registry& registry,
                         const Streams& streams);

}  // namespace berth::cmd
