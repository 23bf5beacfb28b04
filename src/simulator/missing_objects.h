// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/lister.h"
#include "simulator/described_objects.h"

#include <string>
#include <vector>

namespace berth::simulator {

// One sentence for each object that pods name and the files do not describe: nodes, namespaces, claims. `lister` holds
// the objects that are neither nodes nor pods.
std::vector<std::string> MissingObjects(const DescribedObjects& objects, const framework::Lister& lister);

}  // namespace berth::simulator
