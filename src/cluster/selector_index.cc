// SPDX-License-Identifier: Apache-2.0
#include "cluster/selector_index.h"

#include <limits>
#include <utility>

namespace berth::cluster {

void SelectorIndex::Insert(Number number, const api::Selector& selector) {
  if (found_by_.size() <= number) found_by_.resize(number + 1);
  if (selector.selects_nothing()) return;  // found by nobody
  std::vector<std::string>& found_by = found_by_[number];
  found_by = BestLabels(selector);
  for (const std::string& label : found_by) by_label_[label].push_back(number);
  if (found_by.empty()) by_no_label_.push_back(number);
}

void SelectorIndex::Erase(Number number) {
  const std::vector<std::string> found_by = std::exchange(found_by_[number], {});
  for (const std::string& label : found_by) {
    const auto it = by_label_.find(label);
    std::erase(it->second, number);
    if (it->second.empty()) by_label_.erase(it);
  }
  if (found_by.empty()) std::erase(by_no_label_, number);
}

void SelectorIndex::AssignKey(std::string_view key, std::string_view value, std::string& text) {
  text.assign(key);
  text += '\0';
  text += value;
}

// Of the requirements that ask for particular labels, the one that fewest selectors are found by so far: "team=a" may
// be asked for by a thousand selectors, "app=b" by one.
std::vector<std::string> SelectorIndex::BestLabels(const api::Selector& selector) const {
  std::vector<std::string> best;
  size_t best_load = std::numeric_limits<size_t>::max();
  for (const api::Selector::Requirement& requirement : selector.requirements()) {
    if (requirement.op != api::Selector::Op::In) continue;
    std::vector<std::string> labels(requirement.values.size());
    size_t load = 0;
    for (size_t i = 0; i < labels.size(); ++i) {
      AssignKey(requirement.key, requirement.values[i], labels[i]);
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
