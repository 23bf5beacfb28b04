// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>

namespace berth::net {

// Programs that this process starts do not inherit the descriptor. Asio does not ask the system for it when it opens a
// socket or accepts one.
inline void CloseOnExec(int descriptor) { fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

}  // namespace berth::net
