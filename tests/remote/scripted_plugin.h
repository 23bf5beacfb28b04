// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "framework/registry.h"
#include "remote/channel.h"
#include "remote/remote_plugin.h"
#include "remote/wire.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace berth::test {

namespace wire = plugin::v1;

// A plugin in another process, played by a test: it does what it is told to, and keeps what it hears. Unless told
// otherwise it greets, and answers nothing. Thread-safe.
class ScriptedPlugin {
 public:
  using OnCall = std::function<std::optional<wire::Answer>(const wire::Call& call)>;

  // Serves these points, and every event makes a retry worthwhile.
  explicit ScriptedPlugin(framework::PointSet points);
  // A registry entry with this plugin behind it, enabled at its points.
  framework::PluginEntry Entry(std::string name, const remote::RemotePluginArgs& args,
                               std::function<framework::PluginInstance(framework::Handle&)> fallback = {});
  std::unique_ptr<remote::Dialer> MakeDialer() const;

  // From the next session on.
  void SetWelcome(const wire::Welcome& welcome);
  wire::Welcome welcome() const;
  // Nobody listens.
  void GoAway(bool away = true);
  // From the next call on; runs on the session's thread. What it returns is sent under the call's number.
  void Answer(OnCall on_call);
  // As from the plugin's process, in the open session.
  void Send(const wire::PluginMessage& message);
  void Cut(const std::string& why);

  // Everything heard so far, in all sessions.
  std::vector<wire::SchedulerMessage> heard() const;
  std::vector<wire::Call> calls() const;
  size_t sessions() const;
  // Waits until it has heard such a message.
  void WaitUntilHeard(const std::function<bool(const wire::SchedulerMessage&)>& such) const;
  void WaitForSessions(size_t count) const;

 private:
  struct State;
  class Stream;
  std::shared_ptr<State> state_;
  const framework::PointSet points_;
};

// Answers for scripts.
wire::Answer FilterAnswers(const wire::Call& call, std::vector<uint32_t> verdicts, std::vector<std::string> reasons);
wire::Status Says(wire::Code code, const std::string& reason = {});

}  // namespace berth::test
