// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"

namespace berth::cmd {

// The program's plugins; configurations may bring others along that run in other processes.
framework::Registry WithRemotePlugins(const framework::Registry& program);

}  // namespace berth::cmd
