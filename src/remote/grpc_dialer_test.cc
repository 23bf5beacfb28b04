// SPDX-License-Identifier: Apache-2.0
#include "remote/grpc_dialer.h"

#include "base/mutex.h"
#include "net/grpc_server.h"
#include "net/test_loop_thread.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace berth::remote {
namespace {

// Remembers what a channel tells; any thread may wait for it.
class Heard final : public ChannelListener {
 public:
  void Connected() override { Note("connected"); }
  void Received(PluginMessage message) override { Note("answer " + std::to_string(message.answer().id())); }
  void Lost(const std::string& why) override { Note("lost: " + why); }

  std::string WaitFor(const std::string& beginning) {
    const MutexLock lock(mutex_);
    while (true) {
      for (const std::string& note : notes_) {
        if (note.starts_with(beginning)) return note.substr(beginning.size());
      }
      BERTH_CHECK(changed_.WaitUntil(mutex_, std::chrono::steady_clock::now() + std::chrono::minutes(1)));
    }
  }
  std::vector<std::string> notes() {
    const MutexLock lock(mutex_);
    return notes_;
  }

 private:
  void Note(std::string note) {
    const MutexLock lock(mutex_);
    notes_.push_back(std::move(note));
    changed_.NotifyAll();
  }
  Mutex mutex_;
  CondVar changed_;
  std::vector<std::string> notes_ BERTH_GUARDED_BY(mutex_);
};

// The plugin's end of a stream, as the test wants it.
class Scripted final : public net::GrpcStreamEvents {
 public:
  using Script = std::function<void(const net::GrpcStream&, const SchedulerMessage&)>;
  Scripted(net::GrpcStream stream, Script script) : stream_(std::move(stream)), script_(std::move(script)) {}
  void StreamReceived(std::string message) override {
    SchedulerMessage read;
    ASSERT_TRUE(read.ParseFromString(message));
    script_(stream_, read);
    stream_.Taken(message.size());
  }
  void StreamInputEnded() override { stream_.End(); }
  void StreamEnded(const net::GrpcStatus& /*status*/) override {}

 private:
  const net::GrpcStream stream_;
  const Script script_;
};

std::string AnswerBytes(uint64_t id) {
  PluginMessage message;
  message.mutable_answer()->set_id(id);
  return message.SerializeAsString();
}

void AnswerCall(const net::GrpcStream& stream, const SchedulerMessage& message) {
  stream.Send(AnswerBytes(message.call().id()));
}

SchedulerMessage CallMessage(uint64_t id) {
  SchedulerMessage message;
  message.mutable_call()->set_id(id);
  return message;
}

class GrpcDialerTest : public testing::Test {
 protected:
  GrpcDialerTest() {
    std::string name = (std::filesystem::temp_directory_path() / "berth-dial-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    path_ = folder_ + "/socket";
    options_.endpoint = "unix://" + path_;
  }
  ~GrpcDialerTest() override {
    thread_.Do([&] { server_.reset(); });
    std::filesystem::remove_all(folder_);
  }

  void Serve(Scripted::Script script, const std::string& method = kSessionMethod) {
    server_ = std::make_unique<net::GrpcServer>(thread_.loop(), net::GrpcServerOptions{.path = method},
                                                [script = std::move(script)](net::GrpcStream stream) {
                                                  return std::make_shared<Scripted>(std::move(stream), script);
                                                });
    ASSERT_TRUE(server_->ListenUnix(path_));
    thread_.Do([&] { server_->Start(); });
  }
  // How a session is lost in which a call is made.
  std::string LossAfterCall() {
    const auto dialer = GrpcDialer::Make(options_);
    Heard heard;
    const auto channel = (*dialer)->Dial(heard);
    channel->Send(CallMessage(7));
    return heard.WaitFor("lost: plugin at " + options_.endpoint + ": ");
  }

  std::string folder_;
  std::string path_;
  GrpcDialerOptions options_;
  net::TestLoopThread thread_;
  std::unique_ptr<net::GrpcServer> server_;
};

TEST_F(GrpcDialerTest, CarriesCallsAndAnswers) {
  Serve(AnswerCall);
  const auto dialer = GrpcDialer::Make(options_);
  ASSERT_TRUE(dialer) << dialer.error().message;
  Heard heard;
  const auto channel = (*dialer)->Dial(heard);
  for (uint64_t id = 1; id <= 100; ++id) {
    channel->Send(CallMessage(id));
    heard.WaitFor("answer " + std::to_string(id));
  }
  EXPECT_EQ(heard.notes().front(), "connected");
  EXPECT_EQ(heard.notes().size(), 101u);
}

TEST_F(GrpcDialerTest, EveryChannelHasAStreamOfItsOwn) {
  Serve(AnswerCall);
  const auto dialer = GrpcDialer::Make(options_);
  Heard one;
  Heard two;
  auto first = (*dialer)->Dial(one);
  const auto second = (*dialer)->Dial(two);
  first->Send(CallMessage(1));
  second->Send(CallMessage(2));
  one.WaitFor("answer 1");
  two.WaitFor("answer 2");
  first.reset();
  second->Send(CallMessage(3));
  two.WaitFor("answer 3");
  EXPECT_EQ(one.notes(), (std::vector<std::string>{"connected", "answer 1"}));
}

TEST_F(GrpcDialerTest, AChannelOutlivesItsDialer) {
  Serve(AnswerCall);
  auto dialer = GrpcDialer::Make(options_);
  Heard heard;
  const auto channel = (*dialer)->Dial(heard);
  dialer->reset();
  channel->Send(CallMessage(1));
  heard.WaitFor("answer 1");
}

// The server answers without end: some answers are on their way whenever the channel goes.
TEST_F(GrpcDialerTest, AChannelThatIsGoneTellsNothing) {
  Serve([](const net::GrpcStream& stream, const SchedulerMessage&) {
    for (uint64_t id = 0; id < 10'000; ++id) stream.Send(AnswerBytes(id));
  });
  const auto dialer = GrpcDialer::Make(options_);
  for (int i = 0; i < 20; ++i) {
    Heard heard;
    auto channel = (*dialer)->Dial(heard);
    channel->Send(CallMessage(1));
    heard.WaitFor("answer 0");
    channel.reset();
    const size_t told = heard.notes().size();
    std::this_thread::yield();
    EXPECT_EQ(heard.notes().size(), told);
  }
}

TEST_F(GrpcDialerTest, AFloodIsTakenAsItComes) {
  constexpr uint64_t kMany = 200'000;
  Serve([](const net::GrpcStream& stream, const SchedulerMessage&) {
    for (uint64_t id = 1; id <= kMany; ++id) stream.Send(AnswerBytes(id));
  });
  class Last final : public ChannelListener {
   public:
    void Connected() override {}
    void Received(PluginMessage message) override {
      EXPECT_EQ(message.answer().id(), ++last_);
      if (last_ == kMany) done.Note();
    }
    void Lost(const std::string& why) override { ADD_FAILURE() << why; }
    struct {
      void Note() {
        const MutexLock lock(mutex);
        is_done = true;
        changed.NotifyAll();
      }
      Mutex mutex;
      CondVar changed;
      bool is_done BERTH_GUARDED_BY(mutex) = false;
    } done;

   private:
    uint64_t last_ = 0;
  } last;
  const auto dialer = GrpcDialer::Make(options_);
  const auto channel = (*dialer)->Dial(last);
  channel->Send(CallMessage(1));
  const MutexLock lock(last.done.mutex);
  while (!last.done.is_done) {
    ASSERT_TRUE(
        last.done.changed.WaitUntil(last.done.mutex, std::chrono::steady_clock::now() + std::chrono::minutes(1)));
  }
}

TEST_F(GrpcDialerTest, LossesSayWhatHappened) {
  EXPECT_EQ(LossAfterCall(), "cannot connect: No such file or directory");
  Serve([](const net::GrpcStream& stream, const SchedulerMessage&) { stream.Send("\xff\xff rubbish"); });
  EXPECT_EQ(LossAfterCall(), "it has sent a message that cannot be read");
  thread_.Do([&] { server_.reset(); });
  Serve([](const net::GrpcStream& stream, const SchedulerMessage&) { stream.End(); });
  EXPECT_EQ(LossAfterCall(), "it has ended the stream");
  thread_.Do([&] { server_.reset(); });
  Serve([](const net::GrpcStream& stream, const SchedulerMessage&) { stream.End({net::GrpcCode::Internal, "a bug"}); });
  EXPECT_EQ(LossAfterCall(), "it has ended the stream: INTERNAL: a bug");
  thread_.Do([&] { server_.reset(); });
  Serve(AnswerCall, "/other.Service/Method");
  EXPECT_EQ(LossAfterCall(),
            std::string("it has ended the stream: UNIMPLEMENTED: there is no method ") + kSessionMethod);
  thread_.Do([&] { server_.reset(); });
  options_.max_message_bytes = 1'000;
  Serve([](const net::GrpcStream& stream, const SchedulerMessage&) { stream.Send(std::string(1'001, 'x')); });
  EXPECT_EQ(LossAfterCall(),
            "it has ended the stream: RESOURCE_EXHAUSTED: a message of 1001 bytes is larger than 1000 bytes");
}

TEST_F(GrpcDialerTest, WhatIsSentOnALostStreamIsDropped) {
  const auto dialer = GrpcDialer::Make(options_);
  Heard heard;
  const auto channel = (*dialer)->Dial(heard);
  heard.WaitFor("lost: ");
  for (int i = 0; i < 10; ++i) channel->Send(CallMessage(1));
  EXPECT_EQ(heard.notes().size(), 1u);
}

TEST(GrpcDialer, OptionsThatCannotBeAreRefused) {
  const auto problem = [](const GrpcDialerOptions& options) { return GrpcDialer::Make(options).error().message; };
  EXPECT_EQ(problem({.endpoint = "plugin"}),
            "'plugin' is no endpoint: it begins with none of unix://, tcp:// and tls://");
  EXPECT_EQ(problem({.endpoint = "tcp://10.0.0.1:7000"}),
            "tcp://10.0.0.1:7000 is another machine: it needs TLS, as tls://");
  EXPECT_EQ(problem({.endpoint = "tcp://127.0.0.1:7000", .tls = {.ca_file = "ca.pem"}}),
            "certificates are of no use for tcp://127.0.0.1:7000: only tls:// has TLS");
  EXPECT_EQ(problem({.endpoint = "tls://127.0.0.1:7000", .tls = {.ca_file = "/missing/ca.pem"}}),
            "cannot read /missing/ca.pem");
  EXPECT_TRUE(GrpcDialer::Make({.endpoint = "tcp://10.0.0.1:7000", .allow_clear_text = true}));
}

}  // namespace
}  // namespace berth::remote
