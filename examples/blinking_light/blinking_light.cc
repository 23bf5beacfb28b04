// SPDX-License-Identifier: Apache-2.0
#include <berth/plugin.h>
#include <berth/scheduler.h>

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using namespace berth;

constexpr std::string_view kBlinkingLights = "example.com/blinking-lights";

// Prefers nodes with many blinking lights, which a label counts.
class BlinkingLightScorer final : public ScorePlugin, public NormalizeScorePlugin {
 public:
  Result<int64_t> Score(const CycleState&, const PodInfo&, const NodeInfo& node) const override {
    const std::string* text = node.node->meta.labels.Find(kBlinkingLights);
    if (text == nullptr) return 0;
    uint32_t lights = 0;
    const char* const end = text->data() + text->size();
    const auto [read, problem] = std::from_chars(text->data(), end, lights);
    // A mistake in a label must not keep pods from being placed.
    return problem == std::errc() && read == end ? int64_t{lights} : 0;
  }

  // The most blinking node gets 100, the others their share of that. Where nothing blinks, all stay at 0.
  Status NormalizeScore(const CycleState&, const PodInfo&, ScoreColumn& scores) const override {
    const int64_t highest = RangeOf(scores).highest;
    if (highest == 0) return Status::Success();
    TransformScores(scores, [highest](int64_t score) { return score * kMaxNodeScore / highest; });
    return Status::Success();
  }
};

}  // namespace

int main(int argc, char** argv) {
  return RunScheduler(argc, argv, WithPlugin<BlinkingLightScorer>("BlinkingLightScorer"));
}
