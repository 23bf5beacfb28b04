// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"
#include "framework/lister.h"
#include "framework/pod_info.h"

#include <deque>
#include <vector>

namespace berth::plugins::affinity {

// The labels of a namespace; null when it is unknown.
const api::Labels* LabelsOf(const framework::Lister& lister, const std::string& namespace_name);

// Terms of the pod that is to be placed, asked about pods that are there. A term's namespace selector selects among the
// namespaces that exist, so one that would also match a namespace without labels is replaced by the names it selects.
class OwnTerms {
 public:
  OwnTerms() = default;
  // The terms outlive this.
  OwnTerms(const std::vector<framework::AffinityTerm>& terms, const framework::Lister& lister) {
    for (const framework::AffinityTerm& term : terms) Add(term, lister);
  }
  void Add(const framework::AffinityTerm& term, const framework::Lister& lister);

  bool empty() const { return terms_.empty(); }
  size_t size() const { return terms_.size(); }
  const framework::AffinityTerm& operator[](size_t i) const { return *terms_[i]; }
  const std::vector<const framework::AffinityTerm*>& all() const { return terms_; }
  // Whether there are terms and the pod matches every one. `namespace_labels` are those of its namespace.
  bool AllMatch(const api::Pod& other, const api::Labels* namespace_labels) const;

 private:
  std::vector<const framework::AffinityTerm*> terms_;
  std::deque<framework::AffinityTerm> replaced_;  // a deque never moves its elements
};

}  // namespace berth::plugins::affinity
