// SPDX-License-Identifier: Apache-2.0
#include "simulator/record/pod_past.h"

#include "api/time_text.h"
#include "config/fields/go_duration.h"
#include "text/report_values.h"

#include <fmt/format.h>

namespace berth::simulator {

using api::Value;
using scheduler::Decision;
using scheduler::DecisionRecord;
using text::CountValue;
using text::TextValue;
using text::TextValues;

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
  value.Set("plugin", TextValue(rejection.plugin));
  value.Set("reasons", TextValue(rejection.reasons));
  value.Set("nodes", TextValues(record.NodesOf(rejection, record.nodes)));
  return value;
}

Value ScoredValue(const DecisionRecord::ScoredNode& node) {
  Value value = Value::Map();
  value.Set("node", TextValue(node.node));
  value.Set("total", Value::Int(node.total));
  Value parts = Value::List();
  for (const auto& [plugin, weighted] : node.parts) {
    Value part = Value::Map();
    part.Set("plugin", TextValue(plugin));
    part.Set("weighted", Value::Int(weighted));
    parts.Append(std::move(part));
  }
  value.Set("parts", std::move(parts));
  return value;
}

Value AttemptValue(const PodPast& past, const DecisionRecord& record) {
  Value value = Value::Map();
  value.Set("attempt", Value::Int(record.attempt));
  value.Set("at", TextValue(config::FormatGoDuration(record.time - past.start)));
  value.Set("time", TextValue(api::ToRfc3339(record.time)));
  value.Set("profile", TextValue(record.profile));
  value.Set("outcome", TextValue(OutcomeName(record.outcome)));
  if (!record.node.empty()) {
    value.Set("node", TextValue(record.node));
    value.Set("score", Value::Int(record.score));
    value.Set("tied", CountValue(record.best_count));
  }
  Value nodes = Value::Map();
  nodes.Set("total", CountValue(record.nodes));
  nodes.Set("feasible", CountValue(record.feasible));
  value.Set("nodes", std::move(nodes));
  if (!record.message.empty()) value.Set("message", TextValue(record.message));
  if (!record.nominated_node.empty()) value.Set("nominatedNode", TextValue(record.nominated_node));
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
  document.Set("apiVersion", TextValue(text::kReportVersion));
  document.Set("kind", TextValue("PodPast"));
  document.Set("pod", TextValue(past.pod));
  document.Set("start", TextValue(api::ToRfc3339(past.start)));
  Value changes = Value::List();
  for (const PodPast::Change& change : past.changes) {
    Value value = Value::Map();
    value.Set("at", TextValue(config::FormatGoDuration(change.at)));
    value.Set("what", TextValue(change.what));
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
