// SPDX-License-Identifier: Apache-2.0
#include "kube/home/kube_leases.h"

#include "kube/client/test_api_server.h"
#include "net/test_loop_thread.h"

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kAll = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
constexpr const char* kOne = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/sched";
constexpr Duration kTtl = seconds(15);

// A Lease as the server has it.
struct Record {
  std::string holder = "other";
  int version = 7;
  int duration = 15;
  int transitions = 3;
  std::string renewed = "2026-05-28T20:26:40.000000Z";
  std::string uid = "uid-1";
};
std::string Json(const Record& record) {
  return fmt::format(
      R"({{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{{"name":"sched","namespace":"kube-system",)"
      R"("uid":"{}","resourceVersion":"{}","labels":{{"kept":"yes"}}}},"spec":{{"holderIdentity":"{}",)"
      R"("leaseDurationSeconds":{},"acquireTime":"2026-05-01T00:00:00.000000Z","renewTime":"{}","leaseTransitions":{}}}}})",
      record.uid, record.version, record.holder, record.duration, record.renewed, record.transitions);
}

// Leases whose server is the test: calls run on a thread of their own while the test answers.
class KubeLeasesTest : public testing::Test {
 protected:
  KubeLeasesTest() {
    loop_.Do([&] {
      client_ = std::make_unique<ApiClient>(loop_.loop(), access_, credentials_, ApiClientOptions());
      leases_ = std::make_unique<KubeLeases>(*client_, "kube-system", clock_, std::chrono::minutes(1), "",
                                             [this] { ++slow_renewals_; });
    });
  }
  ~KubeLeasesTest() override {
    loop_.Do([&] { client_.reset(); });
  }

  using Answer = std::future<Result<store::Lease>>;
  Answer Acquire() {
    return std::async(std::launch::async, [&] { return leases_->Acquire("sched", "me", kTtl); });
  }
  Answer Renew() {
    return std::async(std::launch::async, [&] { return leases_->Renew({"sched", "me", 4, {}}, kTtl); });
  }
  std::future<Result<void>> Release() {
    return std::async(std::launch::async, [&] { return leases_->Release({"sched", "me", 4, {}}); });
  }
  // The server answers the next question for the lease with this.
  void TellRecord(const Record& record) { server_.Expect("GET", kOne).Answer(200, Json(record)); }
  // The server has this record, and somebody else holds the lease.
  void ExpectHeldByOther(const Record& record) {
    Answer lease = Acquire();
    TellRecord(record);
    const Result<store::Lease> held = lease.get();
    ASSERT_FALSE(held.has_value());
    EXPECT_EQ(held.error().code, ErrorCode::Conflict);
    EXPECT_EQ(held.error().message, "lease kube-system/sched is held by other");
  }
  // The server has this record, and the lease is taken over.
  void ExpectTaken(const Record& record) {
    Answer lease = Acquire();
    TellRecord(record);
    const AskedRequest write = server_.Expect("PUT", kOne);
    write.Answer(200, Json({.holder = "me", .version = record.version + 1, .transitions = record.transitions + 1}));
    EXPECT_TRUE(lease.get().has_value());
  }
  // We hold it, with 3 transitions so far, as version 8.
  void Hold() {
    Answer lease = Acquire();
    TellRecord({.holder = "me"});
    server_.Expect("PUT", kOne).Answer(200, Json({.holder = "me", .version = 8}));
    ASSERT_TRUE(lease.get().has_value());
  }
  ErrorCode ErrorOf(Answer& answer) {
    const Result<store::Lease> lease = answer.get();
    EXPECT_FALSE(lease.has_value());
    if (lease) return ErrorCode::Internal;
    EXPECT_NE(lease.error().message, "");
    return lease.error().code;
  }

  TestApiServer server_;
  const ClusterAccess access_ = server_.access();
  TestClock clock_;
  Credentials credentials_{{}, {}, clock_};
  net::TestLoopThread loop_;
  std::unique_ptr<ApiClient> client_;
  std::unique_ptr<KubeLeases> leases_;
  std::atomic<int> slow_renewals_ = 0;
};

TEST_F(KubeLeasesTest, ALeaseThatIsNotThereIsCreated) {
  Answer lease = Acquire();
  server_.Expect("GET", kOne).Refuse(404, "NotFound", "not found");
  const AskedRequest create = server_.Expect("POST", kAll);
  EXPECT_EQ(create.path(), kAll);
  EXPECT_EQ(create.Header("content-type"), std::vector<std::string>{"application/json"});
  EXPECT_EQ(create.body(), R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"sched",)"
                           R"("namespace":"kube-system"},"spec":{"holderIdentity":"me","leaseDurationSeconds":15,)"
                           R"("acquireTime":"2026-05-28T20:26:40.000000Z","leaseTransitions":0,)"
                           R"("renewTime":"2026-05-28T20:26:40.000000Z"}})");
  create.Answer(201, Json({.holder = "me", .version = 5, .transitions = 0}));
  const Result<store::Lease> held = lease.get();
  ASSERT_TRUE(held.has_value()) << held.error().message;
  EXPECT_EQ(held->name, "sched");
  EXPECT_EQ(held->holder, "me");
  EXPECT_EQ(held->token, 1);
  // The next renewal knows the version that it was given.
  Answer renewed = Renew();
  const AskedRequest write = server_.Expect("PUT", kOne);
  EXPECT_NE(write.body().find(R"("resourceVersion":"5")"), std::string::npos);
  write.Answer(200, Json({.holder = "me", .version = 6, .transitions = 0}));
  EXPECT_EQ(renewed.get()->token, 1);
}

TEST_F(KubeLeasesTest, AnotherMayCreateItFirst) {
  Answer lease = Acquire();
  server_.Expect("GET", kOne).Refuse(404, "NotFound", "not found");
  server_.Expect("POST", kAll).Refuse(409, "AlreadyExists", "exists");
  EXPECT_EQ(ErrorOf(lease), ErrorCode::AlreadyExists);
  ExpectHeldByOther({});
}

TEST_F(KubeLeasesTest, IsRenewedWithoutBeingReadAndEverythingElseStays) {
  Hold();
  clock_.Advance(seconds(2));
  Answer lease = Renew();
  const AskedRequest write = server_.Expect("PUT", kOne);
  EXPECT_EQ(write.body(),
            R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"sched",)"
            R"("namespace":"kube-system","uid":"uid-1","resourceVersion":"8","labels":{"kept":"yes"}},)"
            R"("spec":{"holderIdentity":"me","leaseDurationSeconds":15,"acquireTime":"2026-05-01T00:00:00.000000Z",)"
            R"("renewTime":"2026-05-28T20:26:42.000000Z","leaseTransitions":3}})");
  write.Answer(200, Json({.holder = "me", .version = 9}));
  EXPECT_EQ(lease.get()->token, 4);
  EXPECT_EQ(server_.untaken(), std::vector<std::string>());
  EXPECT_EQ(slow_renewals_, 0);
}

TEST_F(KubeLeasesTest, AnothersIsTakenWhenItsRecordHasNotChangedForItsDuration) {
  ExpectHeldByOther({});
  clock_.Advance(kTtl - Duration(1));
  ExpectHeldByOther({});
  // It is renewed: the time counts anew.
  const Record renewed = {.version = 8, .renewed = "2026-05-28T20:26:54.000000Z"};
  ExpectHeldByOther(renewed);
  clock_.Advance(kTtl - Duration(1));
  ExpectHeldByOther(renewed);
  clock_.Advance(Duration(1));
  Answer lease = Acquire();
  TellRecord(renewed);
  const AskedRequest write = server_.Expect("PUT", kOne);
  EXPECT_EQ(write.body(),
            R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"sched",)"
            R"("namespace":"kube-system","uid":"uid-1","resourceVersion":"8","labels":{"kept":"yes"}},)"
            R"("spec":{"holderIdentity":"me","leaseDurationSeconds":15,"acquireTime":"2026-05-28T20:27:09.999999Z",)"
            R"("renewTime":"2026-05-28T20:27:09.999999Z","leaseTransitions":4}})");
  write.Answer(200, Json({.holder = "me", .version = 9, .transitions = 4}));
  const Result<store::Lease> held = lease.get();
  ASSERT_TRUE(held.has_value()) << held.error().message;
  EXPECT_EQ(held->token, 5);
}

TEST_F(KubeLeasesTest, WhatAnothersClockSaysDoesNotMatter) {
  for (const char* renewed : {"2020-01-01T00:00:00.000000Z", "2040-01-01T00:00:00.000000Z", "yesterday", ""}) {
    leases_ = std::make_unique<KubeLeases>(*client_, "kube-system", clock_, std::chrono::minutes(1));
    ExpectHeldByOther({.renewed = renewed});
    clock_.Advance(kTtl - Duration(1));
    ExpectHeldByOther({.renewed = renewed});
    clock_.Advance(Duration(1));
    ExpectTaken({.renewed = renewed});
  }
}

TEST_F(KubeLeasesTest, TheDurationThatTheHolderToldCounts) {
  ExpectHeldByOther({.duration = 60});
  clock_.Advance(seconds(59));
  ExpectHeldByOther({.duration = 60});
  clock_.Advance(seconds(1));
  ExpectTaken({.duration = 60});
  clock_.Advance(seconds(100));
  ExpectHeldByOther({.version = 20, .duration = 1});
  clock_.Advance(seconds(1) - Duration(1));
  ExpectHeldByOther({.version = 20, .duration = 1});
  clock_.Advance(Duration(1));
  ExpectTaken({.version = 20, .duration = 1});
}

TEST_F(KubeLeasesTest, OnlyTheRecordMustNotChange) {
  ExpectHeldByOther({.version = 7});
  clock_.Advance(seconds(10));
  ExpectHeldByOther({.version = 8});  // somebody has labelled the object
  clock_.Advance(seconds(5));
  ExpectTaken({.version = 9});
}

TEST_F(KubeLeasesTest, ALeaseThatWasMadeAnewIsAnotherOne) {
  ExpectHeldByOther({});
  clock_.Advance(seconds(15));
  ExpectHeldByOther({.version = 9, .uid = "uid-2"});
}

TEST_F(KubeLeasesTest, OneThatNobodyHoldsIsTakenAtOnce) {
  Answer lease = Acquire();
  TellRecord({.holder = "", .duration = 1});
  const AskedRequest write = server_.Expect("PUT", kOne);
  EXPECT_NE(write.body().find(R"("leaseTransitions":4)"), std::string::npos);
  write.Answer(200, Json({.holder = "me", .transitions = 4}));
  EXPECT_EQ(lease.get()->token, 5);
}

TEST_F(KubeLeasesTest, OnesOwnIsGoneOnWith) {
  Answer lease = Acquire();
  TellRecord({.holder = "me"});
  const AskedRequest write = server_.Expect("PUT", kOne);
  EXPECT_NE(write.body().find(R"("acquireTime":"2026-05-01T00:00:00.000000Z")"), std::string::npos);
  EXPECT_NE(write.body().find(R"("leaseTransitions":3)"), std::string::npos);
  write.Answer(200, Json({.holder = "me"}));
  EXPECT_EQ(lease.get()->token, 4);
}

TEST_F(KubeLeasesTest, AnotherMayTakeItFirst) {
  Answer lease = Acquire();
  TellRecord({.holder = ""});
  server_.Expect("PUT", kOne).Refuse(409, "Conflict", "the object has been modified");
  EXPECT_EQ(ErrorOf(lease), ErrorCode::Conflict);
}

TEST_F(KubeLeasesTest, ARenewalThatMeetsAChangeLooksAtIt) {
  Hold();
  Answer lease = Renew();
  server_.Expect("PUT", kOne).Refuse(409, "Conflict", "the object has been modified");
  TellRecord({.holder = "me", .version = 12});
  const AskedRequest again = server_.Expect("PUT", kOne);
  EXPECT_NE(again.body().find(R"("resourceVersion":"12")"), std::string::npos);
  again.Answer(200, Json({.holder = "me", .version = 13}));
  EXPECT_EQ(lease.get()->token, 4);
  EXPECT_EQ(slow_renewals_, 1);
}

TEST_F(KubeLeasesTest, ARenewalThatMayHaveBeenDoneLooksWhetherItWas) {
  Hold();
  Answer lease = Renew();
  server_.Expect("PUT", kOne);
  server_.server().Cut();
  TellRecord({.holder = "me", .version = 9});
  server_.Expect("PUT", kOne).Answer(200, Json({.holder = "me", .version = 10}));
  EXPECT_EQ(lease.get()->token, 4);
}

TEST_F(KubeLeasesTest, ALeaseThatIsAnothersNowIsLost) {
  for (const std::string holder : {"other", ""}) {
    Hold();
    Answer lease = Renew();
    server_.Expect("PUT", kOne).Refuse(409, "Conflict", "the object has been modified");
    TellRecord({.holder = holder, .version = 12});
    EXPECT_EQ(ErrorOf(lease), ErrorCode::Fenced) << holder;
  }
}

TEST_F(KubeLeasesTest, ALeaseThatWasDeletedIsMadeAgain) {
  Hold();
  Answer lease = Renew();
  server_.Expect("PUT", kOne).Refuse(404, "NotFound", "not found");
  server_.Expect("GET", kOne).Refuse(404, "NotFound", "not found");
  const AskedRequest create = server_.Expect("POST", kAll);
  EXPECT_NE(create.body().find(R"("leaseTransitions":0)"), std::string::npos);
  EXPECT_EQ(create.body().find("resourceVersion"), std::string::npos);
  create.Answer(201, Json({.holder = "me", .transitions = 0}));
  EXPECT_TRUE(lease.get().has_value());
}

TEST_F(KubeLeasesTest, ALeaseThatAnotherMadeMeanwhileIsLost) {
  Hold();
  Answer lease = Renew();
  server_.Expect("PUT", kOne).Refuse(404, "NotFound", "not found");
  server_.Expect("GET", kOne).Refuse(404, "NotFound", "not found");
  server_.Expect("POST", kAll).Refuse(409, "AlreadyExists", "exists");
  EXPECT_EQ(ErrorOf(lease), ErrorCode::Fenced);
}

TEST_F(KubeLeasesTest, WhoHasReadNothingYetReadsBeforeRenewing) {
  Answer lease = Renew();
  TellRecord({.holder = "me"});
  server_.Expect("PUT", kOne).Answer(200, Json({.holder = "me", .version = 8}));
  EXPECT_EQ(lease.get()->token, 4);
}

TEST_F(KubeLeasesTest, AServerThatCannotAnswerLosesNothing) {
  Hold();
  const std::vector<std::pair<int, ErrorCode>> refusals = {
      {429, ErrorCode::Unavailable}, {503, ErrorCode::Unavailable}, {403, ErrorCode::Invalid}};
  for (const auto& [status, code] : refusals) {
    Answer lease = Renew();
    server_.Expect("PUT", kOne).Refuse(status, "", "no");
    EXPECT_EQ(ErrorOf(lease), code) << status;
  }
  Answer lease = Renew();
  server_.Expect("PUT", kOne).Refuse(500, "InternalError", "no");
  server_.Expect("GET", kOne).Refuse(503, "", "no");
  EXPECT_EQ(ErrorOf(lease), ErrorCode::Unavailable);
  Answer acquired = Acquire();
  server_.Expect("GET", kOne).Refuse(503, "", "no");
  EXPECT_EQ(ErrorOf(acquired), ErrorCode::Unavailable);
}

TEST_F(KubeLeasesTest, AServerThatDoesNotAnswerIsNotWaitedForForever) {
  Hold();  // the connection is open
  leases_ = std::make_unique<KubeLeases>(*client_, "kube-system", clock_, milliseconds(200));
  Answer lease = Acquire();
  server_.Expect("GET", kOne);
  EXPECT_EQ(ErrorOf(lease), ErrorCode::Unknown);
}

TEST_F(KubeLeasesTest, AnAnswerThatIsNoLeaseIsAnError) {
  for (const char* body : {"", "{", "7", "[]", "<html>welcome</html>", "{}{}", R"({"metadata":7})", R"({"spec":{}})"}) {
    leases_ = std::make_unique<KubeLeases>(*client_, "kube-system", clock_, std::chrono::minutes(1));
    Answer acquired = Acquire();
    server_.Expect("GET", kOne).Answer(200, body);
    EXPECT_EQ(ErrorOf(acquired), ErrorCode::Invalid) << body;
    Answer renewed = Renew();
    server_.Expect("GET", kOne).Answer(200, body);
    EXPECT_EQ(ErrorOf(renewed), ErrorCode::Invalid) << body;
    Answer created = Acquire();
    server_.Expect("GET", kOne).Refuse(404, "NotFound", "not found");
    server_.Expect("POST", kAll).Answer(201, body);
    EXPECT_EQ(ErrorOf(created), ErrorCode::Invalid) << body;
  }
}

TEST_F(KubeLeasesTest, ALeaseWithoutASpecIsNobodys) {
  for (const char* spec : {"", R"(,"spec":null)", R"(,"spec":{})"}) {
    Answer lease = Acquire();
    server_.Expect("GET", kOne)
        .Answer(200, R"({"metadata":{"name":"sched","resourceVersion":"1"})" + std::string(spec) + "}");
    const AskedRequest write = server_.Expect("PUT", kOne);
    EXPECT_NE(write.body().find(R"("leaseTransitions":1)"), std::string::npos) << write.body();
    write.Answer(200, Json({.holder = "me", .transitions = 1}));
    EXPECT_EQ(lease.get()->token, 2);
  }
}

TEST_F(KubeLeasesTest, WhatIsGivenBackCanBeTakenAtOnce) {
  Hold();
  clock_.Advance(seconds(2));
  std::future<Result<void>> released = Release();
  TellRecord({.holder = "me", .version = 8});
  const AskedRequest write = server_.Expect("PUT", kOne);
  EXPECT_EQ(write.body(),
            R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"sched",)"
            R"("namespace":"kube-system","uid":"uid-1","resourceVersion":"8","labels":{"kept":"yes"}},)"
            R"("spec":{"holderIdentity":"","leaseDurationSeconds":1,"acquireTime":"2026-05-28T20:26:42.000000Z",)"
            R"("renewTime":"2026-05-28T20:26:42.000000Z","leaseTransitions":3}})");
  write.Answer(200, Json({.holder = "", .version = 9, .duration = 1}));
  EXPECT_TRUE(released.get().has_value());
}

TEST_F(KubeLeasesTest, AnothersIsNotGivenBack) {
  Hold();
  std::future<Result<void>> of_another = Release();
  TellRecord({.version = 9});
  EXPECT_EQ(of_another.get().error().code, ErrorCode::Fenced);
  std::future<Result<void>> deleted = Release();
  server_.Expect("GET", kOne).Refuse(404, "NotFound", "not found");
  EXPECT_EQ(deleted.get().error().code, ErrorCode::NotFound);
  EXPECT_EQ(server_.untaken(), std::vector<std::string>());
}

TEST_F(KubeLeasesTest, AnEventTellsWhoHasTakenIt) {
  leases_ = std::make_unique<KubeLeases>(*client_, "kube-system", clock_, std::chrono::minutes(1), "my-scheduler");
  Answer lease = Acquire();
  TellRecord({.holder = "", .transitions = 3});
  server_.Expect("PUT", kOne).Answer(200, Json({.holder = "me", .version = 8, .transitions = 4}));
  ASSERT_TRUE(lease.get().has_value()) << "before the event is written";
  const AskedRequest event = server_.Expect("POST", "/api/v1/namespaces/kube-system/events");
  for (const char* part : {R"("message":"me became leader")", R"("reason":"LeaderElection")",
                           R"("resourceVersion":"8")", R"("component":"my-scheduler")"}) {
    EXPECT_NE(event.body().find(part), std::string::npos) << event.body();
  }
  event.Refuse(403, "Forbidden", "no");
  Answer renewed = Renew();
  server_.Expect("PUT", kOne).Answer(200, Json({.holder = "me", .version = 9, .transitions = 4}));
  EXPECT_TRUE(renewed.get().has_value());
  EXPECT_TRUE(server_.untaken().empty()) << "it is told once";
}

}  // namespace
}  // namespace berth::kube
