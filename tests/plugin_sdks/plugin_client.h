// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "log/logger.h"
#include "log/output.h"
#include "remote/channel.h"
#include "remote/launched_program.h"

#include <cstdint>
#include <deque>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace berth::sdk {

namespace wire = plugin::v1;

// A plugin's program, as the scheduler would launch it.
class PluginProgram {
 public:
  explicit PluginProgram(std::vector<std::string> command);

  const std::string& endpoint() const { return program_->endpoint(); }
  remote::LaunchedProgram& program() { return *program_; }
  remote::Dialer& dialer() { return *dialer_; }

 private:
  SystemClock clock_;
  log::Output output_{std::cerr, clock_, {}};
  std::unique_ptr<remote::LaunchedProgram> program_;
  std::unique_ptr<remote::Dialer> dialer_;
};

// The scheduler's end of a session, for tests: every function waits, up to a minute, for what it names.
class PluginClient final : private remote::ChannelListener {
 public:
  explicit PluginClient(remote::Dialer& dialer) : channel_(dialer.Dial(*this)) {}

  void Send(const wire::SchedulerMessage& message) { channel_->Send(message); }
  // `args`: JSON.
  wire::Welcome Greet(const std::string& args = {}, uint32_t major = 1);
  void Tell(const std::vector<wire::Change>& changes);
  void Note(const wire::Note& note);
  // Returns the call's number.
  uint64_t Begin(wire::Call call);
  wire::Answer AnswerTo(uint64_t id);
  wire::Answer Ask(wire::Call call) { return AnswerTo(Begin(std::move(call))); }
  // The next message that is no answer.
  wire::PluginMessage Next();
  std::string Loss();

 private:
  void Connected() override {}
  void Received(wire::PluginMessage message) override;
  void Lost(const std::string& why) override;
  void Wait() BERTH_REQUIRES(mutex_);

  uint64_t last_call_ = 0;
  Mutex mutex_;
  CondVar changed_;
  std::deque<wire::PluginMessage> others_ BERTH_GUARDED_BY(mutex_);
  std::vector<wire::Answer> answers_ BERTH_GUARDED_BY(mutex_);
  std::optional<std::string> lost_ BERTH_GUARDED_BY(mutex_);
  std::unique_ptr<remote::Channel> channel_;  // last: it tells the rest
};

// Changes of the cluster; documents are JSON.
wire::Change NodeChange(uint32_t id, const std::string& name, const std::string& document);
wire::Change PodChange(uint64_t id, const std::string& name, const std::string& document);
wire::Change Placed(uint64_t pod, uint32_t node);
wire::Change ObjectChange(const std::string& kind, const std::string& name, const std::string& document);
// {"metadata": {"name": …, "labels": …}}, where the labels are written as JSON: R"("a": "b")".
std::string Labeled(const std::string& name, const std::string& labels = {});
wire::NodeSet Nodes(const std::vector<uint32_t>& ids);
// "UNSCHEDULABLE: node(s) were full".
std::string Text(const wire::Status& status);

wire::Call FilterCall(uint64_t pod, const std::vector<uint32_t>& nodes, uint64_t cycle = 0);
wire::Call ScoreCall(uint64_t pod, const std::vector<uint32_t>& nodes, uint64_t cycle = 0);
// For each node of the call "ok", or why not.
std::vector<std::string> Verdicts(const wire::Answer& answer, size_t nodes);

}  // namespace berth::sdk
