// SPDX-License-Identifier: Apache-2.0
#include "conformance/reference_plugins.h"

#include "framework/handle.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace berth::conformance {
namespace {

using framework::PluginInstance;

constexpr std::string_view kImageLocality = "ImageLocality";
constexpr int64_t kMebibyte = int64_t{1024} * 1024;

// A second implementation of ImageLocality, as simple as possible.
class PlainImageLocality final : public framework::ScorePlugin {
 public:
  PlainImageLocality(const framework::Handle& handle, const ImageHistory& images) : handle_(handle), images_(images) {}

  Result<int64_t> Score(const framework::CycleState& /*state*/, const framework::PodInfo& pod,
                        const framework::NodeInfo& node) const override {
    const api::PodSpec& spec = pod.spec();
    int64_t sum = 0;
    for (const api::Container& container : spec.init_containers) sum += WorthOf(container.image, node);
    for (const api::Container& container : spec.containers) sum += WorthOf(container.image, node);
    for (const api::Volume& volume : spec.volumes) {
      if (const auto* image = std::get_if<api::ImageVolume>(&volume.source)) sum += WorthOf(image->reference, node);
    }
    const auto containers = static_cast<int64_t>(spec.init_containers.size() + spec.containers.size());
    const int64_t least = 23 * kMebibyte;
    const int64_t most = 1000 * kMebibyte * containers;
    return framework::kMaxNodeScore * (std::clamp(sum, least, std::max(least, most)) - least) / (most - least);
  }

 private:
  int64_t WorthOf(std::string image, const framework::NodeInfo& node) const {
    const size_t colon = image.rfind(':');
    const size_t slash = image.rfind('/');
    const bool tagged = colon != std::string::npos && (slash == std::string::npos || colon > slash);
    if (!tagged) image += ":latest";
    const ImageHistory::Seen* seen = images_.Find(node.name(), image);
    if (seen == nullptr) return 0;
    const double spread = static_cast<double>(seen->holders) / static_cast<double>(handle_.cluster().node_count());
    return static_cast<int64_t>(static_cast<double>(seen->size_bytes) * spread);
  }

  const framework::Handle& handle_;
  const ImageHistory& images_;
};

}  // namespace

framework::Registry PlainRegistry(const framework::Registry& registry, const ImageHistory& images) {
  std::vector<framework::PluginEntry> entries = framework::WithoutColumns(registry).entries();
  for (framework::PluginEntry& entry : entries) {
    if (entry.name != kImageLocality) continue;
    entry.make = [&images](const framework::PluginArgs*, framework::Handle& handle) -> Result<PluginInstance> {
      return framework::MakeInstance<PlainImageLocality>(std::make_shared<PlainImageLocality>(handle, images));
    };
  }
  return framework::Registry(std::move(entries));
}

}  // namespace berth::conformance
