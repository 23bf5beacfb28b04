// SPDX-License-Identifier: Apache-2.0
#include "metrics/client_metrics.h"

#include "metrics/family.h"

#include <vector>

namespace berth::metrics {
namespace {

Buckets LatencyBuckets() { return {{0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60}, 1e9}; }

Buckets SizeBuckets() { return {{64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216}, 1}; }

}  // namespace

// Names, labels and buckets are upstream's.
struct ClientMetrics::Families {
  using enum Stability;
  std::vector<const Family*> all;

  CounterFamily<1> slow_paths{all,
                              Alpha,
                              "leader_election_slowpath_total",
                              "Renewals of a lease that had to read it first, because the write alone failed.",
                              {"name"}};
  GaugeFamily<1> leading{
      all, Alpha, "leader_election_master_status", "Whether this process holds the lease (1) or waits (0).", {"name"}};
  HistogramFamily<2> throttled{all,
                               Alpha,
                               "rest_client_rate_limiter_duration_seconds",
                               "Time that requests waited for the client's own rate limit.",
                               {"verb", "host"},
                               LatencyBuckets()};
  HistogramFamily<2> duration{all,
                              Alpha,
                              "rest_client_request_duration_seconds",
                              "Time from a request to the end of its response.",
                              {"verb", "host"},
                              LatencyBuckets()};
  HistogramFamily<2> request_size{
      all,          Alpha, "rest_client_request_size_bytes", "Sizes of the bodies of requests.", {"verb", "host"},
      SizeBuckets()};
  CounterFamily<3> requests{all,
                            Alpha,
                            "rest_client_requests_total",
                            "Requests by status of the response; <error>: there was none.",
                            {"code", "method", "host"}};
  HistogramFamily<2> response_size{
      all,          Alpha, "rest_client_response_size_bytes", "Sizes of the bodies of responses.", {"verb", "host"},
      SizeBuckets()};
};

ClientMetrics::ClientMetrics() : families_(std::make_unique<Families>()) {}

ClientMetrics::~ClientMetrics() = default;

void ClientMetrics::Exchanged(std::string_view method, std::string_view host, std::string_view code,
                              std::optional<Duration> took) {
  families_->requests.With(code, method, host).Increment();
  if (took) families_->duration.With(method, host).Observe(took->count());
}

void ClientMetrics::Throttled(std::string_view method, std::string_view host, Duration waited) {
  families_->throttled.With(method, host).Observe(waited.count());
}

void ClientMetrics::Sent(std::string_view method, std::string_view host, size_t bytes) {
  families_->request_size.With(method, host).Observe(static_cast<int64_t>(bytes));
}

void ClientMetrics::Received(std::string_view method, std::string_view host, size_t bytes) {
  families_->response_size.With(method, host).Observe(static_cast<int64_t>(bytes));
}

void ClientMetrics::SetLeading(std::string_view lease, bool leading) {
  families_->leading.With(lease).Set(leading ? 1 : 0);
}

void ClientMetrics::SlowPath(std::string_view lease) { families_->slow_paths.With(lease).Increment(); }

std::string ClientMetrics::Expose() const { return TextOf(families_->all); }

}  // namespace berth::metrics
