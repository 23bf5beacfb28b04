// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cmd/explain_command.h"
#include "cmd/streams.h"
#include "framework/registry.h"

namespace berth::cmd {

// `berth explain --record`: what was decided about a pod in a recorded run, found by replaying it. 0 when the last
// attempt placed it, 3 when not or when the replay diverges from the record, 1 when the record has no such pod.
int RunExplainPast(const ExplainOptions& options, const framework::Registry& registry, const Streams& streams);

}  // namespace berth::cmd
