// SPDX-License-Identifier: Apache-2.0
#include "remote/remote_plugin.h"

#include "remote/fallback.h"
#include "remote/plugin_calls.h"
#include "remote/remote_binding.h"
#include "remote/remote_events.h"
#include "remote/remote_filter.h"
#include "remote/remote_post_filter.h"
#include "remote/remote_pre_enqueue.h"
#include "remote/remote_queue_sort.h"
#include "remote/remote_reserve.h"
#include "remote/remote_score.h"

#include <utility>

namespace berth::remote {
namespace {

using framework::ExtensionPoint;
using framework::PluginInstance;

// All parts of one remote plugin.
class RemotePlugin {
 public:
  RemotePlugin(RemotePluginOptions options, const RemotePluginArgs& args, framework::Handle& handle,
               std::unique_ptr<Dialer> dialer)
      : points_(options.points),
        fallback_(FallbackFrom(std::move(options.fallback), handle)),
        calls_(CallOptions(options, args), handle, std::move(dialer)) {
    if (!LastsBeyondDecision()) calls_.EndCyclesWithDecision();
  }
  // The session ends first: it calls the parts.
  ~RemotePlugin() { calls_.Stop(); }
  RemotePlugin(const RemotePlugin&) = delete;
  RemotePlugin& operator=(const RemotePlugin&) = delete;

  bool Start() { return calls_.Start(); }

  // The points at which it is enabled, and no others: what a plugin can do counts.
  void Connect(PluginInstance& instance) {
    const auto connect = [&](ExtensionPoint point, auto& role, auto& part) {
      if (points_.Has(point)) role = &part;
    };
    connect(ExtensionPoint::PreEnqueue, instance.pre_enqueue, pre_enqueue_);
    connect(ExtensionPoint::QueueSort, instance.queue_sort, queue_sort_);
    connect(ExtensionPoint::PreFilter, instance.pre_filter, filter_);
    connect(ExtensionPoint::PreFilter, instance.pre_filter_extensions, filter_);
    connect(ExtensionPoint::Filter, instance.filter, filter_);
    connect(ExtensionPoint::Filter, instance.filter_all, filter_);
    connect(ExtensionPoint::PostFilter, instance.post_filter, post_filter_);
    connect(ExtensionPoint::PreScore, instance.pre_score, score_);
    connect(ExtensionPoint::Score, instance.score, score_);
    connect(ExtensionPoint::Score, instance.score_all, score_);
    connect(ExtensionPoint::Score, instance.normalize_score, score_);
    connect(ExtensionPoint::Reserve, instance.reserve, reserve_);
    connect(ExtensionPoint::Permit, instance.permit, reserve_);
    connect(ExtensionPoint::PreBind, instance.pre_bind, binding_);
    connect(ExtensionPoint::Bind, instance.bind, binding_);
    connect(ExtensionPoint::PostBind, instance.post_bind, reserve_);
    ConnectWhatItSaid(instance);
  }

 private:
  static std::unique_ptr<Fallback> FallbackFrom(std::optional<PluginInstance> instance, framework::Handle& handle) {
    return instance ? std::make_unique<Fallback>(*std::move(instance), handle) : nullptr;
  }

  PluginCalls::Options CallOptions(const RemotePluginOptions& options, const RemotePluginArgs& args) {
    return {.name = options.name,
            .args = args,
            .points = options.points,
            .config = options.config,
            .deliver_permit = [this](const wire::PermitVerdict& verdict) { return reserve_.Deliver(verdict); },
            .may_call = [this] { pre_enqueue_.TryAgain(); }};
  }

  bool LastsBeyondDecision() const {
    for (const ExtensionPoint point : {ExtensionPoint::Reserve, ExtensionPoint::Permit, ExtensionPoint::PreBind,
                                       ExtensionPoint::Bind, ExtensionPoint::PostBind}) {
      if (points_.Has(point)) return true;
    }
    return false;
  }

  // What the plugin says of itself matters when the profile is built; when it is not there yet, the defaults do.
  void ConnectWhatItSaid(PluginInstance& instance) {
    if (events_.HasSaid()) {
      instance.enqueue_extensions = &events_;
    } else if (calls_.LastKnown() == nullptr && fallback_ != nullptr) {
      instance.enqueue_extensions = fallback_->instance().enqueue_extensions;
    }
    const auto known = calls_.LastKnown();
    if (known == nullptr) return;
    instance.kinds.assign(known->welcome.kinds().begin(), known->welcome.kinds().end());
    if (known->welcome.dependence() != wire::ANYTHING) instance.verdicts_by_template = &filter_;
  }

  const framework::PointSet points_;
  const std::unique_ptr<Fallback> fallback_;  // may be null
  PluginCalls calls_;
  RemotePreEnqueue pre_enqueue_{calls_, fallback_.get()};
  RemoteQueueSort queue_sort_{calls_, fallback_.get()};
  RemoteEvents events_{calls_};
  VerdictMemory memory_;
  RemoteFilter filter_{calls_, memory_, fallback_.get()};
  RemotePostFilter post_filter_{calls_, fallback_.get()};
  RemoteScore score_{
      calls_, memory_, fallback_.get(), {points_.Has(ExtensionPoint::PreScore), points_.Has(ExtensionPoint::Score)}};
  RemoteReserve reserve_{calls_, fallback_.get()};
  RemoteBinding binding_{calls_, fallback_.get()};
};

}  // namespace

PluginInstance MakeRemotePlugin(RemotePluginOptions options, const RemotePluginArgs& args, framework::Handle& handle,
                                std::unique_ptr<Dialer> dialer) {
  const std::string name = options.name;
  const auto plugin = std::make_shared<RemotePlugin>(std::move(options), args, handle, std::move(dialer));
  if (!plugin->Start()) {
    handle.log().Named(name).Error(
        "The remote plugin is not there: its steps fail by their failure policy until it is");
  }
  PluginInstance instance;
  plugin->Connect(instance);
  instance.owner = plugin;
  return instance;
}

}  // namespace berth::remote
