// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/ephemeral_claims.h"

#include <string>
#include <string_view>
#include <utility>

namespace berth::simulator {
namespace {

using api::Value;

const Value* At(const Value* map, std::string_view key) { return map == nullptr ? nullptr : map->Find(key); }

std::string TextIn(const Value* map, std::string_view key) {
  const Value* value = At(map, key);
  return value == nullptr ? std::string() : value->text();
}

Value OwnedBy(const Value& pod_meta) {
  Value owner = Value::Map();
  owner.Set("apiVersion", Value::String("v1"));
  owner.Set("kind", Value::String("Pod"));
  owner.Set("name", Value::String(TextIn(&pod_meta, "name")));
  owner.Set("uid", Value::String(TextIn(&pod_meta, "uid")));
  owner.Set("controller", Value::Bool(true));
  Value owners = Value::List();
  owners.Append(std::move(owner));
  return owners;
}

}  // namespace

std::vector<Value> EphemeralClaimsOf(const Value& pod) {
  std::vector<Value> claims;
  const Value* pod_meta = pod.Find("metadata");
  const Value* volumes = At(pod.Find("spec"), "volumes");
  if (pod_meta == nullptr || volumes == nullptr) return claims;
  for (const Value& volume : volumes->items()) {
    const Value* made_from = At(volume.Find("ephemeral"), "volumeClaimTemplate");
    if (made_from == nullptr) continue;
    Value meta = Value::Map();
    if (const Value* given = made_from->Find("metadata"); given != nullptr && given->is_map()) meta = *given;
    meta.Set("name", Value::String(TextIn(pod_meta, "name") + "-" + TextIn(&volume, "name")));
    meta.Set("namespace", Value::String(TextIn(pod_meta, "namespace")));
    meta.Set("ownerReferences", OwnedBy(*pod_meta));
    Value claim = Value::Map();
    claim.Set("apiVersion", Value::String("v1"));
    claim.Set("kind", Value::String("PersistentVolumeClaim"));
    claim.Set("metadata", std::move(meta));
    if (const Value* spec = made_from->Find("spec")) claim.Set("spec", *spec);
    claims.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace berth::simulator
