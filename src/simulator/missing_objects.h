// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/lister.h"
#include "simulator/described_objects.h"

#include <string>
#include <vector>

namespace berth::simulator {

// One sentence for each object that pods refer to but the files do not contain: nodes, namespaces, claims. `lister` has
// the objects that are neither nodes nor pods.
std::vector<std::string> MissingObjects(const DescribedObjects& objects, const framework::Lister& lister);

}  // namespace berth::simulator
