// SPDX-License-Identifier: Apache-2.0
#include "serve/pages.h"

#include <future>

#include <gtest/gtest.h>

namespace berth::serve {
namespace {

class PagesTest : public testing::Test {
 protected:
  PagesTest() {
    options_.binary_version = "1.36.4";
    options_.emulation_version = "1.36";
    options_.started = clock_.Now();
    options_.metrics = [](std::string& out) { out += "some 1\n"; };
    options_.resource_metrics = [](std::string&) {};
    options_.configz = [] { return R"({"kind":"K"})"; };
    options_.flags = [] { return std::map<std::string, std::string>{{"v", "2"}, {"config", "/a"}}; };
    options_.readyz = ReadyzChecks({.leader_election = [this] { return lease_problem_; },
                                    .shutting_down = [this] { return leaving_; },
                                    .handlers_synced = [this] { return synced_; }});
  }

  net::ServerResponse Ask(const std::string& path, const std::string& query = "", net::Headers headers = {},
                          const std::string& method = "GET", const std::string& body = "") {
    if (!added_) AddPages(router_, options_, records_, side_, clock_, {});
    added_ = true;
    const Route* route = router_.Find(path);
    if (route == nullptr) return {404, {}, "no route"};
    auto answered = std::make_shared<std::promise<net::ServerResponse>>();
    route->handler(
        {{.method = method, .target = path, .path = path, .query = query, .headers = std::move(headers), .body = body}},
        [answered](net::ServerResponse response) { answered->set_value(std::move(response)); });
    return answered->get_future().get();
  }
  std::string BodyOf(const std::string& path, const std::string& query = "") { return Ask(path, query).body; }
  static std::string HeaderOf(const net::ServerResponse& response, std::string_view name) {
    for (const auto& [key, value] : response.headers) {
      if (key == name) return value;
    }
    return "";
  }

  ManualClock clock_{Timestamp(std::chrono::seconds(1'795'014'826))};
  PageOptions options_;
  std::string lease_problem_;
  bool leaving_ = false;
  bool synced_ = true;
  Router router_;
  HealthRecords records_;
  SideThread side_;
  bool added_ = false;
};

TEST_F(PagesTest, HealthIsToldInAWordOrInFull) {
  EXPECT_EQ(BodyOf("/healthz"), "ok");
  EXPECT_EQ(BodyOf("/healthz", "verbose"), "[+]ping ok\nhealthz check passed\n");
  EXPECT_EQ(BodyOf("/livez", "verbose=1"), "[+]ping ok\nlivez check passed\n");
  EXPECT_EQ(BodyOf("/readyz", "verbose"),
            "[+]leaderElection ok\n[+]shutdown ok\n[+]sched-handler-sync ok\nreadyz check passed\n");
  EXPECT_EQ(BodyOf("/livez/ping"), "ok");
  EXPECT_EQ(Ask("/livez/shutdown").status, 404);
}

TEST_F(PagesTest, ChecksMayBeLeftOut) {
  synced_ = false;
  EXPECT_EQ(Ask("/readyz").status, 500);
  EXPECT_EQ(BodyOf("/readyz", "exclude=sched-handler-sync"), "ok");
  EXPECT_EQ(BodyOf("/readyz", "verbose&exclude=sched-handler-sync&exclude=x&exclude=a%22b"),
            "[+]leaderElection ok\n[+]shutdown ok\n[+]sched-handler-sync excluded: ok\n"
            "warn: some health checks cannot be excluded: no matches for \"a\\\"b\",\"x\"\nreadyz check passed\n");
}

TEST_F(PagesTest, WhyACheckFailsIsToldOnlyByTheCheck) {
  leaving_ = true;
  lease_problem_ = "failed election to renew leadership on lease x";
  const auto all = Ask("/readyz");
  EXPECT_EQ(all.status, 500);
  EXPECT_EQ(all.body,
            "[-]leaderElection failed: reason withheld\n[-]shutdown failed: reason withheld\n[+]sched-handler-sync ok\n"
            "readyz check failed\n");
  EXPECT_EQ(BodyOf("/readyz/shutdown"), "internal server error: process is shutting down\n");
  EXPECT_EQ(BodyOf("/readyz/leaderElection"), "internal server error: " + lease_problem_ + "\n");
  EXPECT_EQ(Ask("/healthz").status, 200);
  synced_ = false;
  EXPECT_EQ(BodyOf("/readyz/sched-handler-sync"), "internal server error: handlers are not fully synchronized\n");
}

TEST_F(PagesTest, HowChecksWentIsCounted) {
  Ask("/livez");
  Ask("/livez");
  synced_ = false;
  Ask("/readyz");
  const std::string text = BodyOf("/metrics/slis");
  EXPECT_NE(text.find("kubernetes_healthcheck{name=\"ping\",type=\"livez\"} 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("kubernetes_healthcheck{name=\"sched-handler-sync\",type=\"readyz\"} 0\n"), std::string::npos);
  EXPECT_NE(text.find("kubernetes_healthchecks_total{name=\"ping\",status=\"success\",type=\"livez\"} 2\n"),
            std::string::npos);
  EXPECT_NE(text.find("{name=\"sched-handler-sync\",status=\"error\",type=\"readyz\"} 1\n"), std::string::npos);
  EXPECT_NE(text.find("process_start_time_seconds 1795014826.00\n"), std::string::npos);
  EXPECT_EQ(Ask("/metrics/slis", "", {}, "DELETE").body, "metrics reset\n");
  EXPECT_EQ(BodyOf("/metrics/slis").find("kubernetes_healthcheck"), std::string::npos);
}

TEST_F(PagesTest, MetricsComeFromTheirSource) {
  const auto answer = Ask("/metrics");
  EXPECT_EQ(answer.body, "some 1\n");
  EXPECT_EQ(HeaderOf(answer, "content-type"), "text/plain; version=0.0.4; charset=utf-8; escaping=underscores");
  EXPECT_EQ(HeaderOf(answer, "process-start-time-unix"), "1795014826");
  EXPECT_EQ(Ask("/metrics/resources").body, "");
  EXPECT_EQ(Ask("/metrics", "", {}, "DELETE").status, 405);
}

TEST_F(PagesTest, MetricsMayBeReset) {
  int resets = 0;
  options_.reset_metrics = [&] { ++resets; };
  EXPECT_EQ(Ask("/metrics", "", {}, "DELETE").body, "metrics reset\n");
  EXPECT_EQ(resets, 1);
}

TEST_F(PagesTest, TheConfigurationIsServed) {
  EXPECT_EQ(BodyOf("/configz"), R"({"componentconfig":{"kind":"K"}})");
  EXPECT_EQ(HeaderOf(Ask("/configz"), "content-type"), "application/json");
}

TEST_F(PagesTest, StatuszIsAPageForPeople) {
  clock_.Advance(std::chrono::seconds(3'661));
  const std::string page =
      "\nkube-scheduler statusz\nWarning: This endpoint is not meant to be machine parseable, has no formatting "
      "compatibility guarantees and is for debugging purposes only.\n\nStarted: Wed Nov 18 15:13:46 UTC 2026\n"
      "Up: 1 hr 01 min 01 sec\nGo version: none\nBinary version: 1.36.4\nEmulation version: 1.36\n"
      "Paths: /configz /flagz /healthz /livez /metrics /readyz\n";
  EXPECT_EQ(BodyOf("/statusz"), page);
  EXPECT_EQ(Ask("/statusz", "", {{"accept", "*/*"}}).body, page);
  EXPECT_EQ(Ask("/statusz", "", {{"accept", "application/json;v=foo;g=config.k8s.io;as=Statusz,*/*"}}).body, page);
}

TEST_F(PagesTest, ProgramsAskForAVersion) {
  const auto json = Ask("/statusz", "", {{"accept", "application/json;v=v1beta1;g=config.k8s.io;as=Statusz"}});
  EXPECT_EQ(json.body,
            R"({"kind":"Statusz","apiVersion":"config.k8s.io/v1beta1","metadata":{"name":"kube-scheduler"},)"
            R"("startTime":"2026-11-18T15:13:46Z","uptimeSeconds":0,"goVersion":"none","binaryVersion":"1.36.4",)"
            R"("emulationVersion":"1.36","paths":["/configz","/flagz","/healthz","/livez","/metrics","/readyz"]})"
            "\n");
  EXPECT_EQ(HeaderOf(json, "content-type"), "application/json;g=config.k8s.io;v=v1beta1;as=Statusz");
  EXPECT_EQ(HeaderOf(json, "warning"), "");
  const auto old = Ask("/flagz", "", {{"accept", "application/yaml;v=v1alpha1;g=config.k8s.io;as=Flagz"}});
  EXPECT_EQ(old.body,
            "apiVersion: config.k8s.io/v1alpha1\nflags:\n  config: /a\n  v: \"2\"\nkind: Flagz\nmetadata:\n"
            "  name: kube-scheduler\n");
  EXPECT_EQ(HeaderOf(old, "warning"),
            "299 - \"This version of the flagz endpoint is deprecated. Please use a newer version.\"");
}

TEST_F(PagesTest, WhatIsNotOfferedIsNotAcceptable) {
  for (const std::string accept : {"application/xml", "application/json", "application/json;v=v1beta1;g=config.k8s.io",
                                   "application/cbor;v=v1beta1;g=config.k8s.io;as=Flagz"}) {
    const auto answer = Ask("/flagz", "", {{"accept", accept}});
    EXPECT_EQ(answer.status, 406) << accept;
    EXPECT_NE(answer.body.find("only the following media types are accepted: application/json, application/yaml, "
                               "text/plain"),
              std::string::npos)
        << answer.body;
  }
}

TEST_F(PagesTest, CborIsOfferedWithItsGate) {
  options_.cbor = true;
  const auto answer = Ask("/flagz", "", {{"accept", "application/cbor;v=v1beta1;g=config.k8s.io;as=Flagz"}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.body.starts_with("\xd9\xd9\xf7\xa4"));
}

TEST_F(PagesTest, FlagzIsAPageForPeople) {
  EXPECT_TRUE(BodyOf("/flagz").ends_with(" for debugging purposes only.\nconfig=/a\nv=2\n"));
}

TEST_F(PagesTest, GatesTurnPagesOff) {
  options_.statusz = false;
  options_.flagz = false;
  options_.profiling = false;
  for (const char* path : {"/statusz", "/flagz", "/debug/pprof/", "/debug/flags/v"}) {
    EXPECT_EQ(Ask(path).status, 404) << path;
  }
}

TEST_F(PagesTest, ThereAreNoGoProfiles) {
  EXPECT_EQ(Ask("/debug/pprof").status, 302);
  const auto heap = Ask("/debug/pprof/heap");
  EXPECT_EQ(heap.status, 404);
  EXPECT_TRUE(heap.body.starts_with("Berth is no Go program"));
}

TEST_F(PagesTest, TheVerbosityCanBeSet) {
  std::string set;
  options_.set_verbosity = [&](const std::string& value) -> Result<std::string> {
    if (value == "x") return InvalidError("not a number");
    set = value;
    return "set to " + value;
  };
  EXPECT_EQ(Ask("/debug/flags/v", "", {}, "PUT", "4").body, "set to 4\n");
  EXPECT_EQ(set, "4");
  EXPECT_EQ(Ask("/debug/flags/v", "", {}, "PUT", "x").status, 400);
  EXPECT_EQ(Ask("/debug/flags/v").status, 406);
  EXPECT_EQ(Ask("/debug/flags").status, 200);
  EXPECT_EQ(Ask("/debug/flags/w").status, 200);
}

}  // namespace
}  // namespace berth::serve
