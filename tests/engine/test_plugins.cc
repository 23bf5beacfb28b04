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

namespace {

// Which of its steps SlowBind has taken for a pod: the first door, the binding, the second door.
struct SlowBindSteps : framework::CloneableState<SlowBindSteps> {
  int taken = 0;
  Status bound;
};
constexpr framework::StateKey<SlowBindSteps> kSlowBindSteps{"SlowBind"};

}  // namespace

framework::BindingProgress SlowBind::Bind(framework::CycleState& state, const framework::PodInfo&, std::string_view,
                                          const framework::Wake& wake, framework::BindWork& work) {
  const bool is_start = wake.reason == framework::Wake::Reason::Start;
  SlowBindSteps& steps = is_start ? state.Write(kSlowBindSteps) : *state.Mutable(kSlowBindSteps);
  const auto pass = [](Door& door) {
    return [&door](const std::stop_token&) {
      door.Pass();
      return Status::Success();
    };
  };
  switch (steps.taken++) {
    case 0: work.RunElsewhere(pass(before)); break;
    case 1:
      if (!wake.answer) return framework::BindingProgress::Done(Status::FromError(wake.answer.error()));
      work.Bind();
      break;
    case 2:
      if (!wake.answer) steps.bound = Status::FromError(wake.answer.error());
      work.RunElsewhere(pass(after));
      break;
    default: return framework::BindingProgress::Done(steps.bound);
  }
  return framework::BindingProgress::Wait();
}

framework::BindingProgress SlowPreBind::PreBind(framework::CycleState&, const framework::PodInfo&, std::string_view,
                                                const framework::Wake& wake, framework::BindingWork& work) {
  if (wake.reason == framework::Wake::Reason::Answer) {
    return framework::BindingProgress::Done(wake.answer ? Status::Success() : Status::FromError(wake.answer.error()));
  }
  work.RunElsewhere([this](const std::stop_token& stop) {
    door.Pass([&] { return stop.stop_requested(); });
    if (!stop.stop_requested()) return Status::Success();
    stopped.fetch_add(1);
    return Status::FromError("asked to stop");
  });
  return framework::BindingProgress::Wait();
}

}  // namespace berth::test
