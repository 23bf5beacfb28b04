// SPDX-License-Identifier: Apache-2.0
#include "api/decode_meta.h"
#include "api/decode_status.h"
#include "api/decode_taint.h"
#include "api/object.h"

#include <algorithm>

namespace berth::api {

template <>
Node Decode<Node>(const Value& document, DecodeErrors& errors) {
  FieldReader reader(document, "", errors);
  Node node;
  node.meta = DecodeMetaOf<Node>(reader);
  reader.Map("spec", [&](FieldReader& r) {
    node.unschedulable = r.Bool("unschedulable");
    r.ForEach("taints", [&](FieldReader& taint) { node.taints.push_back(DecodeTaint(taint)); });
  });
  reader.Map("status", [&](FieldReader& r) {
    node.capacity = DecodeResourceList(r, "capacity");
    // The API server offers the whole capacity where a node does not say how much of it pods may have.
    node.allocatable = r.Raw("allocatable") != nullptr ? DecodeResourceList(r, "allocatable") : node.capacity;
    r.ForEach("images", [&](FieldReader& image) {
      node.images.push_back({image.Strings("names"), image.Int64("sizeBytes").value_or(0)});
    });
    node.declared_features = r.Strings("declaredFeatures");
    std::ranges::sort(node.declared_features);
    node.conditions = DecodeConditions(r);
  });
  return node;
}

}  // namespace berth::api
