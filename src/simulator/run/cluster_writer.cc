// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/cluster_writer.h"

#include "api/document.h"
#include "api/object.h"
#include "api/time_text.h"
#include "simulator/map_in.h"
#include "simulator/pod_priority.h"

#include <utility>

#include <fmt/format.h>

namespace berth::simulator {

using api::Value;
using store::Key;

namespace {

Error NoSuch(const Key& key) { return NotFoundError(fmt::format("there is no {}", store::ToText(key))); }

bool Lacks(const Value& map, std::string_view key) {
  const Value* value = map.Find(key);
  return value == nullptr || value->is_null();
}

void SetIfAbsent(Value& map, std::string_view key, std::string text) {
  if (Lacks(map, key)) map.Set(key, Value::String(std::move(text)));
}

}  // namespace

ClusterWriter::ClusterWriter(store::Store& store, const Clock& clock, std::function<void(const Input&)> sink)
    : store_(store), clock_(clock), sink_(std::move(sink)) {}

bool ClusterWriter::Exists(const Key& key) {
  if (!touched_.contains(key)) return store_.Get(key).has_value();
  for (auto input = pending_.rbegin(); input != pending_.rend(); ++input) {
    if (input->key == key) return input->op != Input::Op::Delete;
  }
  return false;
}

Result<Value> ClusterWriter::Create(Value document) {
  const Key key = KeyOf(document);
  if (Exists(key)) return Error{ErrorCode::AlreadyExists, fmt::format("there is a {} already", store::ToText(key))};
  Complete(document, key, /*is_new=*/true);
  Add(WriteInput(Input::Op::Create, document));
  Learn(document);
  return document;
}

Result<Value> ClusterWriter::Apply(Value document) {
  const Key key = KeyOf(document);
  if (!Exists(key)) return Create(std::move(document));
  BERTH_ASSIGN_OR_RETURN(const Value present, Read(key));
  const Value* metadata = present.Find("metadata");
  for (const char* kept : {"uid", "creationTimestamp"}) {
    if (const Value* value = metadata->Find(kept)) MapIn(document, "metadata").Set(kept, *value);
  }
  Complete(document, key, /*is_new=*/false);
  Add(WriteInput(Input::Op::Update, document));
  Learn(document);
  return document;
}

Result<void> ClusterWriter::Delete(const Key& key) {
  if (!Exists(key)) return NoSuch(key);
  if (key.kind == "PriorityClass") classes_.Remove(key.kind, key.name);
  Input input;
  input.op = Input::Op::Delete;
  input.key = key;
  Add(std::move(input));
  return {};
}

Result<void> ClusterWriter::SetPhase(const Key& key, std::string phase) {
  if (!Exists(key)) return NoSuch(key);
  Input input;
  input.op = Input::Op::Phase;
  input.key = key;
  input.phase = std::move(phase);
  Add(std::move(input));
  return {};
}

Result<Value> ClusterWriter::Read(const Key& key) {
  if (!Exists(key)) return NoSuch(key);
  std::string text;
  std::vector<const std::string*> phases;
  if (touched_.contains(key)) {
    for (const Input& input : pending_) {
      if (input.key != key) continue;
      if (input.op == Input::Op::Phase) {
        phases.push_back(&input.phase);
      } else {
        text = input.document;
        phases.clear();
      }
    }
  }
  if (text.empty()) {
    BERTH_ASSIGN_OR_RETURN(const store::RecordPtr record, store_.Get(key));
    text = *record->value;
  }
  BERTH_ASSIGN_OR_RETURN(std::vector<api::Document> documents, api::ReadDocuments(text, store::ToText(key)));
  for (const std::string* phase : phases) SetPhaseIn(documents.front().root, *phase, clock_.Now());
  return std::move(documents.front().root);
}

void ClusterWriter::Add(Input input) {
  touched_.insert(input.key);
  pending_.push_back(std::move(input));
}

Result<void> ClusterWriter::Commit() {
  const std::vector<Input> inputs = std::exchange(pending_, {});
  touched_.clear();
  BERTH_RETURN_IF_ERROR(CommitInputs(inputs, store_, clock_.Now()));
  for (const Input& input : inputs) sink_(input);
  return {};
}

// What an API server would add.
void ClusterWriter::Complete(Value& document, const Key& key, bool is_new) {
  if (Lacks(document, "apiVersion")) document.Set("apiVersion", Value::String("v1"));
  Value& metadata = MapIn(document, "metadata");
  if (!key.namespace_.empty()) SetIfAbsent(metadata, "namespace", key.namespace_);
  const Value* uid = metadata.Find("uid");
  const bool is_taken = uid != nullptr && is_new && !given_uids_.insert(uid->text()).second;
  if (is_taken) {
    warnings_.push_back(fmt::format("{} has uid {}, which another object has, too: it gets one of its own",
                                    store::ToText(key), uid->text()));
  }
  if (is_taken || Lacks(metadata, "uid")) {
    metadata.Set("uid", Value::String(fmt::format("00000000-0000-4000-8000-{:012}", ++uids_)));
  }
  SetIfAbsent(metadata, "creationTimestamp", api::ToRfc3339(clock_.Now()));
  if (key.kind == "Pod") CompletePod(document, key);
}

void ClusterWriter::CompletePod(Value& document, const Key& key) {
  SetIfAbsent(MapIn(document, "status"), "phase", "Pending");
  Value& spec = MapIn(document, "spec");
  SetIfAbsent(spec, "schedulerName", "default-scheduler");
  if (!Lacks(spec, "priority")) return;
  const Value* name = spec.Find("priorityClassName");
  const std::string class_name = name == nullptr ? std::string() : name->text();
  const std::optional<GivenPriority> given = PriorityOfClass(class_name, classes_);
  if (!given && !class_name.empty() && unknown_classes_.insert(class_name).second) {
    warnings_.push_back(fmt::format("{} names priority class {}, which does not exist: it gets priority 0",
                                    store::ToText(key), class_name));
  }
  spec.Set("priority", Value::Int(given ? given->priority : 0));
  if (given && !given->preemption_policy.empty()) SetIfAbsent(spec, "preemptionPolicy", given->preemption_policy);
}

void ClusterWriter::Learn(const Value& document) {
  if (const Value* kind = document.Find("kind"); kind->text() != "PriorityClass") return;
  api::DecodeErrors errors;
  const api::Object decoded = api::DecodeObject(document, errors);
  if (errors.empty()) classes_.Set(decoded);
}

}  // namespace berth::simulator
