// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"
#include "api/pod.h"

#include <memory>
#include <string>

namespace berth::api {

// The object as one JSON text, for those who ask about it in other processes: as its home has it, with everything that
// scheduling does not read, or else what scheduling read of it. Never null.
std::shared_ptr<const std::string> WholeDocument(const PodPtr& pod);
std::shared_ptr<const std::string> WholeDocument(const NodePtr& node);

}  // namespace berth::api
