// SPDX-License-Identifier: Apache-2.0
#include "plugins/image_locality/image_locality.h"

#include "framework/handle.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::plugins {
namespace {

using namespace framework;

constexpr int64_t kMiB = 1024 * 1024;
// Less than this on a node is not worth a preference; more than that per container is as good as it gets.
constexpr int64_t kLeastWorthwhile = 23 * kMiB;
constexpr int64_t kMostPerContainer = 1000 * kMiB;

bool HasTag(std::string_view image) {
  const size_t colon = image.rfind(':');
  const size_t slash = image.rfind('/');
  return colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
}

// Calls f(name) for the images of init containers, containers and image volumes; one that is used twice comes twice.
// The name is the one under which nodes report the image: with a tag.
template <typename F>
void ForEachImage(const api::PodSpec& spec, F&& f) {
  const auto visit = [&](const std::string& image) {
    if (HasTag(image)) {
      f(std::string_view(image));
    } else {
      f(std::string_view(image + ":latest"));
    }
  };
  for (const api::Container& container : spec.init_containers) visit(container.image);
  for (const api::Container& container : spec.containers) visit(container.image);
  for (const api::Volume& volume : spec.volumes) {
    if (const auto* image = std::get_if<api::ImageVolume>(&volume.source)) visit(image->reference);
  }
}

// What holding the image is worth: its size, scaled by how widely it is spread so that pods do not flock to the one
// node that happens to have it.
int64_t WorthOf(const ImageState& image, size_t holders, size_t node_count) {
  const double spread = static_cast<double>(holders) / static_cast<double>(node_count);
  // Far above any score's ceiling, so the cap changes no score; it keeps absurd sizes from overflowing.
  constexpr double kCap = 1e15;
  return static_cast<int64_t>(std::min(static_cast<double>(image.size_bytes) * spread, kCap));
}

// Adds the image's worth to every node that has it.
void AddWorth(const ImageState& image, const ClusterView& cluster, std::span<int64_t> worths) {
  const size_t node_count = cluster.node_count();
  size_t holders = image.node_count;
  int64_t worth = WorthOf(image, holders, node_count);
  if (image.history.size() == 1) {
    image.nodes.ForEach([&worths, worth](size_t node) { worths[node] += worth; });
    return;
  }
  const std::span<const uint64_t> row_cycle = cluster.row_cycle();
  image.nodes.ForEach([&](size_t node) {
    if (const size_t seen = image.HoldersSeenFrom(row_cycle[node]); seen != holders) {
      holders = seen;
      worth = WorthOf(image, holders, node_count);
    }
    worths[node] += worth;
  });
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

class ImageLocality final : public ScorePlugin, public ScoreAllPlugin {
 public:
  explicit ImageLocality(Handle& handle) : handle_(handle) {}

  Result<int64_t> Score(const CycleState&, const PodInfo& pod, const NodeInfo& node) const override {
    const ClusterView& cluster = handle_.cluster();
    int64_t worth = 0;
    ForEachImage(pod.spec(), [&](std::string_view name) {
      const ImageState* image = cluster.image(name);
      if (image != nullptr && node.id < image->nodes.size() && image->nodes.Test(node.id)) {
        worth += WorthOf(*image, image->HoldersSeenFrom(cluster.row_cycle()[node.id]), cluster.node_count());
      }
    });
    return Scale(pod.spec()).ScoreOf(worth);
  }

  Status ScoreAll(const CycleState&, const PodInfo& pod, const ClusterView& cluster,
                  ScoreColumn& scores) const override {
    const size_t node_count = cluster.node_count();
    int64_t everywhere = 0;
    const auto is_everywhere = [&](const ImageState& image) {
      return image.node_count == node_count && image.history.size() == 1;
    };
    bool some_differ = false;
    ForEachImage(pod.spec(), [&](std::string_view name) {
      const ImageState* image = cluster.image(name);
      if (image == nullptr || image->size_bytes == 0) return;
      if (is_everywhere(*image)) {
        everywhere += WorthOf(*image, node_count, node_count);
      } else {
        some_differ = true;
      }
    });
    const Scale scale(pod.spec());
    if (!some_differ) {
      scores.SetAll(scale.ScoreOf(everywhere));
      return Status::Success();
    }

    scores.SetAll(everywhere);
    const std::span<int64_t> worths = scores.MutableValues();
    ForEachImage(pod.spec(), [&](std::string_view name) {
      const ImageState* image = cluster.image(name);
      if (image == nullptr || image->size_bytes == 0 || is_everywhere(*image)) return;
      AddWorth(*image, cluster, worths);
    });
    TransformScores(scores, [&](int64_t worth) { return scale.ScoreOf(worth); });
    return Status::Success();
  }

 private:
  Handle& handle_;
};

}  // namespace

PluginEntry ImageLocalityEntry() { return Entry<ImageLocality>(kImageLocality); }

}  // namespace berth::plugins
