// SPDX-License-Identifier: Apache-2.0
#include <berth/plugin.h>
#include <berth/scheduler.h>

#include <optional>
#include <string>
#include <vector>

namespace {

using namespace berth;

// The label with the price, and the most a node may cost; nothing means any price.
struct CheapestNodeArgs final : TypedArgs {
  std::string label = "example.com/price-per-hour";
  std::optional<api::Quantity> limit;

  void Decode(FieldReader& reader) override {
    label = reader.String("label", label);
    limit = reader.QuantityAt("limit");
  }
  void Encode(api::Value& map) const override {
    map.Set("label", api::Value::String(label));
    if (limit) map.Set("limit", api::Value::String(limit->ToString()));
  }
  std::vector<std::string> Validate(const std::string& path, const FeatureGates&) const override {
    if (!label.empty()) return {};
    return {fields::Required(fields::Child(path, "label"), "it tells the price")};
  }
};

// Prefers the cheapest node, by a price in a label, and rejects nodes above a limit. A node without a price is already
// paid for.
class CheapestNode final : public FilterPlugin,
                           public DescribeRejectionPlugin,
                           public ScorePlugin,
                           public NormalizeScorePlugin {
 public:
  using Args = CheapestNodeArgs;

  CheapestNode(const CheapestNodeArgs& args, Handle&) : args_(args) {}

  Status Filter(const CycleState&, const PodInfo&, const NodeInfo& node) const override {
    if (!args_.limit) return Status::Success();
    const Result<int64_t> price = PriceOf(node);
    if (!price) return Status::FromError(price.error());
    return *price <= args_.limit->MilliValue() ? Status::Success() : Status::Unresolvable("node(s) cost too much");
  }

  // For `explain`: the price, and what would help.
  RejectionDescription DescribeRejection(const CycleState&, const PodInfo&, const NodeInfo& node,
                                         const Status&) const override {
    const std::string& price = *node.node->meta.labels.Find(args_.label);
    return {{Obstacle{"price", price, "is above the limit of " + args_.limit->ToString()}},
            {{Remedy::Of::Node, "lower", {"the price"}}}};
  }

  Result<int64_t> Score(const CycleState&, const PodInfo&, const NodeInfo& node) const override {
    return PriceOf(node);
  }

  Status NormalizeScore(const CycleState&, const PodInfo&, ScoreColumn& scores) const override {
    DefaultNormalize(scores, /*reverse=*/true);  // the highest price becomes 0, no price 100
    return Status::Success();
  }

 private:
  // In thousandths.
  Result<int64_t> PriceOf(const NodeInfo& node) const {
    const std::string* text = node.node->meta.labels.Find(args_.label);
    if (text == nullptr) return 0;
    BERTH_ASSIGN_OR_RETURN(const api::Quantity price, api::Quantity::Parse(*text));
    return price.MilliValue();
  }

  const CheapestNodeArgs args_;
};

}  // namespace

int main(int argc, char** argv) { return RunScheduler(argc, argv, WithPlugin<CheapestNode>("CheapestNode")); }
