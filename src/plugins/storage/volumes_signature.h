// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/extension_points/sign.h"

namespace berth::plugins::storage {

// The fragment all volume plugins sign: where the pod's volumes come from, in any order. ConfigMaps and Secrets are
// left out, as no verdict depends on them.
framework::Signature SignVolumes(const framework::PodInfo& pod);

}  // namespace berth::plugins::storage
