// SPDX-License-Identifier: Apache-2.0
#include "api/quantity.h"
#include "cmd/main_entry.h"
#include "plugins/registry.h"

namespace {

using namespace berth;
using namespace berth::framework;

// Prefers the node that costs least, by a price its label tells. A node without a price is paid for already.
class CheapestNode final : public ScorePlugin, public NormalizeScorePlugin {
 public:
  CheapestNode(const PluginArgs* args, Handle&) {
    const auto* raw = dynamic_cast<const RawArgs*>(args);
    const api::Value* label = raw == nullptr ? nullptr : raw->value.Find("label");
    if (label != nullptr) label_ = label->text();
  }

  Result<int64_t> Score(const CycleState&, const PodInfo&, const NodeInfo& node) const override {
    const std::string* text = node.node->meta.labels.Find(label_);
    if (text == nullptr) return 0;
    BERTH_ASSIGN_OR_RETURN(const api::Quantity price, api::Quantity::Parse(*text));
    return price.MilliValue();
  }

  Status NormalizeScore(const CycleState&, const PodInfo&, ScoreColumn& scores) const override {
    DefaultNormalize(scores, /*reverse=*/true);  // the highest price becomes 0, no price 100
    return Status::Success();
  }

 private:
  std::string label_ = "example.com/price-per-hour";
};

}  // namespace

int main(int argc, char** argv) {
  framework::Registry registry = plugins::InTreeRegistry();
  if (!registry.Add(Entry<CheapestNode>("CheapestNode"))) return 1;  // the name is taken
  return cmd::Main(argc, argv, registry);
}
