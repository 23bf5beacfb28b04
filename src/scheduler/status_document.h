// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "scheduler/write_requests.h"

#include <optional>
#include <string>
#include <string_view>

namespace berth::scheduler {

// A pod's document with the patch applied; none when it says all that already. A condition keeps its
// lastTransitionTime unless its status changes. Everything else in the document stays as it was.
Result<std::optional<std::string>> ApplyStatusPatch(std::string_view document, const StatusPatch& patch, Timestamp now);

// The Event object that tells users about `note`.
std::string EventDocument(const EventNote& note, std::string_view name);

}  // namespace berth::scheduler
