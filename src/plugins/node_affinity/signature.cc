// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_affinity/signature.h"

#include <string>

namespace berth::plugins {
namespace {

// Lengths before texts: no choice of keys and values can look like another.
void Append(std::string& text, const std::string& part) {
  text += std::to_string(part.size());
  text += ':';
  text += part;
}

void Append(std::string& text, const std::vector<api::NodeSelectorRequirement>& requirements) {
  text += '[';
  for (const api::NodeSelectorRequirement& requirement : requirements) {
    text += '(';
    Append(text, requirement.key);
    Append(text, requirement.op);
    for (const std::string& value : requirement.values) Append(text, value);
    text += ')';
  }
  text += ']';
}

void Append(std::string& text, const api::NodeSelectorTerm& term) {
  Append(text, term.match_expressions);
  Append(text, term.match_fields);
}

std::string TextOf(const api::NodeAffinity& affinity) {
  std::string text;
  if (affinity.required) {
    text += "required";
    for (const api::NodeSelectorTerm& term : affinity.required->terms) Append(text, term);
  }
  for (const api::PreferredSchedulingTerm& term : affinity.preferred) {
    text += "preferred";
    text += std::to_string(term.weight);
    Append(text, term.preference);
  }
  return text;
}

}  // namespace

framework::Signature SignNodeAffinity(const api::PodSpec& spec) {
  std::string selector;
  for (const auto& [key, value] : spec.node_selector) {
    Append(selector, key);
    Append(selector, value);
  }
  std::string affinity;
  if (spec.affinity != nullptr && spec.affinity->node) affinity = TextOf(*spec.affinity->node);
  return {{}, {{"nodeAffinity", std::move(affinity)}, {"nodeSelector", std::move(selector)}}};
}

}  // namespace berth::plugins
