// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ledger_file.h"

#include <berth/plugin.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ledger {

inline constexpr std::string_view kLedger = "Ledger";

struct LedgerArgs final : berth::TypedArgs {
  std::string file;
  std::string price_label = "example.com/price-per-hour";

  void Decode(berth::FieldReader& reader) override;
  void Encode(berth::api::Value& map) const override;
  std::vector<std::string> Validate(const std::string& path, const berth::FeatureGates& gates) const override;
};

// Writes down what becomes of every pod: how many nodes it could choose from (PreScore), why none would do
// (PostFilter), where it went and what that costs (PostBind). Decides nothing.
class Ledger final : public berth::PreScorePlugin, public berth::PostFilterPlugin, public berth::PostBindPlugin {
 public:
  using Args = LedgerArgs;

  static berth::Result<std::shared_ptr<Ledger>> Create(const LedgerArgs& args, berth::Handle& handle);
  Ledger(LedgerArgs args, berth::Handle& handle, std::unique_ptr<LedgerFile> file)
      : args_(std::move(args)), handle_(handle), file_(std::move(file)) {}

  berth::Status PreScore(berth::CycleState& state, const berth::PodInfo& pod, berth::IndexedCluster& cluster,
                         std::span<const berth::NodeId> feasible) override;
  // Lets the next PostFilter run.
  berth::PostFilterResult PostFilter(berth::CycleState& state, const berth::PodInfo& pod,
                                     berth::IndexedCluster& cluster, const berth::Verdicts& verdicts) override;
  void PostBind(berth::CycleState& state, const berth::PodInfo& pod, std::string_view node) override;

 private:
  berth::api::Value Record(std::string_view event, const berth::PodInfo& pod) const;

  const LedgerArgs args_;
  const berth::Handle& handle_;
  const std::unique_ptr<LedgerFile> file_;
};

}  // namespace ledger
