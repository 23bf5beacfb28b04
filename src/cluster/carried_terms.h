// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/labels.h"
#include "base/string_map.h"
#include "cluster/selector_index.h"
#include "framework/indexed_cluster.h"
#include "framework/node_info.h"
#include "framework/pod_info.h"

#include <cstdint>
#include <string>
#include <vector>

namespace berth::cluster {

// Appends what decides which pods the term selects, as text: equal for equal scopes.
void AppendScope(const framework::AffinityTerm& term, std::string& text);

// The distinct affinity terms of one kind that pods carry.
class CarriedTerms {
 public:
  // Notes that the node has `change` more carriers of the term. A term without carriers is forgotten.
  void Count(const framework::AffinityTerm& term, int32_t weight, framework::NodeId node, int32_t change);

  std::vector<const framework::CarriedTerm*> all() const;
  // The terms that may match a pod with these labels; whether they do is for the caller to ask.
  void FindForLabels(const api::Labels& labels, std::vector<const framework::CarriedTerm*>& terms);

 private:
  using Slot = SelectorIndex::Number;

  Slot Insert(const framework::AffinityTerm& term, int32_t weight);
  void Erase(Slot slot);

  // Slots rather than pointers, so that copies stand alone.
  std::vector<framework::CarriedTerm> entries_;
  std::vector<Slot> vacant_;
  StringMap<Slot> slots_;  // by the term's text
  SelectorIndex selectors_;
  std::string scratch_;  // kept for its memory
};

}  // namespace berth::cluster
