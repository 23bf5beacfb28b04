// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduler/attempts.h"
#include "scheduler/decision_log.h"
#include "scheduler/engine_state.h"

#include <string>

namespace berth::scheduler {

// Empty, or what is wrong with the engine between two messages.
std::string CheckInvariants(const EngineState& engine, const Attempts& attempts, size_t held, const DecisionLog& log);

}  // namespace berth::scheduler
