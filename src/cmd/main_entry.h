// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cmd/streams.h"
#include "framework/registry.h"

#include <string>
#include <vector>

namespace berth::cmd {

// The whole `berth` program with the plugins of `registry`. A binary with additional plugins is four lines:
//
//   int main(int argc, char** argv) {
//     berth::framework::Registry registry = berth::plugins::InTreeRegistry();
//     if (auto added = registry.Add(berth::framework::Entry<MyPlugin>("MyPlugin")); !added) return 1;
//     return berth::cmd::Main(argc, argv, registry);
//   }
//
// Under the name kube-scheduler the program takes the place of that one: it has its flags, and no commands.
int Main(int argc, char** argv, const framework::Registry& registry);

// The same with the arguments after the program's name, and custom streams.
int RunCommandLine(const std::vector<std::string>& arguments, const framework::Registry& registry,
                   const Streams& streams);

}  // namespace berth::cmd
