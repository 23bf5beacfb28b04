// SPDX-License-Identifier: Apache-2.0
// What a call to a plugin in another process costs by itself: messages to and fro over a unix socket, one at a time.
// The thread that calls waits for the answer, as the scheduler's does when it has nothing else to do.
#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "plugin_host/grpc_server.h"
#include "remote/grpc_dialer.h"
#include "report.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace berth::bench {
namespace {

constexpr uint64_t kPod = 1;

// Answers every FilterCall about so many nodes with a verdict for each.
class EchoSession final : public plugin_host::Session {
 public:
  explicit EchoSession(plugin_host::SendToScheduler send) : send_(std::move(send)) {}
  void Received(plugin::v1::SchedulerMessage message) override {
    if (!message.has_call()) return;
    plugin::v1::PluginMessage reply;
    plugin::v1::Answer& answer = *reply.mutable_answer();
    answer.set_id(message.call().id());
    const size_t nodes = message.call().filter().nodes().bits().size() * 8;
    answer.mutable_filter()->mutable_verdicts()->Resize(static_cast<int>(nodes), 0);
    send_(reply);
  }

 private:
  const plugin_host::SendToScheduler send_;
};

// The process of the plugin, which ends with this one.
pid_t StartPlugin(const std::string& endpoint) {
  const pid_t child = fork();
  if (child != 0) return child;
  auto server = plugin_host::GrpcServer::Listen({.endpoint = endpoint}, [](plugin_host::SendToScheduler send) {
    return std::make_unique<EchoSession>(std::move(send));
  });
  if (!server) {
    std::fputs((server.error().message + "\n").c_str(), stderr);
    _exit(1);
  }
  while (true) pause();
}

class Caller final : public remote::ChannelListener {
 public:
  void Connected() override {}
  void Received(remote::PluginMessage message) override {
    if (!message.has_answer()) return;
    if (!message.answer().error().empty()) Lost(message.answer().error());
    const MutexLock lock(mutex_);
    answered_ = message.answer().id();
    changed_.NotifyOne();
  }
  void Lost(const std::string& why) override {
    std::fputs((why + "\n").c_str(), stderr);
    std::exit(1);
  }

  void Wait(uint64_t id) {
    const MutexLock lock(mutex_);
    while (answered_ != id) changed_.Wait(mutex_);
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  uint64_t answered_ BERTH_GUARDED_BY(mutex_) = 0;
};

double CpuMicros() {
  timespec used = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) * 1e6 + static_cast<double>(used.tv_nsec) * 1e-3;
}

// Says hello, and tells of so many nodes and a pod.
void Begin(remote::Channel& channel, uint32_t nodes) {
  remote::SchedulerMessage hello;
  hello.mutable_hello()->set_major(1);
  channel.Send(hello);
  remote::SchedulerMessage told;
  for (uint32_t id = 0; id < nodes; ++id) {
    plugin::v1::Node& node = *told.mutable_objects()->add_changes()->mutable_node();
    node.set_id(id);
    node.set_name(fmt::format("node-{}", id));
    node.set_document(fmt::format(R"({{"metadata": {{"name": "node-{}", "labels": {{"zone": "z"}}}}}})", id));
  }
  plugin::v1::Pod& pod = *told.mutable_objects()->add_changes()->mutable_pod();
  pod.set_id(kPod);
  pod.set_document(R"({"metadata": {"name": "pod"}})");
  channel.Send(told);
}

void Measure(remote::Channel& channel, Caller& caller, size_t nodes, size_t calls, uint64_t& next_id,
             std::vector<Figure>& figures) {
  using Steady = std::chrono::steady_clock;
  std::vector<double> micros;
  double cpu = 0;
  for (size_t i = 0; i < calls + calls / 10; ++i) {
    if (i == calls / 10) {  // warm by now
      micros.clear();
      cpu = CpuMicros();
    }
    const Steady::time_point began = Steady::now();
    remote::SchedulerMessage message;
    message.mutable_call()->set_id(++next_id);
    plugin::v1::FilterCall& filter = *message.mutable_call()->mutable_filter();
    filter.set_pod(kPod);
    filter.set_filter(true);
    filter.mutable_nodes()->set_bits(std::string(nodes / 8, '\xff'));
    channel.Send(message);
    caller.Wait(next_id);
    micros.push_back(std::chrono::duration<double, std::micro>(Steady::now() - began).count());
  }
  cpu = (CpuMicros() - cpu) / static_cast<double>(calls);
  std::sort(micros.begin(), micros.end());
  const auto at = [&](double share) { return micros[static_cast<size_t>(share * static_cast<double>(calls - 1))]; };
  figures.push_back({"a call and its answer", nodes, "p50 us", at(0.5)});
  figures.push_back({"a call and its answer", nodes, "p90 us", at(0.9)});
  figures.push_back({"a call and its answer", nodes, "p99 us", at(0.99)});
  figures.push_back({"a call and its answer", nodes, "CPU us at the scheduler", cpu});
}

int Main(int argc, const char* const* argv) {
  CLI::App app("bench_grpc: what a call to a plugin in another process costs by itself");
  size_t calls = 20'000;
  std::string endpoint;
  std::string json;
  app.add_option("--calls", calls, "calls for each size");
  app.add_option("--endpoint", endpoint, "of a plugin that runs already; it answers each FilterCall");
  app.add_option("--json", json, "write the figures to this file, one object per line");
  CLI11_PARSE(app, argc, argv);

  std::string folder = (std::filesystem::temp_directory_path() / "berth-bench-XXXXXX").string();
  pid_t plugin = 0;
  if (endpoint.empty()) {
    if (mkdtemp(folder.data()) == nullptr) return 1;
    endpoint = "unix://" + folder + "/plugin.sock";
    plugin = StartPlugin(endpoint);
  }
  const auto dialer = remote::GrpcDialer::Make({.endpoint = endpoint, .patience = std::chrono::seconds(10)});
  if (!dialer) {
    std::fputs((dialer.error().message + "\n").c_str(), stderr);
    return 1;
  }
  std::vector<Figure> figures;
  {
    Caller caller;
    const std::unique_ptr<remote::Channel> channel = (*dialer)->Dial(caller);
    uint64_t next_id = 0;
    Begin(*channel, 5000);
    for (const size_t nodes : {8U, 1000U, 5000U}) Measure(*channel, caller, nodes, calls, next_id, figures);
  }
  if (plugin != 0) {
    kill(plugin, SIGKILL);
    waitpid(plugin, nullptr, 0);
    std::filesystem::remove_all(folder);
  }
  PrintTable(figures);
  return json.empty() || WriteJson(figures, json) ? 0 : 1;
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) { return berth::bench::Main(argc, argv); }
