// SPDX-License-Identifier: Apache-2.0
#include "api/map_writer.h"

#include "api/time_text.h"

namespace berth::api {
namespace {

// Requirements of label selectors and of node selectors look alike.
template <typename Requirement>
Value EncodeRequirement(const Requirement& requirement) {
  return MapWriter()
      .Text("key", requirement.key)
      .Text("operator", requirement.op)
      .Texts("values", requirement.values)
      .Take();
}

}  // namespace

MapWriter& MapWriter::Time(std::string_view key, const std::optional<Timestamp>& time) {
  return time ? Put(key, Value::String(ToRfc3339(*time))) : *this;
}

MapWriter& MapWriter::Texts(std::string_view key, const std::vector<std::string>& texts) {
  return List(key, texts, [](const std::string& text) { return Value::String(text); });
}

MapWriter& MapWriter::Pairs(std::string_view key, const Labels& labels) {
  if (labels.empty()) return *this;
  Value map = Value::Map();
  for (const auto& [name, value] : labels) map.Set(name, Value::String(value));
  return Put(key, std::move(map));
}

MapWriter& MapWriter::Amounts(std::string_view key, const ResourceList& amounts) {
  if (amounts.empty()) return *this;
  Value map = Value::Map();
  for (const auto& [name, amount] : amounts) map.Set(name, Value::String(amount.ToString()));
  return Put(key, std::move(map));
}

MapWriter& MapWriter::Selector(std::string_view key, const std::optional<LabelSelector>& selector) {
  if (!selector) return *this;
  return Put(key,
             MapWriter()
                 .Pairs("matchLabels", selector->match_labels)
                 .List("matchExpressions", selector->match_expressions, EncodeRequirement<LabelSelector::Requirement>)
                 .Take());
}

MapWriter& MapWriter::NodeTerms(std::string_view key, const std::optional<NodeSelector>& selector) {
  if (!selector) return *this;
  return Put(key, MapWriter().List("nodeSelectorTerms", selector->terms, EncodeNodeTerm).Take());
}

Value EncodeNodeTerm(const NodeSelectorTerm& term) {
  return MapWriter()
      .List("matchExpressions", term.match_expressions, EncodeRequirement<NodeSelectorRequirement>)
      .List("matchFields", term.match_fields, EncodeRequirement<NodeSelectorRequirement>)
      .Take();
}

Value EncodeMeta(const ObjectMeta& meta) {
  return MapWriter()
      .Text("name", meta.name)
      .Text("namespace", meta.namespace_)
      .Text("uid", meta.uid)
      .Text("resourceVersion", meta.resource_version)
      .Number("generation", meta.generation == 0 ? std::nullopt : std::optional(meta.generation))
      .Pairs("labels", meta.labels)
      .Pairs("annotations", meta.annotations)
      .List("ownerReferences", meta.owners,
            [](const OwnerReference& owner) {
              return MapWriter()
                  .Text("apiVersion", owner.api_version)
                  .Text("kind", owner.kind)
                  .Text("name", owner.name)
                  .Text("uid", owner.uid)
                  .Flag("controller", owner.controller)
                  .Take();
            })
      .Time("creationTimestamp", meta.created)
      .Time("deletionTimestamp", meta.deleted)
      .Take();
}

}  // namespace berth::api
