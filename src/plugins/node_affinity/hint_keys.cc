// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_affinity/hint_keys.h"

#include "framework/event_objects.h"
#include "framework/label_keys.h"
#include "plugins/node_affinity/node_sets.h"

#include <string_view>

namespace berth::plugins {
namespace {

using namespace framework;

constexpr std::string_view kNameField = "metadata.name";

// Appends the keys of the labels by whose change the requirement can come to hold. Says whether a node without the
// label fails it: only then must a new node offer one of the keys.
bool NeedRequirement(const api::NodeSelectorRequirement& requirement, std::vector<uint64_t>& keys) {
  if (requirement.op == "In") {
    for (const std::string& value : requirement.values) keys.push_back(PairKey(requirement.key, value));
    return true;
  }
  keys.push_back(NameKey(requirement.key));
  return requirement.op == "Exists" || requirement.op == "Gt" || requirement.op == "Lt";
}

bool NeedTerm(const api::NodeSelectorTerm& term, std::vector<uint64_t>& keys) {
  bool must_offer = false;
  for (const auto& requirement : term.match_expressions) must_offer |= NeedRequirement(requirement, keys);
  // A node's name does not change, so what asks for another than some name is of no use as a key.
  for (const auto& requirement : term.match_fields) {
    if (requirement.op == "In") must_offer |= NeedRequirement(requirement, keys);
  }
  return must_offer || term.empty();
}

bool Needed(const PodInfo& pod, std::vector<uint64_t>& keys) {
  const api::PodSpec& spec = pod.spec();
  for (const auto& [name, value] : spec.node_selector) keys.push_back(PairKey(name, value));
  const api::NodeSelector* affinity = RequiredAffinity(spec);
  if (affinity == nullptr) return !spec.node_selector.empty();
  bool must_offer = true;
  for (const api::NodeSelectorTerm& term : affinity->terms) {
    // What does not parse wakes the pod whatever the labels.
    if (!api::Parses(term)) return false;
    must_offer &= NeedTerm(term, keys);
  }
  return must_offer || !spec.node_selector.empty();
}

bool Offered(const api::Object* before, const api::Object* after, std::vector<uint64_t>& keys) {
  const auto* old_node = ObjectAs<api::Node>(before);
  const auto* new_node = ObjectAs<api::Node>(after);
  if (new_node == nullptr) return false;
  if (old_node != nullptr) {
    OfferChangedLabels(old_node->meta.labels, new_node->meta.labels, keys);
    return true;
  }
  OfferLabels(new_node->meta.labels, keys);
  keys.push_back(PairKey(kNameField, new_node->meta.name));
  return true;
}

}  // namespace

std::shared_ptr<const HintKeys> NodeAffinityKeys() {
  return std::make_shared<const HintKeys>(HintKeys{Needed, Offered});
}

}  // namespace berth::plugins
