// SPDX-License-Identifier: Apache-2.0
#include "api/decode_meta.h"
#include "api/decode_selectors.h"
#include "api/object.h"

namespace berth::api {

template <>
Namespace Decode<Namespace>(const Value& document, DecodeErrors& errors) {
  FieldReader reader(document, "", errors);
  Namespace object{DecodeMetaOf<Namespace>(reader)};
  // The API server labels every namespace with its own name.
  if (!object.meta.name.empty()) object.meta.labels.Set("kubernetes.io/metadata.name", object.meta.name);
  return object;
}

template <>
Service Decode<Service>(const Value& document, DecodeErrors& errors) {
  FieldReader reader(document, "", errors);
  Service object;
  object.meta = DecodeMetaOf<Service>(reader);
  reader.Map("spec", [&](FieldReader& r) { object.selector = r.LabelMap("selector"); });
  return object;
}

template <>
ReplicationController Decode<ReplicationController>(const Value& document, DecodeErrors& errors) {
  FieldReader reader(document, "", errors);
  ReplicationController object;
  object.meta = DecodeMetaOf<ReplicationController>(reader);
  reader.Map("spec", [&](FieldReader& spec) {
    object.selector = spec.LabelMap("selector");
    if (!object.selector.empty()) return;
    // Without a selector the labels of the template select.
    spec.Map("template", [&](FieldReader& pod) {
      pod.Map("metadata", [&](FieldReader& meta) { object.selector = meta.LabelMap("labels"); });
    });
  });
  return object;
}

template <>
ReplicaSet Decode<ReplicaSet>(const Value& document, DecodeErrors& errors) {
  FieldReader reader(document, "", errors);
  ReplicaSet object;
  object.meta = DecodeMetaOf<ReplicaSet>(reader);
  reader.Map("spec", [&](FieldReader& r) { object.selector = DecodeLabelSelector(r, "selector"); });
  return object;
}

template <>
StatefulSet Decode<StatefulSet>(const Value& document, DecodeErrors& errors) {
  FieldReader reader(document, "", errors);
  StatefulSet object;
  object.meta = DecodeMetaOf<StatefulSet>(reader);
  reader.Map("spec", [&](FieldReader& r) { object.selector = DecodeLabelSelector(r, "selector"); });
  return object;
}

template <>
PodDisruptionBudget Decode<PodDisruptionBudget>(const Value& document, DecodeErrors& errors) {
  FieldReader reader(document, "", errors);
  PodDisruptionBudget object;
  object.meta = DecodeMetaOf<PodDisruptionBudget>(reader);
  reader.Map("spec", [&](FieldReader& r) { object.selector = DecodeLabelSelector(r, "selector"); });
  reader.Map("status", [&](FieldReader& status) {
    object.disruptions_allowed = status.Int32("disruptionsAllowed").value_or(0);
    status.Map("disruptedPods", [&](FieldReader& pods) {
      for (const Value::Member& member : pods.value().members()) object.disrupted_pods.push_back(member.key);
    });
  });
  return object;
}

template <>
PriorityClass Decode<PriorityClass>(const Value& document, DecodeErrors& errors) {
  FieldReader reader(document, "", errors);
  PriorityClass object;
  object.meta = DecodeMetaOf<PriorityClass>(reader);
  object.value = reader.Int32("value").value_or(0);
  object.global_default = reader.Bool("globalDefault");
  object.preemption_policy = reader.String("preemptionPolicy");
  return object;
}

}  // namespace berth::api
