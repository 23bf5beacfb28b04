// SPDX-License-Identifier: Apache-2.0
// Sessions served to a dialer over real sockets, in this process and in others.
#include "plugin_host/grpc_server.h"

#include "base/mutex.h"
#include "net/test_certificates.h"
#include "remote/grpc_dialer.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>

namespace berth::plugin_host {
namespace {

using remote::PluginMessage;
using remote::SchedulerMessage;

SchedulerMessage CallMessage(uint64_t id, const std::string& args = {}) {
  SchedulerMessage message;
  if (!args.empty()) message.mutable_hello()->set_args(args);
  if (args.empty()) message.mutable_call()->set_id(id);
  return message;
}

// The scheduler's end, for a test that waits.
class Caller final : public remote::ChannelListener {
 public:
  void Connected() override {}
  void Received(PluginMessage message) override {
    const MutexLock lock(mutex_);
    answered_ = message.answer().id();
    ++answers_;
    changed_.NotifyAll();
  }
  void Lost(const std::string& why) override {
    const MutexLock lock(mutex_);
    lost_ = why;
    changed_.NotifyAll();
  }
  uint64_t WaitForAnswers(uint64_t count) {
    const MutexLock lock(mutex_);
    while (answers_ < count) {
      BERTH_CHECK(lost_.empty() && changed_.WaitUntil(mutex_, InAMinute()));
    }
    return answered_;
  }
  std::string WaitForLoss() {
    const MutexLock lock(mutex_);
    while (lost_.empty()) BERTH_CHECK(changed_.WaitUntil(mutex_, InAMinute()));
    return lost_;
  }

 private:
  static std::chrono::steady_clock::time_point InAMinute() {
    return std::chrono::steady_clock::now() + std::chrono::minutes(1);
  }
  Mutex mutex_;
  CondVar changed_;
  uint64_t answered_ BERTH_GUARDED_BY(mutex_) = 0;
  uint64_t answers_ BERTH_GUARDED_BY(mutex_) = 0;
  std::string lost_ BERTH_GUARDED_BY(mutex_);
};

// What sessions of a test have in common.
struct Watch {
  std::atomic<int> opened = 0;
  std::atomic<int> received = 0;
  std::promise<void> closed;  // the first of them is gone
  std::atomic<bool> is_closed = false;
  std::atomic<std::shared_future<void>*> block = nullptr;  // while set, Received waits for it
};

class AnsweringSession final : public Session {
 public:
  AnsweringSession(SendToScheduler send, Watch& watch) : send_(std::move(send)), watch_(watch) { ++watch_.opened; }
  ~AnsweringSession() override {
    EXPECT_EQ(std::this_thread::get_id(), thread_);
    if (!watch_.is_closed.exchange(true)) watch_.closed.set_value();
  }
  AnsweringSession(const AnsweringSession&) = delete;
  AnsweringSession& operator=(const AnsweringSession&) = delete;

  void Received(SchedulerMessage message) override {
    EXPECT_EQ(std::this_thread::get_id(), thread_);
    ++watch_.received;
    if (auto* block = watch_.block.load()) block->wait();
    PluginMessage answer;
    answer.mutable_answer()->set_id(message.call().id());
    send_(answer);
  }

 private:
  const SendToScheduler send_;
  Watch& watch_;
  const std::thread::id thread_ = std::this_thread::get_id();
};

class PluginServerTest : public testing::Test {
 protected:
  PluginServerTest() {
    std::string name = (std::filesystem::temp_directory_path() / "berth-host-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    path_ = folder_ + "/socket";
    options_.endpoint = "unix://" + path_;
  }
  ~PluginServerTest() override { std::filesystem::remove_all(folder_); }

  OpenSession Answering() {
    return [this](SendToScheduler send) { return std::make_unique<AnsweringSession>(std::move(send), watch_); };
  }
  void Serve() {
    auto server = GrpcServer::Listen(options_, Answering());
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
  }
  std::string Refusal() {
    const auto server = GrpcServer::Listen(options_, Answering());
    return server ? std::string() : server.error().message;
  }
  std::unique_ptr<remote::Channel> Dial(Caller& caller) {
    remote::GrpcDialerOptions options = dial_;
    if (options.endpoint.empty()) options.endpoint = server_ != nullptr ? server_->endpoint() : options_.endpoint;
    auto dialer = remote::GrpcDialer::Make(options);
    BERTH_CHECK(dialer.has_value());
    return (*dialer)->Dial(caller);
  }

  std::string folder_;
  std::string path_;
  GrpcServerOptions options_;
  remote::GrpcDialerOptions dial_;
  Watch watch_;
  std::unique_ptr<GrpcServer> server_;
};

TEST_F(PluginServerTest, AnswersOnAThreadOfTheSession) {
  Serve();
  Caller caller;
  auto channel = Dial(caller);
  for (uint64_t id = 1; id <= 100; ++id) {
    channel->Send(CallMessage(id));
    EXPECT_EQ(caller.WaitForAnswers(id), id);
  }
  channel.reset();
  watch_.closed.get_future().wait();
  EXPECT_EQ(watch_.opened, 1);
}

TEST_F(PluginServerTest, SessionsDoNotWaitForEachOther) {
  Serve();
  std::promise<void> go;
  std::shared_future<void> block = go.get_future().share();
  watch_.block = &block;
  Caller slow;
  const auto blocked = Dial(slow);
  blocked->Send(CallMessage(1));
  while (watch_.received == 0) std::this_thread::yield();
  watch_.block = nullptr;
  Caller caller;
  const auto channel = Dial(caller);
  channel->Send(CallMessage(2));
  EXPECT_EQ(caller.WaitForAnswers(1), 2u);
  go.set_value();
  EXPECT_EQ(slow.WaitForAnswers(1), 1u);
}

// What the session does not look at stays with the scheduler, which gives the stream up at its own limit.
TEST_F(PluginServerTest, ASessionThatLooksAtNothingHoldsTheSchedulerUp) {
  options_.max_untaken_bytes = 10'000;
  Serve();
  std::promise<void> go;
  std::shared_future<void> block = go.get_future().share();
  watch_.block = &block;
  dial_.max_unsent_bytes = size_t{32} << 20U;
  Caller caller;
  const auto channel = Dial(caller);
  const std::string args(size_t{1} << 20U, 'x');
  for (int i = 0; i < 64; ++i) channel->Send(CallMessage(0, args));
  EXPECT_NE(caller.WaitForLoss().find("RESOURCE_EXHAUSTED: the other side takes nothing"), std::string::npos);
  go.set_value();
  watch_.closed.get_future().wait();
  EXPECT_LT(watch_.received, 64);
}

TEST_F(PluginServerTest, MessagesThatWaitAreAllReadBeforeAnOrderlyEnd) {
  Serve();
  std::promise<void> go;
  std::shared_future<void> block = go.get_future().share();
  watch_.block = &block;
  Caller caller;
  {
    const auto channel = Dial(caller);
    for (uint64_t id = 1; id <= 50; ++id) channel->Send(CallMessage(id));
    while (watch_.received == 0) std::this_thread::yield();
    watch_.block = nullptr;
    go.set_value();
    caller.WaitForAnswers(1);
  }
  watch_.closed.get_future().wait();
  EXPECT_EQ(watch_.received, 50);
}

TEST_F(PluginServerTest, TooManySessionsAreRefused) {
  options_.max_sessions = 1;
  Serve();
  Caller first;
  const auto channel = Dial(first);
  channel->Send(CallMessage(1));
  first.WaitForAnswers(1);
  Caller second;
  const auto refused = Dial(second);
  EXPECT_EQ(second.WaitForLoss(), "plugin at " + server_->endpoint() +
                                      ": it has ended the stream: RESOURCE_EXHAUSTED: too many calls at once");
}

TEST_F(PluginServerTest, AMessageThatIsTooLargeEndsTheSession) {
  options_.max_message_bytes = 1'000;
  Serve();
  Caller caller;
  const auto channel = Dial(caller);
  channel->Send(CallMessage(0, std::string(2'000, 'x')));
  EXPECT_NE(caller.WaitForLoss().find("RESOURCE_EXHAUSTED: a message of 20"), std::string::npos);
  watch_.closed.get_future().wait();
}

TEST_F(PluginServerTest, ItsEndIsTheEndOfItsSessions) {
  Serve();
  Caller caller;
  const auto channel = Dial(caller);
  channel->Send(CallMessage(1));
  caller.WaitForAnswers(1);
  server_.reset();
  const std::string why = caller.WaitForLoss();
  EXPECT_NE(why.find("the plugin's process ends"), std::string::npos) << why;
  watch_.closed.get_future().wait();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(PluginServerTest, OnlyThisUserMayConnectAndASocketOfTheDeadIsReplaced) {
  // A process that listens, and is killed.
  std::array<int, 2> ready = {};
  ASSERT_EQ(pipe(ready.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto server = GrpcServer::Listen(options_, Answering());
    const char byte = server ? 'y' : 'n';
    if (write(ready[1], &byte, 1) != 1) _exit(1);
    while (true) pause();
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  ASSERT_EQ(byte, 'y');
  struct stat found = {};
  ASSERT_EQ(stat(path_.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
  EXPECT_EQ(Refusal(), "failed to listen on " + path_ + ": another process listens there");
  Caller caller;
  const auto channel = Dial(caller);
  channel->Send(CallMessage(1));
  caller.WaitForAnswers(1);
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ(caller.WaitForLoss(), "plugin at " + options_.endpoint + ": the other side closed the connection");
  EXPECT_TRUE(std::filesystem::exists(path_));
  Serve();
  Caller again;
  const auto second = Dial(again);
  second->Send(CallMessage(2));
  again.WaitForAnswers(1);
  close(ready[0]);
  close(ready[1]);
}

TEST_F(PluginServerTest, ServesPortsOfThisMachineInClearText) {
  for (const std::string host : {"127.0.0.1", "localhost"}) {
    options_.endpoint = "tcp://" + host + ":0";
    Serve();
    EXPECT_NE(server_->endpoint(), options_.endpoint);
    Caller caller;
    const auto channel = Dial(caller);
    channel->Send(CallMessage(1));
    caller.WaitForAnswers(1);
  }
  options_.endpoint = "tcp://0.0.0.0:0";
  EXPECT_EQ(Refusal(), "tcp://0.0.0.0:0 can be reached by other machines: it needs TLS, as tls://");
}

class PluginTlsTest : public PluginServerTest {
 protected:
  PluginTlsTest() {
    WriteFile("ca", authority_.certificate());
    const net::CertifiedKey server = authority_.IssueServer("IP:127.0.0.1,DNS:plugin.example.com");
    options_.endpoint = "tls://127.0.0.1:0";
    options_.tls = {.ca_file = File("ca"),
                    .cert_file = WriteFile("server", server.certificate),
                    .key_file = WriteFile("server-key", server.key)};
    dial_.tls = {.ca_file = File("ca")};
  }
  std::string File(const std::string& name) const { return folder_ + "/" + name; }
  std::string WriteFile(const std::string& name, const std::string& text) {
    std::ofstream(File(name)) << text;
    return File(name);
  }
  void Show(const net::CertifiedKey& client) {
    dial_.tls.cert_file = WriteFile("client", client.certificate);
    dial_.tls.key_file = WriteFile("client-key", client.key);
  }
  std::string Loss() {
    Caller caller;
    const auto channel = Dial(caller);
    return caller.WaitForLoss();
  }

  const net::TestAuthority authority_;
};

TEST_F(PluginTlsTest, ServesSchedulersWithACertificate) {
  Serve();
  Show(authority_.IssueClient("scheduler"));
  dial_.tls.server_name = "plugin.example.com";
  Caller caller;
  const auto channel = Dial(caller);
  channel->Send(CallMessage(1));
  EXPECT_EQ(caller.WaitForAnswers(1), 1u);
}

TEST_F(PluginTlsTest, ServesNobodyElse) {
  Serve();
  EXPECT_NE(Loss().find("UNAUTHENTICATED: a client certificate is required: there is none"), std::string::npos);
  Show(net::TestAuthority("another").IssueClient("scheduler"));
  EXPECT_NE(Loss().find("UNAUTHENTICATED: a client certificate is required: unable to get local issuer certificate"),
            std::string::npos);
  EXPECT_EQ(watch_.opened, 0);
}

TEST_F(PluginTlsTest, IsNotTrustedWithAnotherName) {
  Serve();
  dial_.tls.server_name = "other.example.com";
  EXPECT_NE(Loss().find("the server's certificate is for 127.0.0.1, the name plugin.example.com, not for"),
            std::string::npos);
}

TEST_F(PluginTlsTest, NeedsToKnowWhoMayCall) {
  options_.tls.ca_file.clear();
  EXPECT_EQ(Refusal(), "tls://127.0.0.1:0 needs caFile, certFile and keyFile: without them anyone could call");
}

}  // namespace
}  // namespace berth::plugin_host
