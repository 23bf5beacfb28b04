// SPDX-License-Identifier: Apache-2.0
#include "home/object_documents.h"

#include "api/document.h"
#include "api/time_text.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace berth::home {

using api::Value;

namespace {

std::string_view TextOf(const Value& map, std::string_view key) {
  const Value* value = map.Find(key);
  return value == nullptr ? std::string_view() : std::string_view(value->text());
}

// The member of a map, made when it is missing.
Value& Member(Value& map, std::string_view key, Value when_missing) {
  Value::Members& members = map.mutable_members();
  for (Value::Member& member : members) {
    if (member.key == key) return member.value;
  }
  members.push_back({std::string(key), std::move(when_missing), {}});
  return members.back().value;
}

Value ConditionValue(const api::Condition& condition, int64_t observed_generation, std::string_view transition) {
  Value value = Value::Map();
  value.Set("type", Value::String(condition.type));
  if (observed_generation > 0) value.Set("observedGeneration", Value::Int(observed_generation));
  value.Set("status", Value::String(condition.status));
  value.Set("lastProbeTime", Value::Null());
  value.Set("lastTransitionTime", Value::String(std::string(transition)));
  if (!condition.reason.empty()) value.Set("reason", Value::String(condition.reason));
  if (!condition.message.empty()) value.Set("message", Value::String(condition.message));
  return value;
}

bool SetCondition(Value& status, const ConditionPatch& patch, Timestamp now) {
  const api::Condition& wanted = patch.condition;
  Value& conditions = Member(status, "conditions", Value::List());
  if (!conditions.is_list()) conditions = Value::List();
  for (Value& present : conditions.mutable_items()) {
    if (TextOf(present, "type") != wanted.type) continue;
    const bool same_status = TextOf(present, "status") == wanted.status;
    if (same_status && TextOf(present, "reason") == wanted.reason && TextOf(present, "message") == wanted.message) {
      return false;
    }
    const std::string transition =
        same_status ? std::string(TextOf(present, "lastTransitionTime")) : api::ToRfc3339(now);
    present = ConditionValue(wanted, patch.observed_generation, transition);
    return true;
  }
  conditions.Append(ConditionValue(wanted, patch.observed_generation, api::ToRfc3339(now)));
  return true;
}

bool SetNomination(Value& status, const std::string& node) {
  if (TextOf(status, "nominatedNodeName") == node) return false;
  if (!node.empty()) {
    status.Set("nominatedNodeName", Value::String(node));
  } else {
    std::erase_if(status.mutable_members(), [](const Value::Member& m) { return m.key == "nominatedNodeName"; });
  }
  return true;
}

// The document as one map, for changing.
Result<Value> ReadMap(std::string_view document, const std::string& what) {
  BERTH_ASSIGN_OR_RETURN(std::vector<api::Document> documents, api::ReadDocuments(document, what));
  if (documents.size() != 1 || !documents.front().root.is_map()) return InvalidError(what + " is not one JSON object");
  return std::move(documents.front().root);
}

// RFC 7386: null removes a member, a map is merged, everything else replaces.
void Merge(Value& target, const Value& patch) {
  if (!target.is_map()) target = Value::Map();
  for (const Value::Member& wanted : patch.members()) {
    Value::Members& members = target.mutable_members();
    if (wanted.value.is_null()) {
      std::erase_if(members, [&](const Value::Member& member) { return member.key == wanted.key; });
    } else if (!wanted.value.is_map()) {
      target.Set(wanted.key, wanted.value);
    } else {
      Merge(Member(target, wanted.key, Value::Map()), wanted.value);
    }
  }
}

Value ReferenceTo(const api::Pod& pod) {
  Value reference = Value::Map();
  reference.Set("kind", Value::String("Pod"));
  reference.Set("namespace", Value::String(pod.meta.namespace_));
  reference.Set("name", Value::String(pod.meta.name));
  reference.Set("uid", Value::String(pod.meta.uid));
  reference.Set("apiVersion", Value::String("v1"));
  return reference;
}

}  // namespace

Result<std::optional<std::string>> ApplyStatusPatch(std::string_view document, const std::string& what,
                                                    const PatchPodStatus& patch, Timestamp now) {
  BERTH_ASSIGN_OR_RETURN(Value root, ReadMap(document, what));
  Value& status = Member(root, "status", Value::Map());
  if (!status.is_map()) status = Value::Map();
  bool changed = false;
  if (patch.condition) changed |= SetCondition(status, *patch.condition, now);
  if (patch.nominated_node) changed |= SetNomination(status, *patch.nominated_node);
  if (!changed) return std::optional<std::string>();
  return std::optional<std::string>(api::ToJson(root));
}

Result<std::string> ApplyMergePatch(std::string_view document, const std::string& what, std::string_view merge_patch) {
  BERTH_ASSIGN_OR_RETURN(Value root, ReadMap(document, what));
  BERTH_ASSIGN_OR_RETURN(const Value patch, ReadMap(merge_patch, "the patch of " + what));
  Merge(root, patch);
  return api::ToJson(root);
}

std::string EventDocument(const EventNote& note, std::string_view name, std::string_view host) {
  const std::string& ns = note.about->meta.namespace_;
  Value meta = Value::Map();
  meta.Set("name", Value::String(std::string(name)));
  meta.Set("namespace", Value::String(ns.empty() ? "default" : ns));
  Value event = Value::Map();
  event.Set("apiVersion", Value::String("events.k8s.io/v1"));
  event.Set("kind", Value::String("Event"));
  event.Set("metadata", std::move(meta));
  event.Set("eventTime", Value::String(api::ToRfc3339Micro(note.time)));
  event.Set("reportingController", Value::String(note.controller));
  event.Set("reportingInstance",
            Value::String(host.empty() ? note.controller : fmt::format("{}-{}", note.controller, host)));
  event.Set("action", Value::String(note.action));
  event.Set("reason", Value::String(note.reason));
  event.Set("regarding", ReferenceTo(*note.about));
  if (note.related != nullptr) event.Set("related", ReferenceTo(*note.related));
  event.Set("note", Value::String(note.note));
  event.Set("type", Value::String(note.type));
  return api::ToJson(event);
}

}  // namespace berth::home
