// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace berth::metrics {

// What kube-scheduler exposes about its exchanges with API servers and about its leadership. Any thread, every method.
//
// Each set of label values is kept for good, so hosts must be few.
class ClientMetrics {
 public:
  ClientMetrics();
  ~ClientMetrics();
  ClientMetrics(const ClientMetrics&) = delete;
  ClientMetrics& operator=(const ClientMetrics&) = delete;

  // rest_client_requests_total, and rest_client_request_duration_seconds where a time is told. `code` is the HTTP
  // status as text, or "<error>" when there was no answer.
  void Exchanged(std::string_view method, std::string_view host, std::string_view code, std::optional<Duration> took);
  // rest_client_rate_limiter_duration_seconds
  void Throttled(std::string_view method, std::string_view host, Duration waited);
  // rest_client_request_size_bytes, rest_client_response_size_bytes
  void Sent(std::string_view method, std::string_view host, size_t bytes);
  void Received(std::string_view method, std::string_view host, size_t bytes);

  // leader_election_master_status
  void SetLeading(std::string_view lease, bool leading);
  // leader_election_slowpath_total: a lease could not be renewed by one write and was read first
  void SlowPath(std::string_view lease);

  // Everything in Prometheus' text format.
  std::string Expose() const;

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace berth::metrics
