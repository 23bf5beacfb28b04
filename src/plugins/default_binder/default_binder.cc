// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_binder/default_binder.h"

#include "framework/registry.h"

namespace berth::plugins {
namespace {

using namespace framework;

class DefaultBinder final : public BindPlugin {
 public:
  BindingProgress Bind(CycleState&, const PodInfo&, std::string_view, const Wake& wake, BindWork& work) override {
    if (wake.reason == Wake::Reason::Start) {
      work.Bind();
      return BindingProgress::Wait();
    }
    return BindingProgress::Done(wake.answer ? Status::Success() : Status::FromError(wake.answer.error()));
  }
  bool BindsAsDefault() const override { return true; }
};

}  // namespace

PluginEntry DefaultBinderEntry() { return Entry<DefaultBinder>(kDefaultBinder); }

}  // namespace berth::plugins
