// SPDX-License-Identifier: Apache-2.0
#include "net/test_loop_thread.h"
#include "serve/authenticator.h"
#include "serve/authorizer.h"
#include "serve/client_authorities.h"
#include "serve/review_client.h"
#include "serve/review_cluster.h"
#include "serve/review_documents.h"
#include "serve/test_stub_api.h"
#include "serve/token_reviews.h"

#include <future>
#include <map>
#include <optional>

#include <gtest/gtest.h>

namespace berth::serve {
namespace {

// An API server, and what asks it, with a clock that the test moves.
class ReviewsTest : public testing::Test {
 protected:
  ReviewsTest() {
    home_.Do([&] {
      client_.emplace(home_.loop(), api_.access(), kube::Surroundings{}, clock_,
                      ReviewClientOptions{.first_wait = std::chrono::milliseconds(1)});
      tokens_.emplace(*client_, std::chrono::seconds(10), [this] { return now_; });
      authorizer_ = Authorizer::Make({}, &*client_, [this] { return now_; }).value();
    });
  }
  ~ReviewsTest() override {
    home_.Do([&] {
      authorizer_.reset();
      tokens_.reset();
      client_.reset();
    });
  }

  void Pass(Duration time) {
    home_.Do([&] { now_ += time; });
  }
  TokenReviews::Answer Review(const std::string& token) {
    std::promise<TokenReviews::Answer> answered;
    home_.Do([&] { tokens_->Review(token, [&](const auto& answer) { answered.set_value(answer); }); });
    return answered.get_future().get();
  }
  // Who it is, "nobody", or the problem.
  std::string NameOf(const std::string& token) {
    const auto answer = Review(token);
    if (!answer) return "error: " + answer.error().message;
    return answer->has_value() ? (**answer).name : "nobody";
  }
  Decision Decide(const User& user, const std::string& path) {
    std::promise<Decision> decided;
    home_.Do([&] {
      authorizer_->Authorize(user, "get", path, [&](const Decision& decision) { decided.set_value(decision); });
    });
    return decided.get_future().get();
  }

  StubApi api_;
  SystemClock clock_;
  net::TestLoopThread home_;
  Duration now_ = {};
  std::optional<ReviewClient> client_;
  std::optional<TokenReviews> tokens_;
  std::unique_ptr<Authorizer> authorizer_;
};

TEST_F(ReviewsTest, ATokenStandsForAUser) {
  api_.SetToken("secret", "ann", {"a", "b"});
  const auto answer = Review("secret");
  ASSERT_TRUE(answer.has_value() && answer->has_value());
  EXPECT_EQ((**answer).name, "ann");
  EXPECT_EQ((**answer).uid, "uid-ann");
  EXPECT_EQ((**answer).groups, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(api_.TokenReviews().size(), 1u);
  EXPECT_EQ(TextAt(api_.TokenReviews().front(), "token"), "secret");
}

TEST_F(ReviewsTest, WhatTheServerSaidIsBelievedForATime) {
  api_.SetToken("t", "ann");
  EXPECT_EQ(NameOf("t"), "ann");
  EXPECT_EQ(NameOf("other"), "nobody");
  api_.SetToken("t", "bob");
  api_.SetToken("other", "eve");
  Pass(std::chrono::seconds(9));
  EXPECT_EQ(NameOf("t"), "ann");
  EXPECT_EQ(NameOf("other"), "nobody");
  Pass(std::chrono::seconds(1));
  EXPECT_EQ(NameOf("t"), "bob");
  EXPECT_EQ(NameOf("other"), "eve");
  EXPECT_EQ(api_.TokenReviews().size(), 4u);
}

TEST_F(ReviewsTest, WhatTheServerCouldNotSayIsAskedAgain) {
  api_.SetToken("t", "error expired");
  EXPECT_EQ(NameOf("t"), "error: expired");
  EXPECT_EQ(NameOf("t"), "error: expired");
  EXPECT_EQ(api_.TokenReviews().size(), 2u);
  api_.Fail(403, 1);
  EXPECT_EQ(NameOf("u"), "error: the API server refuses");
  EXPECT_EQ(NameOf("u"), "nobody");
}

TEST_F(ReviewsTest, OneTokenIsAskedForOnceAtATime) {
  api_.SetToken("t", "ann");
  std::promise<void> all;
  int answers = 0;
  home_.Do([&] {
    for (int i = 0; i < 3; ++i) {
      tokens_->Review("t", [&](const auto& answer) {
        EXPECT_EQ((**answer).name, "ann");
        if (++answers == 3) all.set_value();
      });
    }
  });
  all.get_future().wait();
  EXPECT_EQ(api_.TokenReviews().size(), 1u);
}

TEST_F(ReviewsTest, OnlySoManyTokensAreAskedForAtATime) {
  api_.SetToken("t", "ann");
  std::promise<void> all;
  size_t answers = 0;
  std::string refusal;
  home_.Do([&] {
    for (size_t i = 0; i < kMostReviews; ++i) {
      // The same token again counts as well: someone waits for it.
      tokens_->Review(std::to_string(i / 2), [&](const auto& answer) {
        EXPECT_TRUE(answer.has_value());
        if (++answers == kMostReviews) all.set_value();
      });
    }
    tokens_->Review("t", [&](const auto& answer) { refusal = answer ? "none" : answer.error().message; });
  });
  EXPECT_EQ(refusal, "too many token reviews are under way");
  all.get_future().wait();
  EXPECT_EQ(NameOf("t"), "ann");
}

TEST_F(ReviewsTest, OnlySoManyDecisionsAreAskedForAtATime) {
  api_.Allow("ann", "/metrics");
  std::promise<void> all;
  size_t answers = 0;
  std::string refusal;
  home_.Do([&] {
    for (size_t i = 0; i < kMostReviews; ++i) {
      authorizer_->Authorize({.name = "x"}, "get", "/" + std::to_string(i), [&](const Decision&) {
        if (++answers == kMostReviews) all.set_value();
      });
    }
    authorizer_->Authorize({.name = "ann"}, "get", "/metrics", [&](const Decision& made) { refusal = made.error; });
    // What is always allowed needs no review.
    authorizer_->Authorize({.name = "ann"}, "get", "/livez", [](const Decision& made) { EXPECT_TRUE(made.allowed); });
  });
  EXPECT_EQ(refusal, "too many access reviews are under way");
  all.get_future().wait();
  EXPECT_TRUE(Decide({.name = "ann"}, "/metrics").allowed);
}

TEST_F(ReviewsTest, WhatTheRateLimitWouldDelayTooLongFailsAtOnce) {
  std::optional<ReviewClient> client;
  constexpr int kRequests = 1'000;  // the last would wait for 3 seconds
  std::promise<void> all;
  int answers = 0;
  int refused = 0;
  home_.Do([&] {
    client.emplace(home_.loop(), api_.access(), kube::Surroundings{}, clock_,
                   ReviewClientOptions{.timeout = std::chrono::seconds(1)});
    for (int i = 0; i < kRequests; ++i) {
      client->Send({.path = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication"},
                   [&](const kube::ApiResponse& response) {
                     if (response.error.starts_with("the rate limit would delay it")) ++refused;
                     if (++answers == kRequests) all.set_value();
                   });
    }
  });
  all.get_future().wait();
  EXPECT_GT(refused, 0);
  home_.Do([&] { client.reset(); });
}

TEST_F(ReviewsTest, FailuresThatMayPassAreTriedAgain) {
  api_.SetToken("t", "ann");
  for (const int status : {429, 500, 504}) {
    api_.Fail(status, 4);
    Pass(std::chrono::seconds(10));
    EXPECT_EQ(NameOf("t"), "ann") << status;
  }
  api_.Fail(500, 5);
  Pass(std::chrono::seconds(10));
  EXPECT_EQ(NameOf("t"), "error: the API server refuses");
  api_.Fail(503, 1);
  EXPECT_EQ(NameOf("t"), "error: the API server refuses");
}

TEST_F(ReviewsTest, TheServerSaysWhoMayReadWhat) {
  api_.Allow("ann", "/metrics");
  const User ann = {.name = "ann", .uid = "1", .groups = {"g"}, .extra = {{"k", {"v"}}}};
  EXPECT_TRUE(Decide(ann, "/metrics").allowed);
  const Decision denied = Decide(ann, "/configz");
  EXPECT_FALSE(denied.allowed);
  EXPECT_EQ(denied.reason, "no rule says so");
  EXPECT_EQ(denied.error, "");
  ASSERT_EQ(api_.AccessReviews().size(), 2u);
  const api::Value asked = api_.AccessReviews().front();
  EXPECT_EQ(TextAt(asked, "user"), "ann");
  EXPECT_EQ(TextAt(asked, "uid"), "1");
  EXPECT_EQ(TextsAt(asked, "groups"), std::vector<std::string>{"g"});
  EXPECT_EQ(TextsAt(*asked.Find("extra"), "k"), std::vector<std::string>{"v"});
  EXPECT_EQ(TextAt(*asked.Find("nonResourceAttributes"), "verb"), "get");
}

TEST_F(ReviewsTest, DecisionsAreBelievedForATime) {
  const User ann = {.name = "ann"};
  EXPECT_FALSE(Decide(ann, "/metrics").allowed);
  api_.Allow("ann", "/metrics");
  EXPECT_FALSE(Decide(ann, "/metrics").allowed);
  Pass(std::chrono::seconds(10));
  EXPECT_TRUE(Decide(ann, "/metrics").allowed);
  EXPECT_TRUE(Decide(ann, "/metrics").allowed);
  EXPECT_EQ(api_.AccessReviews().size(), 2u);
  EXPECT_FALSE(Decide({.name = "bob"}, "/metrics").allowed);
}

TEST_F(ReviewsTest, SomeAreAlwaysAllowed) {
  EXPECT_TRUE(Decide({.name = "x", .groups = {"system:masters"}}, "/metrics").allowed);
  EXPECT_TRUE(Decide({.name = "x"}, "/healthz").allowed);
  EXPECT_TRUE(Decide({.name = "x"}, "/readyz").allowed);
  EXPECT_TRUE(api_.AccessReviews().empty());
  EXPECT_FALSE(Decide({.name = "x"}, "/readyz/ping").allowed);
}

TEST_F(ReviewsTest, WithoutAnAnswerNothingIsAllowed) {
  api_.Fail(403, 1);
  const Decision decision = Decide({.name = "x"}, "/metrics");
  EXPECT_FALSE(decision.allowed);
  EXPECT_EQ(decision.error, "the API server refuses");
  api_.Allow("x", "/metrics");
  EXPECT_TRUE(Decide({.name = "x"}, "/metrics").allowed);
}

TEST_F(ReviewsTest, ALongPathIsNotRemembered) {
  const std::string path(20'000, 'x');
  EXPECT_FALSE(Decide({.name = "x"}, path).allowed);
  EXPECT_FALSE(Decide({.name = "x"}, path).allowed);
  EXPECT_EQ(api_.AccessReviews().size(), 2u);
}

TEST_F(ReviewsTest, BearerTokensAreReadAsApiServersReadThem) {
  api_.SetToken("t", "ann", {"g"});
  ClientAuthorities nobody(home_.loop(), {}, nullptr, {}, [] {});
  const Authenticator authenticator(nobody, &*tokens_);
  const auto who = [&](const std::string& authorization) {
    net::ServerRequest request;
    if (!authorization.empty()) request.headers.emplace_back("authorization", authorization);
    std::promise<Result<User>> found;
    home_.Do(
        [&] { authenticator.Authenticate(request, [&](Result<User> user) { found.set_value(std::move(user)); }); });
    const Result<User> user = found.get_future().get();
    if (!user) return "error: " + user.error().message;
    std::string text = user->name;
    for (const std::string& group : user->groups) text += " " + group;
    return text;
  };
  EXPECT_EQ(who(""), "system:anonymous system:unauthenticated");
  EXPECT_EQ(who("Bearer t"), "ann g system:authenticated");
  EXPECT_EQ(who(" bearer t "), "ann g system:authenticated");
  EXPECT_EQ(who("BEARER t x"), "ann g system:authenticated");
  EXPECT_EQ(who("Bearer"), "system:anonymous system:unauthenticated");
  EXPECT_EQ(who("Bearer  t"), "system:anonymous system:unauthenticated");
  EXPECT_EQ(who("Basic dDp0"), "system:anonymous system:unauthenticated");
  EXPECT_EQ(who("Token t"), "system:anonymous system:unauthenticated");
  EXPECT_EQ(who("Bearer wrong"), "error: invalid bearer token");
}

TEST(FindReviewCluster, IsTheOneNamedOrTheOneAround) {
  kube::Surroundings surroundings;
  std::map<std::string, std::string> files;
  surroundings.read_file = [&](const std::string& path) -> Result<std::string> {
    if (const auto found = files.find(path); found != files.end()) return found->second;
    return NotFoundError("no such file");
  };
  const auto find = [&](const std::string& kubeconfig) {
    return FindReviewCluster(kubeconfig, "authentication", {}, surroundings, {});
  };
  EXPECT_FALSE(find("")->has_value());
  EXPECT_TRUE(find("/missing").error().message.starts_with("failed to get delegated authentication kubeconfig: "));
  files["/config"] =
      "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: 'http://named:1'}}]\n"
      "contexts: [{name: x, context: {cluster: c, user: ''}}]\ncurrent-context: x\n";
  EXPECT_EQ((**find("/config")).server.host, "named");
  surroundings.variables["KUBERNETES_SERVICE_HOST"] = "around";
  surroundings.variables["KUBERNETES_SERVICE_PORT"] = "443";
  EXPECT_FALSE(find("")->has_value());  // without a token, with a warning
  files[kube::ServiceAccountFiles().token] = "t";
  files[kube::ServiceAccountFiles().ca] = "-----BEGIN CERTIFICATE-----\n";
  EXPECT_EQ((**find("")).server.host, "around");
}

TEST(AllowedPaths, AreExactOrEndInAStar) {
  const auto paths = AllowedPaths::Make({"/healthz", "metrics", "/debug/*", "/"});
  ASSERT_TRUE(paths.has_value());
  for (const char* path : {"/healthz", "healthz", "/metrics", "/debug/", "/debug/x/y", "/", ""}) {
    EXPECT_TRUE(paths->Allows(path)) << path;
  }
  for (const char* path : {"/healthz/", "/healthzz", "//healthz", "/debug", "/metrics/slis"}) {
    EXPECT_FALSE(paths->Allows(path)) << path;
  }
  EXPECT_TRUE(AllowedPaths::Make({"/*"})->Allows("/anything"));
  EXPECT_FALSE(AllowedPaths::Make({})->Allows("/"));
  EXPECT_EQ(AllowedPaths::Make({"/a*b"}).error().message, "only trailing * allowed in \"a*b\"");
}

}  // namespace
}  // namespace berth::serve
