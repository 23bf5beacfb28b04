// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/templates.h"

#include <utility>

#include <fmt/format.h>

namespace berth::simulator {

using api::FieldReader;
using api::Value;

namespace {

constexpr std::string_view kHostname = "kubernetes.io/hostname";
constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr const char* kUsualPods = "110";  // the kubelet's default

// The member of a map, created when missing.
Value& Member(Value& map, std::string_view key) {
  if (map.is_null()) map = Value::Map();
  for (Value::Member& member : map.mutable_members()) {
    if (member.key != key) continue;
    if (member.value.is_null()) member.value = Value::Map();
    return member.value;
  }
  map.Set(key, Value::Map());
  return map.mutable_members().back().value;
}

// The template as an object of `kind`, with an empty name first in its metadata.
Value ReadTemplate(FieldReader& reader, std::string_view kind) {
  Value document = Value::Map();
  document.Set("apiVersion", Value::String("v1"));
  document.Set("kind", Value::String(std::string(kind)));
  Value metadata = Value::Map();
  metadata.Set("name", Value::String(""));
  document.Set("metadata", std::move(metadata));
  reader.Map("template", [&](FieldReader& given) {
    for (const std::string_view part : {"apiVersion", "kind", "metadata", "spec", "status"}) given.Raw(part);
    given.RejectUnknown();
    if (const Value* own = given.value().Find("kind"); own != nullptr && own->text() != kind) {
      given.Fail("kind", fmt::format("expected {}", kind));
    }
    given.Map("metadata", [&](FieldReader& meta) {
      for (const char* key : {"name", "generateName", "uid", "creationTimestamp"}) {
        if (meta.Raw(key) != nullptr) meta.Fail(key, "is made for each object: leave it out");
      }
      for (const Value::Member& member : meta.value().members())
        Member(document, "metadata").Set(member.key, member.value);
    });
    for (const std::string_view part : {"spec", "status"}) {
      if (given.Map(part, [](FieldReader&) {})) document.Set(part, *given.value().Find(part));
    }
  });
  return document;
}

void SetName(Value& document, std::string name) {
  Member(document, "metadata").Set("name", Value::String(std::move(name)));
}

// Copies a field of the group into the document.
void Place(FieldReader& reader, std::string_view key, Value::Kind kind, Value& parent) {
  const Value* value = reader.Raw(key);
  if (value == nullptr) return;
  if (value->kind() != kind) {
    reader.Fail(key, fmt::format("expected {}, found {}", KindName(kind), KindName(value->kind())));
  } else if (parent.Find(key) != nullptr) {
    reader.Fail(key, "the template has it, too");
  } else {
    parent.Set(key, *value);
  }
}

}  // namespace

Value ReadNodeTemplate(FieldReader& group) {
  Value document = ReadTemplate(group, "Node");
  Place(group, "labels", Value::Kind::Map, Member(document, "metadata"));
  Place(group, "taints", Value::Kind::List, Member(document, "spec"));
  Value& status = Member(document, "status");
  Place(group, "allocatable", Value::Kind::Map, status);
  if (status.Find("allocatable") == nullptr && status.Find("capacity") == nullptr) {
    group.errors().Add(group.Path("allocatable"), group.value().position(), "nodes without resources take no pods");
  } else {
    Value& amounts = Member(status, status.Find("allocatable") != nullptr ? "allocatable" : "capacity");
    if (amounts.is_map() && amounts.Find("pods") == nullptr) amounts.Set("pods", Value::String(kUsualPods));
  }
  return document;
}

Value ReadPodTemplate(FieldReader& workload) {
  Value document = ReadTemplate(workload, "Pod");
  if (document.Find("spec") == nullptr) workload.Fail("template", "a template with the pods' spec is required");
  if (workload.Raw("namespace") != nullptr)
    Place(workload, "namespace", Value::Kind::String, Member(document, "metadata"));
  if (const auto priority = workload.Int32("priority")) {
    Place(workload, "priority", Value::Kind::Int, Member(document, "spec"));
  }
  return document;
}

std::string NameOf(const NodeGroup& group, uint64_t ordinal) { return fmt::format("{}-{}", group.name, ordinal); }
std::string NameOf(const Workload& workload, uint64_t ordinal) { return fmt::format("{}-{}", workload.name, ordinal); }

Value NodeDocument(const NodeGroup& group, uint64_t ordinal) {
  Value document = group.node;
  const std::string name = NameOf(group, ordinal);
  SetName(document, name);
  Value& labels = Member(Member(document, "metadata"), "labels");
  if (labels.Find(kHostname) == nullptr) labels.Set(kHostname, Value::String(name));
  if (!group.zones.empty()) labels.Set(kZone, Value::String(group.zones[(ordinal - 1) % group.zones.size()]));
  return document;
}

Value PodDocument(const Workload& workload, const std::string& name) {
  Value document = workload.pod;
  SetName(document, name);
  return document;
}

}  // namespace berth::simulator
