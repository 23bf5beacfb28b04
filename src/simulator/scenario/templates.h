// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "simulator/scenario/scenario.h"

#include <cstdint>
#include <string>

namespace berth::simulator {

// The documents from which every node of a group and every pod of a workload is copied, built from the reader's fields,
// with an empty name.
api::Value ReadNodeTemplate(api::FieldReader& group);
api::Value ReadPodTemplate(api::FieldReader& workload);

// The nth node or pod, counting from 1.
std::string NameOf(const NodeGroup& group, uint64_t ordinal);
std::string NameOf(const Workload& workload, uint64_t ordinal);
api::Value NodeDocument(const NodeGroup& group, uint64_t ordinal);
api::Value PodDocument(const Workload& workload, const std::string& name);

}  // namespace berth::simulator
