// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace berth {

// Names the calling thread for debuggers and profilers; at most 15 characters are kept.
void NameThread(const char* name);

}  // namespace berth
