// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_binder/default_binder.h"

#include "framework/handle.h"

namespace berth::plugins {
namespace {

using namespace framework;

class DefaultBinder final : public BindPlugin {
 public:
  explicit DefaultBinder(Handle& handle) : handle_(handle) {}

  Status Bind(CycleState&, const PodInfo& pod, std::string_view node) override {
    const Result<void> bound = handle_.writer().Bind(*pod, node);
    return bound ? Status::Success() : Status::FromError(bound.error());
  }
  bool BindsThroughWriter() const override { return true; }

 private:
  Handle& handle_;
};

}  // namespace

PluginEntry DefaultBinderEntry() { return Entry<DefaultBinder>(kDefaultBinder); }

}  // namespace berth::plugins
