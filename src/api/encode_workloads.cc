// SPDX-License-Identifier: Apache-2.0
#include "api/encode_parts.h"

namespace berth::api {

void EncodeBody(const Namespace& /*object*/, MapWriter& /*map*/) {}

void EncodeBody(const Service& object, MapWriter& map) {
  map.Map("spec", MapWriter().Pairs("selector", object.selector));
}

void EncodeBody(const ReplicationController& object, MapWriter& map) {
  map.Map("spec", MapWriter().Pairs("selector", object.selector));
}

void EncodeBody(const ReplicaSet& object, MapWriter& map) {
  map.Map("spec", MapWriter().Selector("selector", object.selector));
}

void EncodeBody(const StatefulSet& object, MapWriter& map) {
  map.Map("spec", MapWriter().Selector("selector", object.selector));
}

void EncodeBody(const PodDisruptionBudget& object, MapWriter& map) {
  map.Map("spec", MapWriter().Selector("selector", object.selector));
  MapWriter disrupted;
  for (const std::string& pod : object.disrupted_pods) disrupted.Put(pod, Value::String("1970-01-01T00:00:00Z"));
  map.Map(
      "status",
      MapWriter().Number("disruptionsAllowed", object.disruptions_allowed).Map("disruptedPods", std::move(disrupted)));
}

void EncodeBody(const PriorityClass& object, MapWriter& map) {
  map.Number("value", object.value)
      .Flag("globalDefault", object.global_default)
      .Text("preemptionPolicy", object.preemption_policy);
}

}  // namespace berth::api
