// SPDX-License-Identifier: Apache-2.0
#include "cluster/carried_terms.h"

#include "base/check.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

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

void AssignLabelKey(std::string_view key, std::string_view value, std::string& text) {
  text.assign(key);
  text += kSeparator;
  text += value;
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
  CarriedTerm& carried = entries_[it->second].carried;
  carried.carriers.Add(node, change);
  if (carried.carriers.total() != 0) return;
  Erase(it->second);
  slots_.erase(it);
}

std::vector<const CarriedTerm*> CarriedTerms::all() const {
  std::vector<const CarriedTerm*> terms;
  terms.reserve(slots_.size());
  for (const auto& [text, slot] : slots_) terms.push_back(&entries_[slot].carried);
  return terms;
}

void CarriedTerms::FindForLabels(const api::Labels& labels, std::vector<const CarriedTerm*>& terms) {
  terms.clear();
  for (const Slot slot : by_no_label_) terms.push_back(&entries_[slot].carried);
  if (by_label_.empty()) return;
  for (const auto& [key, value] : labels) {
    AssignLabelKey(key, value, scratch_);
    const auto it = by_label_.find(scratch_);
    if (it == by_label_.end()) continue;
    for (const Slot slot : it->second) terms.push_back(&entries_[slot].carried);
  }
}

CarriedTerms::Slot CarriedTerms::Insert(const AffinityTerm& term, int32_t weight) {
  Slot slot = static_cast<Slot>(entries_.size());
  if (vacant_.empty()) {
    entries_.emplace_back();
  } else {
    slot = vacant_.back();
    vacant_.pop_back();
  }
  Entry& entry = entries_[slot];
  entry = {{term, weight, {}}, {}};
  if (term.selector.selects_nothing()) return slot;  // found by nobody
  entry.found_by = BestLabels(term.selector);
  for (const std::string& label : entry.found_by) by_label_[label].push_back(slot);
  if (entry.found_by.empty()) by_no_label_.push_back(slot);
  return slot;
}

void CarriedTerms::Erase(Slot slot) {
  for (const std::string& label : entries_[slot].found_by) {
    const auto it = by_label_.find(label);
    std::erase(it->second, slot);
    if (it->second.empty()) by_label_.erase(it);
  }
  std::erase(by_no_label_, slot);
  entries_[slot] = {};
  vacant_.push_back(slot);
}

// Of the requirements that ask for particular labels, the one that fewest terms are found by so far: "team=a" may be
// asked for by a thousand terms, "app=b" by one.
std::vector<std::string> CarriedTerms::BestLabels(const api::Selector& selector) const {
  std::vector<std::string> best;
  size_t best_load = std::numeric_limits<size_t>::max();
  for (const api::Selector::Requirement& requirement : selector.requirements()) {
    if (requirement.op != api::Selector::Op::In) continue;
    std::vector<std::string> labels(requirement.values.size());
    size_t load = 0;
    for (size_t i = 0; i < labels.size(); ++i) {
      AssignLabelKey(requirement.key, requirement.values[i], labels[i]);
      const auto it = by_label_.find(labels[i]);
      load += it != by_label_.end() ? it->second.size() : 0;
    }
    if (load >= best_load) continue;
    best_load = load;
    best = std::move(labels);
  }
  return best;
}

}  // namespace berth::cluster
