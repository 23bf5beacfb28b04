// SPDX-License-Identifier: Apache-2.0
#include "simulator/record/pod_past.h"

#include "api/time_text.h"
#include "config/fields/go_duration.h"
#include "explain/explanation_document.h"

#include <fmt/format.h>

namespace berth::simulator {

using api::Value;
using scheduler::Decision;
using scheduler::DecisionRecord;

namespace {

std::string WhatHappened(const Input& input) {
  switch (input.op) {
    case Input::Op::Create: return "arrived";
    case Input::Op::Update: return "changed";
    case Input::Op::Delete: return "deleted";
    case Input::Op::Phase: break;
  }
  std::string phase = input.phase;
  for (char& c : phase) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return phase;
}

Value Text(std::string_view text) { return Value::String(std::string(text)); }
Value Count(size_t count) { return Value::Int(static_cast<int64_t>(count)); }

std::string_view OutcomeName(Decision::Outcome outcome) {
  switch (outcome) {
    case Decision::Outcome::Placed: return "Placed";
    case Decision::Outcome::Unschedulable: return "Unschedulable";
    case Decision::Outcome::Error: break;
  }
  return "Error";
}

Value RejectionValue(const DecisionRecord& record, const DecisionRecord::Rejection& rejection) {
  Value value = Value::Map();
  value.Set("plugin", Text(rejection.plugin));
  value.Set("reasons", Text(rejection.reasons));
  value.Set("nodes", explain::StringList(record.NodesOf(rejection, record.nodes)));
  return value;
}

Value ScoredValue(const DecisionRecord::ScoredNode& node) {
  Value value = Value::Map();
  value.Set("node", Text(node.node));
  value.Set("total", Value::Int(node.total));
  Value parts = Value::List();
  for (const auto& [plugin, weighted] : node.parts) {
    Value part = Value::Map();
    part.Set("plugin", Text(plugin));
    part.Set("weighted", Value::Int(weighted));
    parts.Append(std::move(part));
  }
  value.Set("parts", std::move(parts));
  return value;
}

Value AttemptValue(const PodPast& past, const DecisionRecord& record) {
  Value value = Value::Map();
  value.Set("attempt", Value::Int(record.attempt));
  value.Set("at", Text(config::FormatGoDuration(record.time - past.start)));
  value.Set("time", Text(api::ToRfc3339(record.time)));
  value.Set("profile", Text(record.profile));
  value.Set("outcome", Text(OutcomeName(record.outcome)));
  if (!record.node.empty()) {
    value.Set("node", Text(record.node));
    value.Set("score", Value::Int(record.score));
    value.Set("tied", Count(record.best_count));
  }
  Value nodes = Value::Map();
  nodes.Set("total", Count(record.nodes));
  nodes.Set("feasible", Count(record.feasible));
  value.Set("nodes", std::move(nodes));
  if (!record.message.empty()) value.Set("message", Text(record.message));
  if (!record.nominated_node.empty()) value.Set("nominatedNode", Text(record.nominated_node));
  Value rejections = Value::List();
  for (const DecisionRecord::Rejection& rejection : record.rejections) {
    rejections.Append(RejectionValue(record, rejection));
  }
  value.Set("rejections", std::move(rejections));
  Value best = Value::List();
  for (const DecisionRecord::ScoredNode& node : record.top) best.Append(ScoredValue(node));
  value.Set("best", std::move(best));
  return value;
}

}  // namespace

PodPast PastOf(const RunRecord& record, const std::string& pod) {
  PodPast past;
  past.pod = pod;
  past.start = record.header.start;
  for (const RecordedInput& recorded : record.inputs) {
    const store::Key& key = recorded.input.key;
    if (key.kind != "Pod" || pod != key.namespace_ + "/" + key.name) continue;
    past.changes.push_back({recorded.at, WhatHappened(recorded.input)});
  }
  return past;
}

Value PodPastDocument(const PodPast& past, std::optional<int> attempt) {
  Value document = Value::Map();
  document.Set("apiVersion", Text(explain::kReportVersion));
  document.Set("kind", Text("PodPast"));
  document.Set("pod", Text(past.pod));
  document.Set("start", Text(api::ToRfc3339(past.start)));
  Value changes = Value::List();
  for (const PodPast::Change& change : past.changes) {
    Value value = Value::Map();
    value.Set("at", Text(config::FormatGoDuration(change.at)));
    value.Set("what", Text(change.what));
    changes.Append(std::move(value));
  }
  document.Set("changes", std::move(changes));
  Value attempts = Value::List();
  for (const DecisionRecord& record : past.attempts) {
    if (!attempt || record.attempt == *attempt) attempts.Append(AttemptValue(past, record));
  }
  document.Set("attempts", std::move(attempts));
  return document;
}

}  // namespace berth::simulator
