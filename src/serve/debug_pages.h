// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "serve/pages.h"

namespace berth::serve {

// /debug/pprof, which says that there are no Go profiles, and /debug/flags/v.
void AddDebugPages(Router& router, const PageOptions& options);

}  // namespace berth::serve
