// SPDX-License-Identifier: Apache-2.0
#include "plugins/image_locality/image_locality.h"

#include "framework/handle.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace berth::plugins {
namespace {

using namespace framework;

constexpr int64_t kMiB = 1024 * 1024;
// Less than this on a node is not worth a preference; more than that per container is as good as it gets.
constexpr int64_t kLeastWorthwhile = 23 * kMiB;
constexpr int64_t kMostPerContainer = 1000 * kMiB;

// The name under which nodes report the image: with a tag.
std::string WithTag(const std::string& image) {
  const size_t colon = image.rfind(':');
  const size_t slash = image.rfind('/');
  const bool has_tag = colon != std::string::npos && (slash == std::string::npos || colon > slash);
  return has_tag ? image : image + ":latest";
}

// The images of init containers, containers and image volumes; one that is used twice is listed twice.
std::vector<std::string> ImagesOf(const api::PodSpec& spec) {
  std::vector<std::string> images;
  for (const api::Container& container : spec.init_containers) images.push_back(WithTag(container.image));
  for (const api::Container& container : spec.containers) images.push_back(WithTag(container.image));
  for (const api::Volume& volume : spec.volumes) {
    if (const auto* image = std::get_if<api::ImageVolume>(&volume.source)) images.push_back(WithTag(image->reference));
  }
  return images;
}

// What holding the image is worth: its size, scaled by how widely it is spread so that pods do not flock to the one
// node that happens to have it.
int64_t WorthOf(const ImageState& image, size_t node_count) {
  const double spread = static_cast<double>(image.node_count) / static_cast<double>(node_count);
  // Far above any score's ceiling, so the cap changes no score; it keeps absurd sizes from overflowing.
  constexpr double kCap = 1e15;
  return static_cast<int64_t>(std::min(static_cast<double>(image.size_bytes) * spread, kCap));
}

class Scale {
 public:
  explicit Scale(const api::PodSpec& spec)
      : most_(kMostPerContainer * static_cast<int64_t>(spec.init_containers.size() + spec.containers.size())) {}

  int64_t ScoreOf(int64_t worth) const {
    if (worth < kLeastWorthwhile) {
      worth = kLeastWorthwhile;
    } else if (worth > most_) {
      worth = most_;
    }
    return kMaxNodeScore * (worth - kLeastWorthwhile) / (most_ - kLeastWorthwhile);
  }

 private:
  int64_t most_;
};

class ImageLocality final : public ScorePlugin, public ScoreAllPlugin, public SignPlugin {
 public:
  ImageLocality(const PluginArgs*, Handle& handle) : handle_(handle) {}

  Result<int64_t> Score(const CycleState&, const PodInfo& pod, const NodeInfo& node) const override {
    const ClusterView& cluster = handle_.cluster();
    int64_t worth = 0;
    for (const std::string& name : ImagesOf(pod.spec())) {
      const ImageState* image = cluster.image(name);
      if (image != nullptr && node.id < image->nodes.size() && image->nodes.Test(node.id)) {
        worth += WorthOf(*image, cluster.node_count());
      }
    }
    return Scale(pod.spec()).ScoreOf(worth);
  }
  // How widely an image is spread is a matter of the whole cluster.
  Dependence score_dependence() const override { return Dependence::Cluster; }

  Status ScoreAll(const CycleState&, const PodInfo& pod, const ClusterView& cluster,
                  ScoreColumn& scores) const override {
    const size_t node_count = cluster.node_count();
    int64_t everywhere = 0;
    std::vector<std::pair<const ImageState*, int64_t>> somewhere;
    for (const std::string& name : ImagesOf(pod.spec())) {
      const ImageState* image = cluster.image(name);
      if (image == nullptr) continue;
      const int64_t worth = WorthOf(*image, node_count);
      if (image->node_count == node_count) {
        everywhere += worth;
      } else if (worth != 0) {
        somewhere.emplace_back(image, worth);
      }
    }
    const Scale scale(pod.spec());
    if (somewhere.empty()) {
      scores.SetAll(scale.ScoreOf(everywhere));
      return Status::Success();
    }

    scores.SetAll(everywhere);
    const std::span<int64_t> values = scores.MutableValues();
    for (const auto& [image, worth] : somewhere) {
      image->nodes.ForEach([&values, gain = worth](size_t node) { values[node] += gain; });
    }
    TransformScores(scores, [&](int64_t worth) { return scale.ScoreOf(worth); });
    return Status::Success();
  }

  Signature Sign(const PodInfo& pod) const override {
    std::vector<std::string> images = ImagesOf(pod.spec());
    std::ranges::sort(images);
    // The number of containers sets the score's ceiling.
    std::string text = std::to_string(pod.spec().init_containers.size() + pod.spec().containers.size());
    for (const std::string& image : images) (text += ' ') += image;
    return {{}, {{"images", std::move(text)}}};
  }

 private:
  Handle& handle_;
};

}  // namespace

PluginEntry ImageLocalityEntry() { return Entry<ImageLocality>(kImageLocality); }

}  // namespace berth::plugins
