// SPDX-License-Identifier: Apache-2.0
#include "explain/advice.h"

#include "explain/lack_text.h"
#include "text/amount.h"
#include "text/layout.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::explain {
namespace {

using text::AmountText;
using text::ExactAmount;
using text::Listed;

using NodesByText = std::map<std::string, std::vector<std::string>>;

const Objection* OnlyObjection(const RejectedNode& node) {
  return node.objections.size() == 1 ? &node.objections.front() : nullptr;
}

std::string Fits(const std::vector<std::string>& nodes) { return fmt::format("fits {}", Listed(nodes)); }

// The closest node that only lacks resources. Nodes are sorted closest first, so it needs the smallest change.
const RejectedNode* ClosestShortNode(const Explanation& explanation) {
  for (const RejectedNode& node : explanation.rejected) {
    const Objection* objection = OnlyObjection(node);
    if (objection == nullptr || node.shortfalls.empty()) continue;
    const bool lacks_more = objection->lacks.size() != node.shortfalls.size();
    if (!lacks_more) return &node;
  }
  return nullptr;
}

void AdviseRequests(const Explanation& explanation, std::vector<std::string>& advice) {
  const RejectedNode* closest = ClosestShortNode(explanation);
  if (closest == nullptr) return;
  // Advice to cut a request by more than half is noise.
  const bool reasonable = std::all_of(closest->shortfalls.begin(), closest->shortfalls.end(), [](const Shortfall& one) {
    return one.free > 0 && one.missing() <= one.requested / 2;
  });
  if (reasonable) {
    std::vector<std::string> parts;
    for (const Shortfall& shortfall : closest->shortfalls) {
      // A rounded amount could exceed what is free.
      parts.push_back(fmt::format("{} {}", shortfall.resource, ExactAmount(shortfall.resource, shortfall.free)));
    }
    advice.push_back(fmt::format("request {}: fits {}", fmt::join(parts, " and "), closest->name));
  }
  if (closest->preemption_may_help) advice.push_back(fmt::format("one more node like {}", closest->name));
}

// If every node would be too small even when empty, names the amounts no node has.
void AdviseLargerNode(const Explanation& explanation, std::vector<std::string>& advice) {
  std::map<std::string, int64_t> largest;  // of the resources that some node lacks
  for (const RejectedNode& node : explanation.rejected) {
    bool hopeless = false;
    for (const Shortfall& shortfall : node.shortfalls) {
      hopeless = hopeless || shortfall.requested > shortfall.allocatable;
      int64_t& most = largest[shortfall.resource];
      most = std::max(most, shortfall.allocatable);
    }
    if (!hopeless) return;
  }
  std::vector<std::string> parts;
  for (const Amount& amount : explanation.needs.requests) {
    const auto it = largest.find(amount.resource);
    if (it == largest.end() || it->second >= amount.value) continue;
    parts.push_back(fmt::format("{} {} (the largest has {})", amount.resource,
                                AmountText(amount.resource, amount.value), AmountText(amount.resource, it->second)));
  }
  if (!parts.empty()) advice.push_back(fmt::format("a node with {}", fmt::join(parts, " and ")));
}

// Remedies named by a plugin that is the only one to reject a node.
void AdviseRemedies(const Explanation& explanation, Remedy::Of changes, std::vector<std::string>& advice) {
  NodesByText nodes_of_remedy;
  for (const RejectedNode& node : explanation.rejected) {
    const Objection* objection = OnlyObjection(node);
    if (objection == nullptr) continue;
    for (const Remedy& remedy : objection->remedies) {
      if (remedy.changes != changes) continue;
      const bool needs_place = changes == Remedy::Of::Node && !remedy.objects.empty();
      nodes_of_remedy[RemedyText(remedy) + (needs_place ? " on" : "")].push_back(node.name);
    }
  }
  for (const auto& [remedy, nodes] : nodes_of_remedy) {
    advice.push_back(changes == Remedy::Of::Pod ? fmt::format("{}: {}", remedy, Fits(nodes))
                                                : fmt::format("{} {}", remedy, Listed(nodes)));
  }
}

void AdviseOthers(const Explanation& explanation, std::vector<std::string>& advice) {
  NodesByText nodes_of_plugin;
  for (const RejectedNode& node : explanation.rejected) {
    const Objection* objection = OnlyObjection(node);
    if (objection == nullptr || objection->says_what_helps) continue;
    nodes_of_plugin[objection->plugin].push_back(node.name);
  }
  for (const auto& [plugin, nodes] : nodes_of_plugin) {
    advice.push_back(fmt::format("without what {} objects to: {}", plugin, Fits(nodes)));
  }
}

}  // namespace

std::vector<std::string> AdviceFor(const Explanation& explanation) {
  std::vector<std::string> advice;
  AdviseRequests(explanation, advice);
  AdviseLargerNode(explanation, advice);
  AdviseRemedies(explanation, Remedy::Of::Pod, advice);
  AdviseRemedies(explanation, Remedy::Of::Node, advice);
  AdviseOthers(explanation, advice);
  return advice;
}

}  // namespace berth::explain
