// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conformance/random_parts.h"

namespace berth::test {

using conformance::kHostname;
using conformance::kRegion;
using conformance::kZone;
using conformance::RandomImage;
using conformance::RandomLabels;
using conformance::RandomNamespaces;
using conformance::RandomNodeName;
using conformance::RandomNodeTerm;
using conformance::RandomOptionalSelector;

}  // namespace berth::test
