// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "serve/pages.h"

namespace berth::serve {

// Pages for people, which programs may have as JSON, YAML or CBOR if they ask for a version of the kind.

// What was said on the command line. `options.flags` is set.
void AddFlagz(Router& router, const PageOptions& options);
// What runs here, since when, and what it serves: the routes that are listed by now. The clock outlives the router.
void AddStatusz(Router& router, const PageOptions& options, const Clock& clock);

}  // namespace berth::serve
