// SPDX-License-Identifier: Apache-2.0
#include "scheduler/extender_binder.h"

#include "framework/extension_points/bind.h"
#include "framework/handle.h"
#include "framework/plugin.h"

#include <memory>
#include <string>
#include <utility>

namespace berth::scheduler {

using framework::BindingProgress;
using framework::Extender;
using framework::Status;
using framework::Wake;

namespace {

// How many of the extenders have been asked, while one of them binds.
struct AskedBinders final : framework::CloneableState<AskedBinders> {
  size_t count = 0;
  void Clear() { count = 0; }
};
constexpr framework::StateKey<AskedBinders> kAskedBinders{"Extender/AskedBinders"};

class ExtenderBinder final : public framework::BindPlugin {
 public:
  ExtenderBinder(std::vector<Extender*> extenders, framework::Handle& handle)
      : extenders_(std::move(extenders)), log_(handle.log().Named(framework::kExtenderName)) {}

  BindingProgress Bind(framework::CycleState& state, const framework::PodInfo& pod, std::string_view node,
                       const Wake& wake, framework::BindWork& work) override {
    AskedBinders* known = state.Mutable(kAskedBinders);
    AskedBinders& asked = known == nullptr ? state.Write(kAskedBinders) : *known;
    if (wake.reason == Wake::Reason::Answer) {
      if (wake.answer) return BindingProgress::Done(Status::Success());
      const Extender& extender = *extenders_[asked.count - 1];
      if (!extender.is_ignorable()) return BindingProgress::Done(Status::FromError(wake.answer.error()));
      log_.Info("Skipping extender in bind as it returned error and has ignorable flag set",
                {{"extender", extender.name()}, {"err", wake.answer.error().message}});
    }
    while (asked.count < extenders_.size()) {
      Extender& extender = *extenders_[asked.count++];
      if (!extender.binds() || !extender.IsInterested(pod.spec())) continue;
      work.Await([&](framework::BindingWork::TakeAnswer take) {
        extender.Bind(pod.pod, node, [take = std::move(take)](Extender::BindAnswer answer) {
          take(answer.error.empty() ? Result<std::string>(std::string())
                                    : Error{ErrorCode::Unavailable, std::move(answer.error)});
        });
      });
      return BindingProgress::Wait();
    }
    return BindingProgress::Done(Status::Skip());
  }

 private:
  const std::vector<Extender*> extenders_;
  const log::Logger log_;
};

}  // namespace

framework::PluginEntry ExtenderBinderEntry(std::vector<Extender*> extenders) {
  return {std::string(framework::kExtenderName), framework::PointsOf<ExtenderBinder>(),
          [extenders = std::move(extenders)](const framework::PluginArgs* /*args*/,
                                             framework::Handle& handle) -> Result<framework::PluginInstance> {
            return framework::MakeInstance(std::make_shared<ExtenderBinder>(extenders, handle));
          },
          framework::ArgsForm::None};
}

}  // namespace berth::scheduler
