// SPDX-License-Identifier: Apache-2.0
#include "api/decode_meta.h"

namespace berth::api {

ObjectMeta DecodeMeta(FieldReader& object, Scope scope) {
  ObjectMeta meta;
  object.Map("metadata", [&](FieldReader& r) {
    meta.name = r.String("name");
    meta.namespace_ = r.String("namespace");
    meta.uid = r.String("uid");
    meta.resource_version = r.String("resourceVersion");
    meta.generation = r.Int64("generation").value_or(0);
    meta.labels = r.LabelMap("labels");
    meta.annotations = r.LabelMap("annotations");
    meta.created = r.Time("creationTimestamp");
    meta.deleted = r.Time("deletionTimestamp");
    r.ForEach("ownerReferences", [&](FieldReader& owner) {
      meta.owners.push_back({owner.String("apiVersion"), owner.String("kind"), owner.String("name"),
                             owner.String("uid"), owner.Bool("controller")});
    });
  });
  // A map of the wrong kind was noted already; say no more about it.
  if (meta.name.empty() && object.value().is_map()) {
    const Value* metadata = object.Raw("metadata");
    const Value* name = metadata != nullptr ? metadata->Find("name") : nullptr;
    if (name == nullptr || name->is_null() || name->is_string()) {
      const Position at = metadata != nullptr ? metadata->position() : object.value().position();
      object.errors().Add(object.Path("metadata.name"), at, "a name is required");
    }
  }
  if (scope == Scope::ClusterWide) {
    meta.namespace_.clear();
  } else if (scope == Scope::Namespaced && meta.namespace_.empty()) {
    meta.namespace_ = "default";
  }
  return meta;
}

ResourceList DecodeResourceList(FieldReader& reader, std::string_view key) {
  ResourceList list;
  reader.Map(key, [&](FieldReader& amounts) {
    for (const Value::Member& member : amounts.value().members()) {
      if (const std::optional<Quantity> amount = amounts.QuantityAt(member.key)) {
        list.Set(member.key, amount->RoundedToMilli());
      }
    }
  });
  return list;
}

ResourceRequirements DecodeResourceRequirements(FieldReader& reader) {
  return {DecodeResourceList(reader, "requests"), DecodeResourceList(reader, "limits")};
}

}  // namespace berth::api
