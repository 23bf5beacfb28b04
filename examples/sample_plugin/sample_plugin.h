// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <berth/plugin.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace sample {

inline constexpr std::string_view kSamplePlugin = "sample-plugin";

// The plugin's arguments.
struct SampleArgs final : berth::TypedArgs {
  std::string favorite_color;
  int64_t favorite_number = 0;
  std::string thanks_to;

  void Decode(berth::FieldReader& reader) override;
  void Encode(berth::api::Value& map) const override;
};

// Accepts every node, and logs what it sees at verbosity 3.
class SamplePlugin final : public berth::PreFilterPlugin, public berth::FilterPlugin, public berth::PreBindPlugin {
 public:
  using Args = SampleArgs;

  SamplePlugin(const SampleArgs& args, berth::Handle& handle);

  berth::PreFilterResult PreFilter(berth::CycleState& state, const berth::PodInfo& pod,
                                   berth::IndexedCluster& cluster) override;
  berth::Status Filter(const berth::CycleState& state, const berth::PodInfo& pod,
                       const berth::NodeInfo& node) const override;
  berth::PreFlightResult PreBindPreFlight(berth::CycleState& state, const berth::PodInfo& pod,
                                          std::string_view node) override;
  berth::BindingProgress PreBind(berth::CycleState& state, const berth::PodInfo& pod, std::string_view node,
                                 const berth::Wake& wake, berth::BindingWork& work) override;

 private:
  const berth::Handle& handle_;
  const berth::log::Logger log_;
};

// The factory that the plugin is registered with.
berth::Result<std::shared_ptr<SamplePlugin>> NewSamplePlugin(const SampleArgs& args, berth::Handle& handle);

}  // namespace sample
