// SPDX-License-Identifier: Apache-2.0
#include "remote/plugin_dialers.h"

#include "remote/grpc_dialer.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace berth::remote {
namespace {

// Says of a process that does not run why that is: to a listener, the socket is all there is.
class TellingWhy final : public ChannelListener {
 public:
  TellingWhy(ChannelListener& listener, const LaunchedProgram& program) : listener_(listener), program_(program) {}
  void Connected() override { listener_.Connected(); }
  void Received(PluginMessage message) override { listener_.Received(std::move(message)); }
  void Lost(const std::string& why) override {
    const std::string problem = program_.problem();
    listener_.Lost(problem.empty() ? why : why + " (" + problem + ")");
  }

 private:
  ChannelListener& listener_;
  const LaunchedProgram& program_;
};

class LaunchedChannel final : public Channel {
 public:
  LaunchedChannel(std::shared_ptr<LaunchedProgram> program, Dialer& dialer, ChannelListener& listener)
      : program_(std::move(program)), listener_(listener, *program_), channel_(dialer.Dial(listener_)) {}
  void Send(const SchedulerMessage& message) override { channel_->Send(message); }

 private:
  const std::shared_ptr<LaunchedProgram> program_;
  TellingWhy listener_;
  const std::unique_ptr<Channel> channel_;  // last: it tells the listener
};

class LaunchedDialer final : public Dialer {
 public:
  LaunchedDialer(std::shared_ptr<LaunchedProgram> program, std::unique_ptr<Dialer> dialer)
      : program_(std::move(program)), dialer_(std::move(dialer)) {}
  std::unique_ptr<Channel> Dial(ChannelListener& listener) override {
    return std::make_unique<LaunchedChannel>(program_, *dialer_, listener);
  }

 private:
  const std::shared_ptr<LaunchedProgram> program_;
  const std::unique_ptr<Dialer> dialer_;
};

uint64_t LimitOf(const std::optional<int64_t>& limit) { return static_cast<uint64_t>(limit.value_or(0)); }

}  // namespace

Result<std::unique_ptr<Dialer>> PluginDialers::Make(const std::string& plugin, const RemotePluginArgs& args) {
  GrpcDialerOptions options = {.endpoint = args.endpoint, .tls = args.tls, .connect_timeout = args.start_timeout};
  if (args.command.empty()) {
    BERTH_ASSIGN_OR_RETURN(std::unique_ptr<Dialer> dialer, GrpcDialer::Make(options));
    return dialer;
  }
  BERTH_ASSIGN_OR_RETURN(auto program, programs_.Launch({.plugin = plugin,
                                                         .command = args.command,
                                                         .limits = {.memory_bytes = LimitOf(args.limits.memory),
                                                                    .open_files = LimitOf(args.limits.open_files),
                                                                    .processes = LimitOf(args.limits.processes)}}));
  options.endpoint = program->endpoint();
  // A program that is starting listens soon; whoever dials tries again after that.
  options.patience = std::chrono::seconds(1);
  BERTH_ASSIGN_OR_RETURN(std::unique_ptr<Dialer> dialer, GrpcDialer::Make(options));
  return std::unique_ptr<Dialer>(std::make_unique<LaunchedDialer>(std::move(program), std::move(dialer)));
}

}  // namespace berth::remote
