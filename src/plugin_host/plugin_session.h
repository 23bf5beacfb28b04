// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "plugin_host/hosted_plugin.h"
#include "plugin_host/scheduler_end.h"
#include "plugin_host/session.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <thread>

namespace berth::plugin_host {

// A session with a plugin of a registry: hands over what the scheduler says and sends what the plugin answers.
//
// Calls are answered on the session's thread, except PostFilter, which asks the scheduler and waits: it has a thread of
// its own, and the session goes on while it waits.
class PluginSession final : public Session, private SchedulerEnd {
 public:
  PluginSession(HostedOptions options, SendToScheduler send);
  ~PluginSession() override;

  void Received(plugin::v1::SchedulerMessage message) override BERTH_EXCLUDES(plugin_mutex_, mutex_);

 private:
  using Answers = std::map<uint64_t, std::optional<plugin::v1::Judged>>;

  void Greet(const plugin::v1::Hello& hello) BERTH_REQUIRES(plugin_mutex_);
  void Answer(const plugin::v1::Call& call) BERTH_EXCLUDES(plugin_mutex_);
  void Judged(plugin::v1::Judged judged) BERTH_EXCLUDES(mutex_);
  void Cancel(uint64_t call) BERTH_EXCLUDES(mutex_);

  // SchedulerEnd
  void Send(const plugin::v1::PluginMessage& message) override { send_(message); }
  Result<plugin::v1::Judged> Ask(plugin::v1::Judge judge) override BERTH_REQUIRES(plugin_mutex_) BERTH_EXCLUDES(mutex_);

  const HostedOptions options_;
  const SendToScheduler send_;

  // Held by whoever runs the plugin; PostFilter lets go of it while it waits.
  Mutex plugin_mutex_;
  std::unique_ptr<HostedPlugin> plugin_ BERTH_GUARDED_BY(plugin_mutex_);  // null until the scheduler has said hello

  Mutex mutex_;
  CondVar changed_;
  Answers questions_ BERTH_GUARDED_BY(mutex_);
  std::set<uint64_t> cancelled_ BERTH_GUARDED_BY(mutex_);
  bool closed_ BERTH_GUARDED_BY(mutex_) = false;
  std::jthread post_filter_;
};

// Serves a plugin of a registry, one session after the other or several at once.
OpenSession Serving(HostedOptions options);

}  // namespace berth::plugin_host
