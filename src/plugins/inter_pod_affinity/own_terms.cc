// SPDX-License-Identifier: Apache-2.0
#include "plugins/inter_pod_affinity/own_terms.h"

#include <algorithm>

namespace berth::plugins::affinity {

using framework::AffinityTerm;
using framework::Lister;

const api::Labels* LabelsOf(const Lister& lister, const std::string& namespace_name) {
  const api::Namespace* found = lister.FindNamespace(namespace_name);
  return found != nullptr ? &found->meta.labels : nullptr;
}

void OwnTerms::Assign(std::span<const AffinityTerm> terms, const Lister& lister) {
  terms_.clear();
  replaced_.clear();
  for (const AffinityTerm& term : terms) Add(term, lister);
}

void OwnTerms::Add(const AffinityTerm& term, const Lister& lister) {
  const api::Selector& scope = term.namespace_selector;
  if (scope.selects_everything() || !scope.Matches({})) {
    terms_.push_back(&term);
    return;
  }
  AffinityTerm& named = replaced_.emplace_back(term);
  named.namespace_selector = api::Selector::Nothing();
  for (const api::Namespace* candidate : lister.Namespaces()) {
    if (scope.Matches(candidate->meta.labels)) named.namespaces.push_back(candidate->meta.name);
  }
  std::sort(named.namespaces.begin(), named.namespaces.end());
  named.namespaces.erase(std::unique(named.namespaces.begin(), named.namespaces.end()), named.namespaces.end());
  terms_.push_back(&named);
}

bool OwnTerms::AllMatch(const api::Pod& other, const api::Labels* namespace_labels) const {
  return !terms_.empty() && std::all_of(terms_.begin(), terms_.end(), [&](const AffinityTerm* term) {
    return term->Matches(other, namespace_labels);
  });
}

}  // namespace berth::plugins::affinity
