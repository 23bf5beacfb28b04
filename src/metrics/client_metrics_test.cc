// SPDX-License-Identifier: Apache-2.0
#include "metrics/client_metrics.h"

#include "metrics/test_exposition.h"

#include <gtest/gtest.h>

namespace berth::metrics {
namespace {

using namespace std::chrono_literals;
using Labels = std::vector<std::string>;

constexpr std::string_view kHost = "10.0.0.1:6443";

TEST(ClientMetricsTest, ExchangesAreCountedAndTimed) {
  ClientMetrics metrics;
  metrics.Exchanged("GET", kHost, "200", 20ms);
  metrics.Exchanged("GET", kHost, "200", 3s);
  metrics.Exchanged("POST", kHost, "<error>", 1ms);
  metrics.Exchanged("GET", kHost, "410", std::nullopt);
  metrics.Throttled("POST", kHost, 30ms);
  metrics.Sent("POST", kHost, 300);
  metrics.Received("GET", kHost, 20'000'000);
  const Exposition exposed = Exposition::Parse(metrics.Expose());
  EXPECT_EQ(exposed.Value(R"(rest_client_requests_total{code="200",method="GET",host="10.0.0.1:6443"})"), 2);
  EXPECT_EQ(exposed.Value(R"(rest_client_requests_total{code="410",method="GET",host="10.0.0.1:6443"})"), 1);
  EXPECT_EQ(exposed.Value(R"(rest_client_requests_total{code="<error>",method="POST",host="10.0.0.1:6443"})"), 1);
  EXPECT_EQ(exposed.Value(R"(rest_client_request_duration_seconds_count{verb="GET",host="10.0.0.1:6443"})"), 2);
  EXPECT_EQ(exposed.Value(R"(rest_client_request_duration_seconds_bucket{verb="GET",host="10.0.0.1:6443",le="0.025"})"),
            1);
  EXPECT_EQ(exposed.Value(R"(rest_client_rate_limiter_duration_seconds_sum{verb="POST",host="10.0.0.1:6443"})"), 0.03);
  EXPECT_EQ(exposed.Value(R"(rest_client_request_size_bytes_bucket{verb="POST",host="10.0.0.1:6443",le="512"})"), 1);
  EXPECT_EQ(exposed.Value(R"(rest_client_response_size_bytes_bucket{verb="GET",host="10.0.0.1:6443",le="+Inf"})"), 1);
}

TEST(ClientMetricsTest, LeadershipIsOneOrZero) {
  ClientMetrics metrics;
  metrics.SetLeading("kube-scheduler", true);
  metrics.SlowPath("kube-scheduler");
  EXPECT_EQ(Exposition::Parse(metrics.Expose()).Value(R"(leader_election_master_status{name="kube-scheduler"})"), 1);
  metrics.SetLeading("kube-scheduler", false);
  const Exposition exposed = Exposition::Parse(metrics.Expose());
  EXPECT_EQ(exposed.Value(R"(leader_election_master_status{name="kube-scheduler"})"), 0);
  EXPECT_EQ(exposed.Value(R"(leader_election_slowpath_total{name="kube-scheduler"})"), 1);
}

TEST(ClientMetricsTest, NamesTypesAndBucketsAreKubeSchedulers) {
  ClientMetrics metrics;
  metrics.Exchanged("GET", kHost, "200", 1ms);
  metrics.Throttled("GET", kHost, 1ms);
  metrics.Sent("GET", kHost, 1);
  metrics.Received("GET", kHost, 1);
  const Exposition exposed = Exposition::Parse(metrics.Expose());
  const struct {
    std::string name;
    std::string type;
  } cases[] = {
      {"leader_election_master_status", "gauge"},
      {"leader_election_slowpath_total", "counter"},
      {"rest_client_requests_total", "counter"},
      {"rest_client_request_duration_seconds", "histogram"},
      {"rest_client_rate_limiter_duration_seconds", "histogram"},
      {"rest_client_request_size_bytes", "histogram"},
      {"rest_client_response_size_bytes", "histogram"},
  };
  for (const auto& test : cases) {
    ASSERT_TRUE(exposed.families.contains(test.name)) << test.name;
    EXPECT_EQ(exposed.families.at(test.name).type, test.type);
    EXPECT_TRUE(exposed.families.at(test.name).help.starts_with("[ALPHA] "));
  }
  EXPECT_EQ(exposed.families.size(), std::size(cases));
  EXPECT_EQ(exposed.LabelsOf("rest_client_request_size_bytes_bucket"), (Labels{"verb", "host", "le"}));
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(exposed.BoundsOf("rest_client_request_duration_seconds"),
            (std::vector<double>{0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, inf}));
  EXPECT_EQ(exposed.BoundsOf("rest_client_response_size_bytes"),
            (std::vector<double>{64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, inf}));
}

}  // namespace
}  // namespace berth::metrics
