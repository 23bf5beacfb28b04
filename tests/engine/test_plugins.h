// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "config/profile_plan.h"
#include "framework/handle.h"
#include "framework/registry.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace berth::test {

// An entry that always hands out this one plugin, so that the test can talk to it. For one scheduler at a time.
template <typename P>
framework::PluginEntry EntryOf(const std::string& name, std::shared_ptr<P> plugin) {
  framework::PluginEntry entry;
  entry.name = name;
  entry.points = framework::PointsOf<P>();
  if constexpr (requires { P::kReads; }) entry.kinds.assign(P::kReads.begin(), P::kReads.end());
  entry.make = [plugin](const framework::PluginArgs*, framework::Handle& handle) {
    if constexpr (requires { plugin->handle; }) plugin->handle = &handle;
    return Result<framework::PluginInstance>(framework::MakeInstance<P>(plugin));
  };
  return entry;
}

// Registers the plugin and puts it before all others at the points it serves.
void PutFirst(framework::Registry& registry, std::vector<config::ProfilePlan>& plans, framework::PluginEntry entry);

// Lets every pod wait at Permit as long as `wait` says when it gets there; zero lets it pass. A pod that was rejected
// is woken by a new node.
struct PermitHolder final : framework::PermitPlugin, framework::EnqueueExtensions {
  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override {
    return {{{framework::EventResource::Node, framework::kAdd}, nullptr}};
  }
  framework::PermitResult Permit(framework::CycleState&, const framework::PodInfo&, std::string_view) override {
    const Duration until = wait.load();
    if (until == Duration::zero()) return {framework::Status::Success()};
    return {framework::Status::Wait(), until};
  }
  std::atomic<Duration> wait = Duration::zero();
};

// A door that threads wait at until it is opened.
class Door {
 public:
  void Open() BERTH_EXCLUDES(mutex_);
  // Waits until it is open, or `give_up` says true when asked now and then.
  void Pass(const std::function<bool()>& give_up = nullptr) BERTH_EXCLUDES(mutex_);
  // How many wait here or have passed.
  size_t arrived() const { return arrived_.load(); }

 private:
  std::atomic<size_t> arrived_ = 0;
  Mutex mutex_;
  CondVar opened_;
  bool open_ BERTH_GUARDED_BY(mutex_) = false;
};

// Binds as the default does, but stops at a door before and at another after it.
struct SlowBind final : framework::BindPlugin {
  framework::BindingProgress Bind(framework::CycleState& state, const framework::PodInfo& pod, std::string_view node,
                                  const framework::Wake& wake, framework::BindWork& work) override;
  Door before;
  Door after;
};

// Prepares pods without end, on another thread: until it is allowed to finish, or asked to stop.
struct SlowPreBind final : framework::PreBindPlugin {
  framework::PreFlightResult PreBindPreFlight(framework::CycleState&, const framework::PodInfo&,
                                              std::string_view) override {
    return {framework::Status::Success()};
  }
  framework::BindingProgress PreBind(framework::CycleState&, const framework::PodInfo&, std::string_view,
                                     const framework::Wake& wake, framework::BindingWork& work) override;
  Door door;
  std::atomic<size_t> stopped = 0;
};

}  // namespace berth::test
