// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "simulator/scenario/scenario.h"

#include <cstdint>
#include <string>

namespace berth::simulator {

// The documents that every node of a group and every pod of a workload is copied from: what the reader's fields say,
// with room for a name.
api::Value ReadNodeTemplate(api::FieldReader& group);
api::Value ReadPodTemplate(api::FieldReader& workload);

// The nth of them, from 1.
std::string NameOf(const NodeGroup& group, uint64_t ordinal);
std::string NameOf(const Workload& workload, uint64_t ordinal);
api::Value NodeDocument(const NodeGroup& group, uint64_t ordinal);
api::Value PodDocument(const Workload& workload, const std::string& name);

}  // namespace berth::simulator
