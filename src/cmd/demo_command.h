// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cmd/streams.h"
#include "framework/registry.h"

namespace berth::cmd {

struct DemoOptions {
  bool print_cluster = false;  // only print the sample cluster, to experiment with
  bool colour = false;
};

// `berth demo`: a tour of simulate and explain on a built-in sample cluster. 0 unless something is broken.
int RunDemo(const DemoOptions& options, const framework::Registry& registry, const Streams& streams);

}  // namespace berth::cmd
