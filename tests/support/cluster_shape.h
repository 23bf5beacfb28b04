// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/cluster_shape.h"

namespace berth::test {

using conformance::ClusterShape;

}  // namespace berth::test
