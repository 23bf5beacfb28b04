// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/image_history.h"
#include "framework/registry.h"

namespace berth::conformance {

// The registry's plugins in their plain form only, one node at a time. ImageLocality, whose scores depend on the
// cluster's history, reads that history from `images`, which must outlive the plugins.
framework::Registry PlainRegistry(const framework::Registry& registry, const ImageHistory& images);

}  // namespace berth::conformance
