// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cmd/streams.h"
#include "framework/registry.h"

namespace berth::cmd {

struct DemoOptions {
  bool print_cluster = false;  // only print the sample cluster, to try things on
  bool colour = false;
};

// `berth demo`: a tour of simulate and explain on a sample cluster that is built in. 0 unless something is broken.
int RunDemo(const DemoOptions& options, const framework::Registry& registry, const Streams& streams);

}  // namespace berth::cmd
