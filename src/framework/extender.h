// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"
#include "api/pod.h"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::framework {

// As upstream calls all extenders together where it speaks of plugins.
inline constexpr std::string_view kExtenderName = "Extender";

// A scheduler extender: another process that has a say in filtering, ranking, preemption and binding, for the pods it
// is interested in. Every question is answered by exactly one call of `answered`, on any thread and possibly before the
// call returns; failures are answers, too: with `error`. The objects are shared, for the question may outlive the
// cycle.
class Extender {
 public:
  struct FilterAnswer {
    std::string error;  // of the call, or what the extender says went wrong; then the rest means nothing
    std::vector<std::string> passed;
    std::map<std::string, std::string> failed;               // by node: why; evicting pods may help
    std::map<std::string, std::string> failed_unresolvable;  // the same, and it cannot help
  };
  struct HostScore {
    std::string host;
    int64_t score = 0;  // 0 to 10 by the protocol; not checked, as upstream
  };
  struct PrioritizeAnswer {
    std::string error;
    std::vector<HostScore> scores;
  };
  // A node where pods would be evicted: at least one.
  struct Candidate {
    std::string node;
    std::vector<api::PodPtr> victims;
    int64_t budget_violations = 0;
  };
  struct CandidateAnswer {
    std::vector<std::string> victim_uids;
    int64_t budget_violations = 0;
  };
  struct PreemptAnswer {
    std::string error;
    std::map<std::string, CandidateAnswer> candidates;  // by node; those left out are no candidates any more
  };
  struct BindAnswer {
    std::string error;  // empty: it is bound, or will be
  };

  virtual ~Extender() = default;

  virtual std::string_view name() const = 0;  // its URL prefix
  virtual bool is_ignorable() const = 0;      // pods may be placed without it when it fails
  virtual bool filters() const = 0;
  virtual bool prioritizes() const = 0;
  virtual bool preempts() const = 0;
  virtual bool binds() const = 0;
  virtual int64_t weight() const = 0;
  // Follows from the pod's spec alone.
  virtual bool IsInterested(const api::PodSpec& spec) const = 0;

  virtual void Filter(const api::PodPtr& pod, std::span<const api::NodePtr> nodes,
                      std::function<void(FilterAnswer)> answered) = 0;
  virtual void Prioritize(const api::PodPtr& pod, std::span<const api::NodePtr> nodes,
                          std::function<void(PrioritizeAnswer)> answered) = 0;
  virtual void Preempt(const api::PodPtr& pod, std::vector<Candidate> candidates,
                       std::function<void(PreemptAnswer)> answered) = 0;
  virtual void Bind(const api::PodPtr& pod, std::string_view node, std::function<void(BindAnswer)> answered) = 0;
};

// The extenders of a configuration, in the order in which they are asked. What is under way when this is destroyed is
// answered with an error first.
class Extenders {
 public:
  virtual ~Extenders() = default;
  virtual std::span<Extender* const> list() const = 0;
};

}  // namespace berth::framework
