// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduler/attempts.h"
#include "scheduler/decision_log.h"
#include "scheduler/engine_state.h"
#include "scheduler/held_cycle.h"

#include <string>

namespace berth::scheduler {

// Empty, or what is wrong with the engine between two messages.
std::string CheckInvariants(const EngineState& engine, const Attempts& attempts, const HeldCycle& held,
                            const DecisionLog& log);

}  // namespace berth::scheduler
