// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/affinity.h"
#include "api/labels.h"
#include "api/meta.h"
#include "support/dice.h"

#include <optional>
#include <string>
#include <vector>

// The small pieces random objects are made of. They draw from few words, so that things meet.
namespace berth::test {

inline constexpr const char* kHostname = "kubernetes.io/hostname";
inline constexpr const char* kZone = "topology.kubernetes.io/zone";
inline constexpr const char* kRegion = "topology.kubernetes.io/region";

const std::vector<std::string>& RandomNamespaces();  // all namespaces that pods may be in; one of them has no object
std::string RandomImage(Dice& dice);
std::string RandomNodeName(Dice& dice, size_t nodes);  // now and then one that does not exist
api::Labels RandomLabels(Dice& dice, double probability);
api::LabelSelector RandomSelector(Dice& dice);
std::optional<api::LabelSelector> RandomOptionalSelector(Dice& dice);  // rarely absent
api::NodeSelectorTerm RandomNodeTerm(Dice& dice, size_t nodes, bool by_name);
api::NodeAffinity RandomNodeAffinity(Dice& dice, size_t nodes);
api::PodAffinityTerm RandomPodAffinityTerm(Dice& dice);
api::PodAffinity RandomPodAffinity(Dice& dice);
std::vector<api::TopologySpreadConstraint> RandomSpread(Dice& dice);

}  // namespace berth::test
