// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"
#include "framework/lister.h"
#include "framework/pod_info.h"

#include <list>
#include <span>
#include <vector>

namespace berth::plugins::affinity {

// The labels of a namespace; null when it is unknown.
const api::Labels* LabelsOf(const framework::Lister& lister, const std::string& namespace_name);

// Terms of the pod that is to be placed, asked about pods that are there. A term's namespace selector selects among the
// namespaces that exist, so one that would also match a namespace without labels is replaced by the names it selects.
class OwnTerms {
 public:
  OwnTerms() = default;
  OwnTerms(const OwnTerms&) = delete;
  OwnTerms& operator=(const OwnTerms&) = delete;

  // The terms outlive this.
  void Assign(std::span<const framework::AffinityTerm> terms, const framework::Lister& lister);

  bool empty() const { return terms_.empty(); }
  size_t size() const { return terms_.size(); }
  const framework::AffinityTerm& operator[](size_t i) const { return *terms_[i]; }
  const std::vector<const framework::AffinityTerm*>& all() const { return terms_; }
  // Whether there are terms and the pod matches every one. `namespace_labels` are those of its namespace.
  bool AllMatch(const api::Pod& other, const api::Labels* namespace_labels) const;

 private:
  void Add(const framework::AffinityTerm& term, const framework::Lister& lister);

  std::vector<const framework::AffinityTerm*> terms_;
  std::list<framework::AffinityTerm> replaced_;  // a list never moves its elements, and costs nothing while empty
};

}  // namespace berth::plugins::affinity
