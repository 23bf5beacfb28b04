// SPDX-License-Identifier: Apache-2.0
// Extenders that are down, slow or broken, more calls than may be under way, and an end amid calls.
#include "base/mutex.h"
#include "extender/test_calls.h"
#include "extender/test_extender_server.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::extender {
namespace {

// Lets through as many as it was told; any thread.
class Gate {
 public:
  void Pass() {
    const MutexLock lock(mutex_);
    ++arrived_;
    changed_.NotifyAll();
    while (open_ == 0) changed_.Wait(mutex_);
    --open_;
  }
  void Open(size_t count) {
    const MutexLock lock(mutex_);
    open_ += count;
    changed_.NotifyAll();
  }
  // Until that many have come.
  void WaitFor(size_t count) {
    const MutexLock lock(mutex_);
    while (arrived_ < count) changed_.Wait(mutex_);
  }
  size_t arrived() {
    const MutexLock lock(mutex_);
    return arrived_;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  size_t open_ BERTH_GUARDED_BY(mutex_) = 0;
  size_t arrived_ BERTH_GUARDED_BY(mutex_) = 0;
};

class FailuresTest : public testing::Test, public CallBed {
 protected:
  void Serve(TestExtenderServer::Handler handler) {
    server_ = std::make_unique<TestExtenderServer>(std::move(handler));
    config.url_prefix = server_->url();
    Start();
  }
  ~FailuresTest() override { extenders = nullptr; }
  std::string FilterError() { return Filter(NodesNamed({"n1", "n2"})).error; }

  Gate gate_;  // of the server's handler
  std::unique_ptr<TestExtenderServer> server_;
};

TEST_F(FailuresTest, AnExtenderThatIsDown) {
  Serve([](const AskedQuestion& /*question*/, AskingClient& /*client*/) {});
  server_ = nullptr;  // nobody listens there any more
  const std::string error = FilterError();
  EXPECT_TRUE(error.starts_with("Post \"" + config.url_prefix + "/filter\": connect to 127.0.0.1:")) << error;
  EXPECT_TRUE(error.find("Connection refused") != std::string::npos) << error;
}

TEST_F(FailuresTest, AnExtenderThatTakesTooLong) {
  config.http_timeout = std::chrono::milliseconds(50);
  Serve([](const AskedQuestion& /*question*/, AskingClient& client) { client.WaitForEnd(); });
  const std::string error = FilterError();
  EXPECT_TRUE(error.starts_with("Post \"" + config.url_prefix + "/filter\": ")) << error;
  EXPECT_TRUE(error.ends_with("timed out after 50ms")) << error;
}

TEST_F(FailuresTest, AnAnswerThatStopsInTheMiddleTakesTooLongAsWell) {
  config.http_timeout = std::chrono::milliseconds(200);
  Serve([](const AskedQuestion& /*question*/, AskingClient& client) {
    client.Write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"NodeNames\":");
    client.WaitForEnd();
  });
  const std::string error = FilterError();
  EXPECT_TRUE(error.find("timed out after") != std::string::npos) << error;
}

TEST_F(FailuresTest, AnAnswerWithAnotherStatus) {
  Serve([](const AskedQuestion& question, AskingClient& client) {
    client.Answer(question.line.find("bind") != std::string::npos ? 201 : 500, R"({"NodeNames": []})");
  });
  EXPECT_EQ(FilterError(), "failed filter with extender at URL " + config.url_prefix + "/filter, code 500");
  EXPECT_EQ(Prioritize({}).error,
            "failed prioritize with extender at URL " + config.url_prefix + "/prioritize, code 500");
  EXPECT_EQ(Preempt({}).error, "failed preempt with extender at URL " + config.url_prefix + "/preempt, code 500");
  EXPECT_EQ(Bind("n1").error, "failed bind with extender at URL " + config.url_prefix + "/bind, code 201");
  EXPECT_EQ(server_->connections(), 1u);
}

TEST_F(FailuresTest, ARefusalWithoutEnd) {
  Serve([](const AskedQuestion& /*question*/, AskingClient& client) {
    client.Write("HTTP/1.1 503 Busy\r\n\r\n");
    while (client.Write(std::string(10'000, 'x'))) {
    }
    client.Leave();
  });
  EXPECT_EQ(FilterError(), "failed filter with extender at URL " + config.url_prefix + "/filter, code 503");
}

TEST_F(FailuresTest, JsonThatIsCutOff) {
  Serve([](const AskedQuestion& /*question*/, AskingClient& client) { client.Answer(200, R"({"NodeNames": ["n1")"); });
  EXPECT_EQ(FilterError(),
            "cannot read the answer of the extender at URL " + config.url_prefix + "/filter: unexpected EOF");
}

TEST_F(FailuresTest, AnAnswerThatIsNoJson) {
  Serve([](const AskedQuestion& /*question*/, AskingClient& client) { client.Answer(200, "<html>"); });
  EXPECT_EQ(FilterError(), "cannot read the answer of the extender at URL " + config.url_prefix +
                               "/filter: a map expected at byte 0, not '<'");
}

TEST_F(FailuresTest, AConnectionThatIsCutAmidAnAnswer) {
  Serve([](const AskedQuestion& /*question*/, AskingClient& client) {
    client.Write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}");
    client.Leave();
  });
  const std::string error = FilterError();
  EXPECT_TRUE(error.find("closed the connection") != std::string::npos) << error;
}

TEST_F(FailuresTest, AnAnswerThatIsNoHttp) {
  Serve([](const AskedQuestion& /*question*/, AskingClient& client) {
    client.Write("220 mail.example.com ESMTP\r\n\r\n");
    client.WaitForEnd();
  });
  const std::string error = FilterError();
  EXPECT_TRUE(error.find("breaks the protocol") != std::string::npos) << error;
}

TEST_F(FailuresTest, AnAnswerWithoutEndIsGivenUpAtTheLimit) {
  options.limits.max_answer = 1'000'000;
  Serve([&](const AskedQuestion& /*question*/, AskingClient& client) {
    client.Write("HTTP/1.1 200 OK\r\n\r\n{\"NodeNames\":[\"");
    while (client.Write(std::string(10'000, 'x'))) {
    }
    client.Leave();
    gate_.Pass();
  });
  EXPECT_EQ(FilterError(), "Post \"" + config.url_prefix + "/filter\": the answer is larger than 1000000 bytes");
  gate_.Open(1);
  gate_.WaitFor(1);  // the exchange is over: the server cannot write any more
}

TEST_F(FailuresTest, AnAnswerMayBeTwiceAsLargeAsTheQuestion) {
  options.limits.max_answer = 10;
  Serve([](const AskedQuestion& question, AskingClient& client) {
    client.Answer(200, std::string(2 * question.body.size() - 2, ' ') + "{}");
  });
  EXPECT_EQ(FilterError(), "");
}

TEST_F(FailuresTest, AnExtenderThatComesBackIsAskedAgain) {
  std::atomic<bool> broken = true;
  Serve([&](const AskedQuestion& /*question*/, AskingClient& client) {
    if (!broken) return client.Answer(200, "{}");
    client.Write("nonsense\r\n\r\n");
    client.Leave();
  });
  EXPECT_NE(Bind("n1").error, "");
  broken = false;
  EXPECT_EQ(Bind("n1").error, "");
}

TEST_F(FailuresTest, AUrlThatCannotBeUsedFailsEveryCall) {
  config.url_prefix = "localhost:8888";
  Start();
  EXPECT_EQ(FilterError(), R"(Post "localhost:8888/filter": unsupported protocol scheme "localhost")");
}

TEST_F(FailuresTest, CallsBeyondTheLimitWaitInOrder) {
  options.limits.max_under_way = 3;
  Serve([&](const AskedQuestion& /*question*/, AskingClient& client) {
    gate_.Pass();
    client.Answer(200, "{}");
  });
  std::vector<Awaited<Extender::BindAnswer>> answers(10);
  for (size_t i = 0; i < answers.size(); ++i) {
    extender().Bind(PodNamed("p"), "n" + std::to_string(i), answers[i].Taker());
  }
  for (size_t done = 0; done < answers.size(); ++done) {
    gate_.WaitFor(std::min(done + 3, answers.size()));
    EXPECT_LE(gate_.arrived(), done + 3);
    EXPECT_EQ(server_->asked().size(), std::min(done + 3, answers.size()));
    gate_.Open(1);  // one of those under way is answered; only then another is sent
  }
  for (auto& answer : answers) EXPECT_EQ(answer.Get().error, "");
  EXPECT_LE(server_->connections(), 3u);
  // Those that waited were sent in the order in which they were asked.
  std::vector<std::string> nodes;
  for (const AskedQuestion& question : server_->asked())
    nodes.push_back(question.body.substr(question.body.size() - 4));
  for (size_t i = 3; i < nodes.size(); ++i) EXPECT_EQ(nodes[i], "n" + std::to_string(i) + "\"}");
}

TEST_F(FailuresTest, CallsUnderWayAndWaitingEndWithTheScheduler) {
  options.limits.max_under_way = 2;
  Serve([&](const AskedQuestion& /*question*/, AskingClient& client) {
    gate_.Pass();
    client.WaitForEnd();
  });
  gate_.Open(2);
  std::vector<Awaited<Extender::BindAnswer>> answers(5);
  for (auto& answer : answers) extender().Bind(PodNamed("p"), "n1", answer.Taker());
  gate_.WaitFor(2);
  extenders = nullptr;
  for (auto& answer : answers) EXPECT_EQ(answer.Get().error, "the scheduler is shutting down");
}

TEST_F(FailuresTest, WhoIsToldOfTheEndMayAskAgain) {
  Serve([&](const AskedQuestion& /*question*/, AskingClient& client) {
    gate_.Pass();
    client.WaitForEnd();
  });
  gate_.Open(1);
  Awaited<Extender::BindAnswer> second;
  Extender& asked = extender();
  asked.Bind(PodNamed("p"), "n1", [&, taker = second.Taker()](const Extender::BindAnswer& /*first*/) {
    asked.Bind(PodNamed("p"), "n1", taker);
  });
  gate_.WaitFor(1);
  extenders = nullptr;
  EXPECT_EQ(second.Get().error, "the scheduler is shutting down");
}

TEST_F(FailuresTest, NothingNeedsToBeAskedBeforeTheEnd) {
  Serve([](const AskedQuestion& /*question*/, AskingClient& /*client*/) {});
  extenders = nullptr;
}

}  // namespace
}  // namespace berth::extender
