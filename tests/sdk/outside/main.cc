// SPDX-License-Identifier: Apache-2.0
// A scheduler with two plugins: one is named by its class, one is made by a function.
#include "base/result.h"
#include "framework/status.h"

#include <berth/plugin.h>
#include <berth/scheduler.h>

#include <memory>
#include <string>

namespace {

struct EvenNodesArgs final : berth::TypedArgs {
  int64_t divisor = 2;

  void Decode(berth::FieldReader& reader) override { divisor = reader.Int64("divisor").value_or(divisor); }
  void Encode(berth::api::Value& map) const override { map.Set("divisor", berth::api::Value::Int(divisor)); }
  std::vector<std::string> Validate(const std::string& path, const berth::FeatureGates&) const override {
    if (divisor > 0) return {};
    return {berth::fields::Invalid(berth::fields::Child(path, "divisor"), divisor, "must be positive")};
  }
};

// Rejects nodes whose name does not end with a multiple of a number.
class EvenNodes final : public berth::FilterPlugin {
 public:
  using Args = EvenNodesArgs;

  EvenNodes(const EvenNodesArgs& args, berth::Handle&) : divisor_(args.divisor) {}

  berth::Status Filter(const berth::CycleState&, const berth::PodInfo&, const berth::NodeInfo& node) const override {
    const int64_t digit = node.name().back() - '0';
    return digit % divisor_ == 0 ? berth::Status::Success() : berth::Status::Unresolvable("node(s) were odd");
  }

 private:
  int64_t divisor_;
};

// Prefers what is late in the alphabet, as an example of a plugin that is given something of the program's.
class LateNodes final : public berth::ScorePlugin {
 public:
  explicit LateNodes(Status unit) : unit_(unit) {}

  berth::Result<int64_t> Score(const berth::CycleState&, const berth::PodInfo&,
                               const berth::NodeInfo& node) const override {
    return (node.name().back() - '0') * unit_.number;
  }

 private:
  Status unit_;
};

}  // namespace

int main(int argc, char** argv) {
  const Status unit;
  return berth::RunScheduler(argc, argv, berth::WithPlugin<EvenNodes>("EvenNodes"),
                             berth::WithPlugin("LateNodes", [unit] { return std::make_unique<LateNodes>(unit); }));
}
