// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "simulator/scenario/scenario.h"

#include <optional>
#include <string_view>

namespace berth::simulator {

// Decodes `events` and `failures` into a scenario whose groups and workloads are already decoded.
void ReadEvents(api::FieldReader& reader, Scenario& scenario);
void ReadFailures(api::FieldReader& reader, Scenario& scenario);

}  // namespace berth::simulator
