// SPDX-License-Identifier: Apache-2.0
#include "remote/remote_plugin.h"

#include "remote/fallback.h"
#include "remote/plugin_calls.h"
#include "remote/remote_filter.h"
#include "remote/remote_score.h"

#include <utility>

namespace berth::remote {
namespace {

using framework::ExtensionPoint;
using framework::PluginInstance;

// All parts of one remote plugin. The session ends first, then what it calls.
class RemotePlugin {
 public:
  RemotePlugin(RemotePluginOptions options, const RemotePluginArgs& args, framework::Handle& handle,
               std::unique_ptr<Dialer> dialer)
      : points_(options.points),
        calls_(CallOptions(options, args), handle, std::move(dialer)),
        score_(calls_, SetFallback(std::move(options.fallback), handle),
               {points_.Has(ExtensionPoint::PreScore), points_.Has(ExtensionPoint::Score)}),
        filter_(calls_, fallback()) {}

  void Start() { calls_.Start(); }

  // The points at which it is enabled, and no others: what a plugin can do counts.
  void Connect(PluginInstance& instance) {
    if (points_.Has(ExtensionPoint::PreFilter)) {
      instance.pre_filter = &filter_;
      instance.pre_filter_extensions = &filter_;
    }
    if (points_.Has(ExtensionPoint::Filter)) {
      instance.filter = &filter_;
      instance.filter_all = &filter_;
    }
    if (points_.Has(ExtensionPoint::PreScore)) instance.pre_score = &score_;
    if (points_.Has(ExtensionPoint::Score)) {
      instance.score = &score_;
      instance.score_all = &score_;
      instance.normalize_score = &score_;
    }
    const auto known = calls_.LastKnown();
    if (known == nullptr) return;
    instance.kinds.assign(known->welcome.kinds().begin(), known->welcome.kinds().end());
  }

 private:
  static PluginCalls::Options CallOptions(const RemotePluginOptions& options, const RemotePluginArgs& args) {
    return {.name = options.name,
            .args = args,
            .points = options.points,
            .config = options.config,
            .deliver_permit = [](const wire::PermitVerdict&) { return Delivery::Nobody; }};
  }
  Fallback* SetFallback(std::optional<PluginInstance> instance, framework::Handle& handle) {
    if (instance) fallback_.emplace(*std::move(instance), handle);
    return fallback();
  }
  Fallback* fallback() { return fallback_ ? &*fallback_ : nullptr; }

  const framework::PointSet points_;
  std::optional<Fallback> fallback_;
  PluginCalls calls_;
  RemoteScore score_;
  RemoteFilter filter_;
};

}  // namespace

PluginInstance MakeRemotePlugin(RemotePluginOptions options, const RemotePluginArgs& args, framework::Handle& handle,
                                std::unique_ptr<Dialer> dialer) {
  const auto plugin = std::make_shared<RemotePlugin>(std::move(options), args, handle, std::move(dialer));
  plugin->Start();
  PluginInstance instance;
  plugin->Connect(instance);
  instance.owner = plugin;
  return instance;
}

}  // namespace berth::remote
