// SPDX-License-Identifier: Apache-2.0
#include "api/encode_parts.h"

namespace berth::api {

std::string_view EffectName(TaintEffect effect) {
  switch (effect) {
    case TaintEffect::None: return "";
    case TaintEffect::NoSchedule: return "NoSchedule";
    case TaintEffect::PreferNoSchedule: return "PreferNoSchedule";
    case TaintEffect::NoExecute: return "NoExecute";
  }
  return "";
}

std::vector<Value> EncodeConditions(const std::vector<Condition>& conditions) {
  std::vector<Value> list;
  for (const Condition& condition : conditions) {
    list.push_back(MapWriter()
                       .Text("type", condition.type)
                       .Text("status", condition.status)
                       .Text("reason", condition.reason)
                       .Text("message", condition.message)
                       .Take());
  }
  return list;
}

void EncodeBody(const Node& node, MapWriter& map) {
  const auto as_is = [](const Value& value) { return value; };
  const auto taint = [](const Taint& t) {
    return MapWriter()
        .Text("key", t.key)
        .Text("value", t.value)
        .Text("effect", EffectName(t.effect))
        .Time("timeAdded", t.added)
        .Take();
  };
  const auto image = [](const ContainerImage& i) {
    return MapWriter().Texts("names", i.names).Number("sizeBytes", i.size_bytes).Take();
  };
  map.Map("spec", MapWriter().Flag("unschedulable", node.unschedulable).List("taints", node.taints, taint));
  MapWriter status;
  status.Amounts("capacity", node.capacity);
  // Always written: if allocatable were missing, it would default to the capacity.
  status.Put("allocatable", Value::Map()).Amounts("allocatable", node.allocatable);
  status.List("images", node.images, image)
      .Texts("declaredFeatures", node.declared_features)
      .List("conditions", EncodeConditions(node.conditions), as_is);
  map.Map("status", std::move(status));
}

}  // namespace berth::api
