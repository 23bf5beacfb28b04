// SPDX-License-Identifier: Apache-2.0
#include "ledger_plugin.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>

namespace ledger {

using berth::CycleState;
using berth::Handle;
using berth::IndexedCluster;
using berth::NodeId;
using berth::PodInfo;
using berth::PostFilterResult;
using berth::Result;
using berth::Status;
using berth::Verdicts;
using berth::api::Value;

namespace {

// What PreScore leaves for PostBind.
struct Choice final : berth::CloneableState<Choice> {
  size_t feasible = 0;
};
constexpr berth::StateKey<Choice> kChoice{"Ledger/PreScore"};

Value Decimal(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.4f", number);
  return Value::Number(Value::Kind::Float, text);
}

Value Count(size_t count) { return Value::Int(static_cast<int64_t>(count)); }

// The larger share of the node's cpu and memory that the pod asks for.
double ShareOf(const PodInfo& pod, const berth::api::Node& node) {
  const auto share = [&](std::string_view resource, int64_t requested) {
    const berth::api::Quantity* whole = node.allocatable.Find(resource);
    const double all = whole == nullptr ? 0 : static_cast<double>(whole->MilliValue());
    return all > 0 ? static_cast<double>(requested) / all : 0.0;
  };
  const auto& requests = pod.traits->requests;
  return std::max(share(berth::api::kResourceCpu, requests.cpu),
                  1000 * share(berth::api::kResourceMemory, requests.memory));
}

// Per hour; nothing when the node has no price.
std::optional<double> CostOf(const PodInfo& pod, const berth::api::Node& node, const std::string& price_label) {
  const std::string* text = node.meta.labels.Find(price_label);
  if (text == nullptr) return std::nullopt;
  const Result<berth::api::Quantity> price = berth::api::Quantity::Parse(*text);
  if (!price) return std::nullopt;
  return static_cast<double>(price->MilliValue()) / 1000 * ShareOf(pod, node);
}

}  // namespace

void LedgerArgs::Decode(berth::FieldReader& reader) {
  file = reader.String("file", file);
  price_label = reader.String("priceLabel", price_label);
}

void LedgerArgs::Encode(Value& map) const {
  map.Set("file", Value::String(file));
  map.Set("priceLabel", Value::String(price_label));
}

std::vector<std::string> LedgerArgs::Validate(const std::string& path, const berth::FeatureGates&) const {
  if (!file.empty()) return {};
  return {berth::fields::Required(berth::fields::Child(path, "file"), "the ledger is written to it")};
}

Result<std::shared_ptr<Ledger>> Ledger::Create(const LedgerArgs& args, Handle& handle) {
  const auto complain = [log = handle.log().Named(kLedger)](const std::string& problem) { log.Warning(problem); };
  BERTH_ASSIGN_OR_RETURN(std::unique_ptr<LedgerFile> file, LedgerFile::Open(args.file, complain));
  return std::make_shared<Ledger>(args, handle, std::move(file));
}

Status Ledger::PreScore(CycleState& state, const PodInfo& pod, IndexedCluster&, std::span<const NodeId> feasible) {
  state.Write(kChoice).feasible = feasible.size();
  Value record = Record("scored", pod);
  record.Set("feasible", Count(feasible.size()));
  file_->Append(record);
  return Status::Success();
}

PostFilterResult Ledger::PostFilter(CycleState&, const PodInfo& pod, IndexedCluster& cluster,
                                    const Verdicts& verdicts) {
  Value reasons = Value::Map();
  const std::vector<size_t>& counts = verdicts.Counts();
  for (size_t id = Verdicts::kPass + 1; id < verdicts.table().size(); ++id) {
    if (counts[id] == 0) continue;
    reasons.Set(std::string(verdicts.table()[id].plugin()) + ": " + verdicts.table()[id].Message(), Count(counts[id]));
  }
  Value record = Record("rejected", pod);
  record.Set("nodes", Count(cluster.node_count()));
  record.Set("reasons", std::move(reasons));
  file_->Append(record);
  PostFilterResult result;
  result.status = Status(berth::Code::Unschedulable, {});
  return result;
}

void Ledger::PostBind(CycleState& state, const PodInfo& pod, std::string_view node) {
  Value record = Record("bound", pod);
  record.Set("node", Value::String(std::string(node)));
  // A pod that fits one node only is not scored.
  const Choice* choice = state.Read(kChoice);
  record.Set("feasible", Count(choice == nullptr ? 1 : choice->feasible));
  if (pod->meta.created) {
    const std::chrono::duration<double> waited = handle_.clock().Now() - *pod->meta.created;
    record.Set("waitedSeconds", Decimal(waited.count()));
  }
  // The cluster is out of bounds here, on a thread of the work pool.
  const auto found = handle_.objects().Find<berth::api::Node>("", node);
  const std::optional<double> cost = found == nullptr ? std::nullopt : CostOf(pod, *found, args_.price_label);
  if (cost) record.Set("costPerHour", Decimal(*cost));
  file_->Append(record);
}

Value Ledger::Record(std::string_view event, const PodInfo& pod) const {
  Value record = Value::Map();
  record.Set("time", Value::String(berth::api::ToRfc3339Micro(handle_.clock().Now())));
  record.Set("event", Value::String(std::string(event)));
  record.Set("pod", Value::String(pod->meta.Key()));
  record.Set("profile", Value::String(std::string(handle_.profile_name())));
  return record;
}

}  // namespace ledger
