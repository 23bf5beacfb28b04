// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/affinity.h"
#include "api/labels.h"
#include "api/meta.h"
#include "api/quantity.h"
#include "base/clock.h"
#include "conformance/cluster_shape.h"
#include "conformance/dice.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Building blocks of random objects. They draw from small vocabularies, so that selectors and labels often match.
namespace berth::conformance {

inline constexpr const char* kHostname = "kubernetes.io/hostname";
inline constexpr const char* kZone = "topology.kubernetes.io/zone";
inline constexpr const char* kRegion = "topology.kubernetes.io/region";

// A quantity; the text must be valid.
api::Quantity Amount(std::string_view text);
// A time at this many seconds after a fixed origin.
Timestamp AtSecond(int64_t second);

const std::vector<std::string>& RandomNamespaces();  // all namespaces that pods may be in; one of them has no object
std::string RandomImage(Dice& dice);
std::string RandomNodeName(Dice& dice, size_t nodes);  // now and then one that does not exist
api::Labels RandomLabels(Dice& dice, double probability);
api::LabelSelector RandomSelector(Dice& dice);
std::optional<api::LabelSelector> RandomOptionalSelector(Dice& dice);  // rarely absent
api::NodeSelectorTerm RandomNodeTerm(Dice& dice, const ClusterShape& shape, bool by_name);
api::NodeAffinity RandomNodeAffinity(Dice& dice, const ClusterShape& shape);
api::PodAffinityTerm RandomPodAffinityTerm(Dice& dice);
api::PodAffinity RandomPodAffinity(Dice& dice);
std::vector<api::TopologySpreadConstraint> RandomSpread(Dice& dice);

}  // namespace berth::conformance
