// SPDX-License-Identifier: Apache-2.0
#include "engine/test_plugins.h"

#include <chrono>
#include <utility>

namespace berth::test {

using framework::Status;

void PutFirst(framework::Registry& registry, std::vector<config::ProfilePlan>& plans, framework::PluginEntry entry) {
  for (config::ProfilePlan& plan : plans) {
    for (const framework::ExtensionPoint point : framework::kExtensionPoints) {
      if (entry.points.Has(point)) plan.at(point).insert(plan.at(point).begin(), {entry.name, 1});
    }
  }
  BERTH_CHECK(registry.Add(std::move(entry)).has_value());
}

void Door::Open() {
  {
    const MutexLock lock(mutex_);
    open_ = true;
  }
  opened_.NotifyAll();
}

void Door::Pass(const std::function<bool()>& give_up) {
  arrived_.fetch_add(1);
  const MutexLock lock(mutex_);
  while (!open_ && !(give_up && give_up())) opened_.WaitFor(mutex_, std::chrono::milliseconds(2));
}

Status SlowBind::Bind(framework::CycleState&, const framework::PodInfo& pod, std::string_view node) {
  before.Pass();
  const Result<void> bound = handle->writer().Bind(*pod, node);
  after.Pass();
  return bound ? Status::Success() : Status::FromError(bound.error());
}

framework::PreBindProgress SlowPreBind::PreBind(framework::CycleState&, const framework::PodInfo&, std::string_view,
                                                const framework::Wake& wake, framework::BindingWork& work) {
  if (wake.reason == framework::Wake::Reason::Answer) {
    return framework::PreBindProgress::Done(wake.answer ? Status::Success() : Status::FromError(wake.answer.error()));
  }
  work.RunElsewhere([this](const std::stop_token& stop) {
    door.Pass([&] { return stop.stop_requested(); });
    if (!stop.stop_requested()) return Status::Success();
    stopped.fetch_add(1);
    return Status::FromError("asked to stop");
  });
  return framework::PreBindProgress::Wait();
}

}  // namespace berth::test
