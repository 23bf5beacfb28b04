// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/labels.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace berth::framework {

// Keys that stand for labels, for HintKeys. Keys of different uses do not meet: `use` tells them apart.
uint64_t PairKey(std::string_view name, std::string_view value, uint64_t use = 0);
uint64_t NameKey(std::string_view name, uint64_t use = 0);

// Appends the keys of all labels.
void OfferLabels(const api::Labels& labels, std::vector<uint64_t>& keys, uint64_t use = 0);
// Appends the pairs that are new, and the names of those that came, went or changed.
void OfferChangedLabels(const api::Labels& before, const api::Labels& after, std::vector<uint64_t>& keys,
                        uint64_t use = 0);
// Appends keys of which labels must offer one to be selected; false when a label that is absent can do.
bool NeedSelected(const api::Selector& selector, std::vector<uint64_t>& keys, uint64_t use = 0);

}  // namespace berth::framework
