// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "home/command.h"

#include <optional>
#include <string>
#include <string_view>

namespace berth::home {

// A pod's document with the patch applied; none when it says all that already. A condition keeps its
// lastTransitionTime unless its status changes. Everything else in the document stays as it was. `what` names the
// object in errors.
Result<std::optional<std::string>> ApplyStatusPatch(std::string_view document, const std::string& what,
                                                    const PatchPodStatus& patch, Timestamp now);

// The document after a JSON merge patch (RFC 7386).
Result<std::string> ApplyMergePatch(std::string_view document, const std::string& what, std::string_view merge_patch);

// The Event object that tells users about `note`. With a host, the reporting instance names it.
std::string EventDocument(const EventNote& note, std::string_view name, std::string_view host);

}  // namespace berth::home
