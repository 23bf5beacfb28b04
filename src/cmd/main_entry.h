// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cmd/streams.h"
#include "framework/registry.h"

#include <string>
#include <vector>

namespace berth::cmd {

// The whole `berth` program with the plugins of `registry`. Under the name kube-scheduler the program takes the place
// of that one: it has its flags, and no commands.
int Main(int argc, char** argv, const framework::Registry& registry);

// The same for a program under any other name, which is kube-scheduler when its first argument is an option. Behind
// berth::RunScheduler (include/berth/scheduler.h).
int SchedulerMain(int argc, char** argv, const framework::Registry& registry);

// Main with the arguments after the program's name, and custom streams.
int RunCommandLine(const std::vector<std::string>& arguments, const framework::Registry& registry,
                   const Streams& streams);

}  // namespace berth::cmd
