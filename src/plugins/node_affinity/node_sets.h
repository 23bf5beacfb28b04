// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/labels.h"
#include "api/node.h"
#include "api/node_selector.h"
#include "api/pod.h"
#include "base/bitset.h"
#include "framework/indexed_cluster.h"

namespace berth::plugins {

// Node affinity asked of one node and of all nodes at once. Both ways agree for every input, unparsable ones included.

bool Matches(const api::NodeSelectorTerm& term, const api::Node& node);
bool Matches(const api::NodeSelector& selector, const api::Node& node);
bool MeetsNodeSelector(const api::PodSpec& spec, const api::Node& node);
// What the pod requires: its node selector and the required part of its node affinity.
bool MeetsRequirements(const api::PodSpec& spec, const api::Node& node);

// The same for all nodes: takes the others out of `nodes`.
void KeepMatching(const api::NodeSelectorTerm& term, framework::IndexedCluster& cluster, Bitset& nodes);
void KeepMatching(const api::NodeSelector& selector, framework::IndexedCluster& cluster, Bitset& nodes);
void KeepMeetingRequirements(const api::PodSpec& spec, framework::IndexedCluster& cluster, Bitset& nodes);

// The required part of the pod's node affinity, null when it has none.
const api::NodeSelector* RequiredAffinity(const api::PodSpec& spec);

}  // namespace berth::plugins
