// SPDX-License-Identifier: Apache-2.0
// Credentials that a plugin gives.
#include "kube/access/credentials.h"
#include "kube/access/test_files.h"
#include "log/output.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::kube {
namespace {

using namespace std::chrono_literals;

// Moves only when it is told to, and may be asked meanwhile.
class SharedClock final : public Clock {
 public:
  Timestamp Now() const override { return std::chrono::sys_days(std::chrono::year(2026) / 1 / 1) + Duration(passed_); }
  void Advance(Duration by) { passed_ += by.count(); }

 private:
  std::atomic<int64_t> passed_ = 0;
};

// A plugin that counts its runs. It fails while there is a file "broken", and waits while there is a file "held".
class ExecCredentialsTest : public testing::Test {
 protected:
  ExecCredentialsTest() { surroundings_.stdin_is_terminal = false; }
  // `status` may use $n, the number of this run.
  void Make(const std::string& status, ExecPace pace = {}) {
    plugin_.api_version = kExecV1;
    plugin_.command = folder_.Script(
        "plug", fmt::format("cd $(dirname $0); echo run >> runs; n=$(wc -l < runs)\n"
                            "while [ -e held ]; do sleep 0.01; done; [ -e broken ] && exit 1\n"
                            "cat <<END\n{{\"kind\":\"ExecCredential\",\"apiVersion\":\"{}\",\"status\":{}}}\nEND",
                            kExecV1, status));
    credentials_.emplace(CredentialSource{.exec = plugin_}, surroundings_, clock_, log::Logger(output_, "kube"),
                         ExecLimits{}, pace);
  }
  std::shared_ptr<const GivenCredentials> Given() { return credentials_->Current().value(); }
  std::string Authorization() { return Given()->authorization; }
  std::string Problem() {
    const auto given = credentials_->Current();
    return given ? "none" : given.error().message;
  }
  void RejectGiven() { credentials_->Reject(Given()->generation); }

  void Hold() const { folder_.Script("held", ""); }
  void LetGo() const { std::remove(folder_.Path("held").c_str()); }
  void Break() const { folder_.Script("broken", ""); }
  void Mend() const { std::remove(folder_.Path("broken").c_str()); }
  size_t Runs() const { return Lines(ReadWholeFile(folder_.Path("runs")).value()); }
  void WaitForRun(size_t number) const {
    while (Runs() < number) std::this_thread::sleep_for(1ms);
  }
  static size_t Lines(const std::string& text) {
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  TestFolder folder_;
  Surroundings surroundings_ = OfThisProcess();
  ExecPlugin plugin_;
  SharedClock clock_;
  std::ostringstream stream_;
  log::Output output_{stream_, clock_, {}};
  std::optional<Credentials> credentials_;
};

constexpr const char* kTenMinutes = R"({"token":"t$n","expirationTimestamp":"2026-01-01T00:10:00Z"})";

TEST_F(ExecCredentialsTest, AreKeptUntilShortlyBeforeTheyExpire) {
  Make(kTenMinutes);
  EXPECT_EQ(Authorization(), "Bearer t1");
  clock_.Advance(9min - 1s);
  EXPECT_EQ(Authorization(), "Bearer t1");
  EXPECT_EQ(Runs(), 1U);
  Hold();
  clock_.Advance(1s);
  EXPECT_EQ(Authorization(), "Bearer t1") << "the old one serves while a new one is fetched";
  WaitForRun(2);
  EXPECT_EQ(Authorization(), "Bearer t1");
  LetGo();
  while (Authorization() != "Bearer t2") std::this_thread::sleep_for(1ms);
  EXPECT_EQ(Given()->tls_generation, 1U);
  EXPECT_EQ(Runs(), 2U);
}

TEST_F(ExecCredentialsTest, AreWaitedForWhenTheyHaveExpired) {
  Make(kTenMinutes);
  EXPECT_EQ(Authorization(), "Bearer t1");
  clock_.Advance(10min + 1s);
  EXPECT_EQ(Authorization(), "Bearer t2");
}

TEST_F(ExecCredentialsTest, ThatHaveExpiredWhenTheyComeAreTriedForAWhile) {
  clock_.Advance(1h);
  Make(kTenMinutes);
  EXPECT_EQ(Authorization(), "Bearer t1");
  EXPECT_EQ(Authorization(), "Bearer t1") << "clocks differ";
  clock_.Advance(5s + 1ns);
  EXPECT_EQ(Authorization(), "Bearer t2");
}

TEST_F(ExecCredentialsTest, AreAskedForAnewWhenTheServerRejectsThem) {
  Make(R"({"token":"same"})");
  const uint64_t first = Given()->generation;
  clock_.Advance(24h * 365);
  EXPECT_EQ(Given()->generation, first);
  EXPECT_EQ(Runs(), 1U);
  credentials_->Reject(first);
  EXPECT_GT(Given()->generation, first);
  EXPECT_EQ(Runs(), 2U);
  credentials_->Reject(first);
  EXPECT_TRUE(credentials_->Current());
  EXPECT_EQ(Runs(), 2U) << "what was rejected is gone already";
}

TEST_F(ExecCredentialsTest, ThatAreRejectedAtOnceAreNotAskedForAgainAndAgain) {
  Make(R"({"token":"t$n"})");
  for (int i = 0; i < 10; ++i) RejectGiven();
  EXPECT_EQ(Authorization(), "Bearer t1");
  EXPECT_EQ(Runs(), 1U);
  clock_.Advance(5s);
  EXPECT_EQ(Authorization(), "Bearer t2");
}

TEST_F(ExecCredentialsTest, MayBeCertificatesThatMakeConnectionsOld) {
  Make(R"({"clientCertificateData":"C$n","clientKeyData":"K$n","expirationTimestamp":"2026-01-01T00:10:00Z"})");
  const auto first = Given();
  EXPECT_EQ(first->authorization, "");
  EXPECT_EQ(first->key_pair, (KeyPair{"C1", "K1"}));
  clock_.Advance(11min);
  const auto second = Given();
  EXPECT_EQ(second->key_pair, (KeyPair{"C2", "K2"}));
  EXPECT_GT(second->tls_generation, first->tls_generation);
}

TEST_F(ExecCredentialsTest, AreAnErrorForAWhileWhenThePluginFailsAndComeBack) {
  Make(R"({"token":"t$n"})");
  Break();
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(Problem(), "getting credentials: exec: executable " + plugin_.command +
                             " failed with exit code 1: it wrote nothing to standard error");
  }
  EXPECT_EQ(Runs(), 1U) << "not for every request";
  Mend();
  clock_.Advance(5s);
  EXPECT_EQ(Authorization(), "Bearer t2");
  EXPECT_EQ(stream_.str(), "") << "the requests have told";
}

TEST_F(ExecCredentialsTest, ServeWhileThePluginFailsWhichIsLoggedOnce) {
  Make(kTenMinutes, {.pause = {}});
  EXPECT_EQ(Authorization(), "Bearer t1");
  Break();
  clock_.Advance(9min);
  while (Runs() < 4) {
    EXPECT_EQ(Authorization(), "Bearer t1");
    std::this_thread::sleep_for(1ms);
  }
  credentials_.reset();
  EXPECT_EQ(Lines(stream_.str()), 1U) << stream_.str();
  EXPECT_NE(stream_.str().find("the old ones are used until they expire"), std::string::npos) << stream_.str();
}

TEST_F(ExecCredentialsTest, AreNotWaitedForForeverOnceThePluginHasRun) {
  Make(R"({"token":"t$n"})", {.pause = {}, .patience = 10ms});
  EXPECT_EQ(Authorization(), "Bearer t1");
  Hold();
  RejectGiven();
  const std::string waiting = "getting credentials: exec: executable " + plugin_.command + " is still running";
  EXPECT_EQ(Problem(), waiting);
  EXPECT_EQ(Problem(), waiting);
  LetGo();
  while (Problem() == waiting) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(Authorization(), "Bearer t2");
}

TEST_F(ExecCredentialsTest, AreFetchedOnceForManyThreads) {
  Make(R"({"token":"t$n"})");
  std::vector<std::string> seen(8);
  std::vector<std::thread> threads;
  threads.reserve(seen.size());
  for (std::string& mine : seen) {
    threads.emplace_back([&] { mine = Authorization(); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(seen, std::vector<std::string>(8, "Bearer t1"));
  EXPECT_EQ(Runs(), 1U);
}

TEST_F(ExecCredentialsTest, EndThePluginWithThem) {
  Make(kTenMinutes);
  EXPECT_EQ(Authorization(), "Bearer t1");
  Hold();
  clock_.Advance(9min);
  EXPECT_EQ(Authorization(), "Bearer t1");
  WaitForRun(2);
  credentials_.reset();
  EXPECT_EQ(stream_.str(), "") << "that is no failure";
}

}  // namespace
}  // namespace berth::kube
