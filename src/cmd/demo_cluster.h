// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace berth::cmd {

// examples/demo/cluster.yaml, built in.
std::string_view DemoCluster();

}  // namespace berth::cmd
