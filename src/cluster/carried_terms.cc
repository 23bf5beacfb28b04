// SPDX-License-Identifier: Apache-2.0
#include "cluster/carried_terms.h"

#include "base/check.h"

#include <iterator>

#include <fmt/format.h>

namespace berth::cluster {

using framework::AffinityTerm;
using framework::CarriedTerm;

namespace {

constexpr char kSeparator = '\0';

void AssignText(const AffinityTerm& term, int32_t weight, std::string& text) {
  text.clear();
  fmt::format_to(std::back_inserter(text), "{}", weight);
  text += kSeparator;
  text += term.topology_key;
  text += kSeparator;
  AppendScope(term, text);
}

}  // namespace

void AppendScope(const AffinityTerm& term, std::string& text) {
  for (const std::string& ns : term.namespaces) {
    text += ns;
    text += kSeparator;
  }
  text += kSeparator;
  term.namespace_selector.AppendText(text);
  text += kSeparator;
  term.selector.AppendText(text);
  text += kSeparator;
}

void CarriedTerms::Count(const AffinityTerm& term, int32_t weight, framework::NodeId node, int32_t change) {
  AssignText(term, weight, scratch_);
  auto it = slots_.find(scratch_);
  if (it == slots_.end()) {
    BERTH_CHECK(change > 0);
    it = slots_.emplace(scratch_, Insert(term, weight)).first;
  }
  CarriedTerm& carried = entries_[it->second];
  carried.carriers.Add(node, change);
  if (carried.carriers.total() != 0) return;
  Erase(it->second);
  slots_.erase(it);
}

std::vector<const CarriedTerm*> CarriedTerms::all() const {
  std::vector<const CarriedTerm*> terms;
  terms.reserve(slots_.size());
  for (const auto& [text, slot] : slots_) terms.push_back(&entries_[slot]);
  return terms;
}

void CarriedTerms::FindForLabels(const api::Labels& labels, std::vector<const CarriedTerm*>& terms) {
  terms.clear();
  selectors_.ForLabels(labels, [&](Slot slot) { terms.push_back(&entries_[slot]); });
}

CarriedTerms::Slot CarriedTerms::Insert(const AffinityTerm& term, int32_t weight) {
  auto slot = static_cast<Slot>(entries_.size());
  if (vacant_.empty()) {
    entries_.emplace_back();
  } else {
    slot = vacant_.back();
    vacant_.pop_back();
  }
  entries_[slot] = {term, weight, {}};
  selectors_.Insert(slot, term.selector);
  return slot;
}

void CarriedTerms::Erase(Slot slot) {
  selectors_.Erase(slot);
  entries_[slot] = {};
  vacant_.push_back(slot);
}

}  // namespace berth::cluster
