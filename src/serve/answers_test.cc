// SPDX-License-Identifier: Apache-2.0
#include "serve/answers.h"

#include "serve/cbor.h"
#include "serve/expiring_cache.h"
#include "serve/router.h"

#include <gtest/gtest.h>

namespace berth::serve {
namespace {

net::ServerRequest RequestFor(const std::string& path, net::Headers headers = {}) {
  return {.method = "GET", .target = path, .path = path, .headers = std::move(headers)};
}

TEST(Answers, AForbiddenPathIsToldAsApiServersTellIt) {
  const auto compact = ForbiddenAnswer(RequestFor("/metrics"), "system:anonymous", "get", "");
  EXPECT_EQ(compact.status, 403);
  EXPECT_EQ(compact.headers,
            (net::Headers{{"content-type", "application/json"}, {"x-content-type-options", "nosniff"}}));
  EXPECT_EQ(compact.body,
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"forbidden: User )"
            R"(\"system:anonymous\" cannot get path \"/metrics\"","reason":"Forbidden","details":{},"code":403})"
            "\n");
  const auto pretty = ForbiddenAnswer(RequestFor("/x", {{"user-agent", "curl/7"}}), "u", "get", "no rule");
  EXPECT_EQ(pretty.body, R"({
  "kind": "Status",
  "apiVersion": "v1",
  "metadata": {},
  "status": "Failure",
  "message": "forbidden: User \"u\" cannot get path \"/x\": no rule",
  "reason": "Forbidden",
  "details": {},
  "code": 403
})");
}

TEST(Answers, NothingBecomesHtml) {
  const auto answer = ForbiddenAnswer(RequestFor("/a<b>&c\"d"), "u", "get", "");
  EXPECT_NE(answer.body.find(R"(path \"/a\u0026lt;b\u0026gt;\u0026amp;c\\\"d\")"), std::string::npos) << answer.body;
  EXPECT_EQ(InternalErrorAnswer(RequestFor("/<x>"), "a&b").body, "Internal Server Error: \"/&lt;x&gt;\": a&amp;b\n");
}

TEST(Answers, AFailureHasTheFormThatTheClientAccepts) {
  const auto type = [](const std::string& accept) {
    return UnauthorizedAnswer(RequestFor("/", {{"accept", accept}})).headers.front().second;
  };
  EXPECT_EQ(type(""), "application/json");
  EXPECT_EQ(type("*/*"), "application/json");
  EXPECT_EQ(type("application/yaml"), "application/yaml");
  EXPECT_EQ(type("text/html"), "application/json");
  EXPECT_EQ(UnauthorizedAnswer(RequestFor("/", {{"accept", "application/yaml"}})).body,
            "apiVersion: v1\ncode: 401\nkind: Status\nmessage: Unauthorized\nmetadata: {}\nreason: Unauthorized\n"
            "status: Failure\n");
}

TEST(Answers, PeopleGetLineBreaks) {
  const auto pretty = [](const std::string& query, const std::string& agent) {
    net::ServerRequest request = RequestFor("/", {{"user-agent", agent}});
    request.query = query;
    return WantsPretty(request);
  };
  EXPECT_TRUE(pretty("", "curl/8"));
  EXPECT_TRUE(pretty("", "Mozilla/5.0 (X11)"));
  EXPECT_FALSE(pretty("", "Prometheus/3"));
  EXPECT_TRUE(pretty("pretty=true", ""));
  EXPECT_FALSE(pretty("pretty=0", "curl/8"));
}

TEST(Answers, TextsAreQuotedAsGoDoes) { EXPECT_EQ(GoQuoted("a\"b\\c\n\t\x01"), R"("a\"b\\c\n\t\x01")"); }

TEST(Cbor, WritesEveryKindOfValue) {
  api::Value map = api::Value::Map();
  map.Set("a", api::Value::Int(23));
  map.Set("b", api::Value::Int(24));
  map.Set("c", api::Value::Int(-1));
  map.Set("d", api::Value::Int(70'000));
  map.Set("e", api::Value::Bool(true));
  map.Set("f", api::Value::Null());
  api::Value list = api::Value::List();
  list.Append(api::Value::String("xy"));
  map.Set("g", std::move(list));
  using std::string_literals::operator""s;
  EXPECT_EQ(ToCbor(map), "\xd9\xd9\xf7\xa7"s + "Aa\x17" + "Ab\x18\x18" + "Ac\x20" + "Ad\x1a\x00\x01\x11\x70"s +
                             "Ae\xf5" + "Af\xf6" + "Ag\x81" + "Bxy");
}

TEST(ExpiringCache, ForgetsWithTimeAndBeyondItsCapacity) {
  using std::chrono::seconds;
  ExpiringCache<int> cache(2);
  cache.Set("a", 1, seconds(0), seconds(10));
  cache.Set("b", 2, seconds(0), seconds(20));
  EXPECT_EQ(cache.Find("a", seconds(9)), 1);
  EXPECT_EQ(cache.Find("a", seconds(10)), std::nullopt);
  cache.Set("a", 3, seconds(10), seconds(10));
  EXPECT_EQ(cache.Find("b", seconds(11)), 2);
  cache.Set("c", 4, seconds(11), seconds(10));  // "a" was not asked for longest
  EXPECT_EQ(cache.Find("a", seconds(11)), std::nullopt);
  EXPECT_EQ(cache.Find("b", seconds(11)), 2);
  cache.Set("b", 5, seconds(11), seconds(10));
  EXPECT_EQ(cache.Find("b", seconds(11)), 5);
  cache.Set("d", 6, seconds(11), seconds(0));
  EXPECT_EQ(cache.Find("d", seconds(11)), std::nullopt);
  EXPECT_EQ(cache.size(), 2u);
}

TEST(Router, TheExactPathWinsThenTheLongestFolder) {
  Router router;
  router.Add({.path = "/metrics", .listed = true});
  router.Add({.path = "/metrics/slis", .listed = true});
  router.Add({.path = "/debug/"});
  router.Add({.path = "/debug/pprof/"});
  router.Add({.path = "/debug/pprof"});
  const auto found = [&](const std::string& path) {
    const Route* route = router.Find(path);
    return route == nullptr ? "" : route->path;
  };
  EXPECT_EQ(found("/metrics"), "/metrics");
  EXPECT_EQ(found("/metrics/"), "");
  EXPECT_EQ(found("//metrics"), "");
  EXPECT_EQ(found("/metrics/slis"), "/metrics/slis");
  EXPECT_EQ(found("/debug/pprof"), "/debug/pprof");
  EXPECT_EQ(found("/debug/pprof/heap/x"), "/debug/pprof/");
  EXPECT_EQ(found("/debug/x"), "/debug/");
  EXPECT_EQ(found("/debug"), "");
  EXPECT_EQ(found("*"), "");
  EXPECT_EQ(found(""), "");
  EXPECT_EQ(router.Listed(), (std::vector<std::string>{"/metrics", "/metrics/slis"}));
}

}  // namespace
}  // namespace berth::serve
