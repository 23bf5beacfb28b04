// SPDX-License-Identifier: Apache-2.0
#include "cmd/remote_plugins.h"

#include "base/mutex.h"
#include "remote/configured_plugins.h"
#include "remote/plugin_dialers.h"

#include <memory>
#include <string>

namespace berth::cmd {
namespace {

// The ways to all plugins, made when the first is needed: it is known then who logs. Any thread.
class Dialers {
 public:
  Result<std::unique_ptr<remote::Dialer>> Make(const std::string& plugin, const remote::RemotePluginArgs& args,
                                               const framework::Handle& handle) BERTH_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (dialers_ == nullptr) dialers_ = std::make_unique<remote::PluginDialers>(handle.log());
    return dialers_->Make(plugin, args);
  }

 private:
  Mutex mutex_;
  std::unique_ptr<remote::PluginDialers> dialers_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace

framework::Registry WithRemotePlugins(const framework::Registry& program) {
  if (program.brought() != nullptr) return program;
  const auto dialers = std::make_shared<Dialers>();
  return remote::WithConfiguredPlugins(
      program, [dialers](const std::string& plugin, const remote::RemotePluginArgs& args, framework::Handle& handle) {
        return dialers->Make(plugin, args, handle);
      });
}

api::KeptDocuments DocumentsForPlugins(const std::vector<config::ProfilePlan>& plans) {
  for (const config::ProfilePlan& plan : plans) {
    for (const auto& [plugin, args] : plan.args) {
      if (args != nullptr && remote::WantsWholeObjects(*args)) {
        return {.nodes = true, .waiting_pods = true, .placed_pods = true};
      }
    }
  }
  return {};
}

}  // namespace berth::cmd
