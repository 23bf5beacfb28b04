// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/input.h"

#include "api/document.h"
#include "api/kinds.h"
#include "api/time_text.h"
#include "simulator/map_in.h"

#include <set>
#include <utility>

#include <fmt/format.h>

namespace berth::simulator {

using api::Value;
using store::Operation;

namespace {

constexpr size_t kMostOperations = 5'000;

std::string_view TextAt(const Value& map, std::string_view key) {
  const Value* value = map.Find(key);
  return value == nullptr ? std::string_view() : std::string_view(value->text());
}

std::string TextAt(const Value& document, std::string_view part, std::string_view key) {
  const Value* inner = document.Find(part);
  return inner == nullptr ? std::string() : std::string(TextAt(*inner, key));
}

// The document of a pod with another phase.
Result<std::string> WithPhase(const store::Record& record, const std::string& phase, Timestamp now) {
  BERTH_ASSIGN_OR_RETURN(std::vector<api::Document> documents,
                         api::ReadDocuments(*record.value, store::ToText(record.key)));
  if (documents.size() != 1 || !documents.front().root.is_map()) {
    return InvalidError(store::ToText(record.key) + " is not one JSON object");
  }
  SetPhaseIn(documents.front().root, phase, now);
  return api::ToJson(documents.front().root);
}

Result<Operation> OperationFor(const Input& input, store::Store& store, Timestamp now) {
  Operation operation;
  operation.key = input.key;
  operation.uid = input.uid;
  operation.value = input.document;
  operation.fields = input.fields;
  switch (input.op) {
    case Input::Op::Create: return operation;
    case Input::Op::Delete: operation.type = Operation::Type::Delete; return operation;
    case Input::Op::Update:
    case Input::Op::Phase: break;
  }
  operation.type = Operation::Type::Update;
  BERTH_ASSIGN_OR_RETURN(const store::RecordPtr present, store.Get(input.key));
  if (input.op == Input::Op::Phase) {
    BERTH_ASSIGN_OR_RETURN(operation.value, WithPhase(*present, input.phase, now));
    operation.fields = present->fields;
    operation.fields.phase = input.phase;
  } else if (!present->fields.node_name.empty()) {
    operation.fields.node_name = present->fields.node_name;
  }
  return operation;
}

Result<void> Commit(store::Transaction& transaction, store::Store& store) {
  if (transaction.operations.empty()) return {};
  std::vector<store::Key> keys;
  for (const Operation& operation : transaction.operations) keys.push_back(operation.key);
  BERTH_ASSIGN_OR_RETURN(const store::CommitOutcome outcome, store.Commit(std::exchange(transaction, {})));
  if (outcome.committed) return {};
  return Error{ErrorCode::Conflict, fmt::format("cannot write {}: {}", store::ToText(keys[outcome.index]),
                                                outcome.current == nullptr ? "there is none" : "there is one already")};
}

}  // namespace

void SetPhaseIn(Value& pod, const std::string& phase, Timestamp now) {
  Value& status = MapIn(pod, "status");
  status.Set("phase", Value::String(phase));
  if (phase == "Running" && status.Find("startTime") == nullptr) {
    status.Set("startTime", Value::String(api::ToRfc3339(now)));
  }
}

store::Key KeyOf(const Value& document) {
  store::Key key{api::QualifiedKind(TextAt(document, "apiVersion"), TextAt(document, "kind")),
                 TextAt(document, "metadata", "namespace"), TextAt(document, "metadata", "name")};
  const api::KindInfo* known = api::FindKind(key.kind);
  if (known != nullptr && !known->namespaced) {
    key.namespace_.clear();
  } else if (known != nullptr && key.namespace_.empty()) {
    key.namespace_ = "default";
  }
  return key;
}

Input WriteInput(Input::Op op, const Value& document) {
  Input input;
  input.op = op;
  input.key = KeyOf(document);
  input.uid = TextAt(document, "metadata", "uid");
  input.document = api::ToJson(document);
  if (input.key.kind == "Pod") {
    input.fields.node_name = TextAt(document, "spec", "nodeName");
    input.fields.phase = TextAt(document, "status", "phase");
    input.fields.scheduler_name = TextAt(document, "spec", "schedulerName");
  }
  return input;
}

Result<void> CommitInputs(std::span<const Input> inputs, store::Store& store, Timestamp now) {
  store::Transaction transaction;
  std::set<store::Key> written;
  for (const Input& input : inputs) {
    // An object can be written only once per transaction, and an update must see the previous write.
    if (!written.insert(input.key).second || transaction.operations.size() >= kMostOperations) {
      BERTH_RETURN_IF_ERROR(Commit(transaction, store));
      written = {input.key};
    }
    BERTH_ASSIGN_OR_RETURN(Operation operation, OperationFor(input, store, now));
    transaction.operations.push_back(std::move(operation));
  }
  return Commit(transaction, store);
}

}  // namespace berth::simulator
