// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kube/client/api_client.h"
#include "metrics/client_metrics.h"

namespace berth::cmd {

// Counts what a client of an API server tells. Any thread.
class ClientObserver final : public kube::ApiObserver {
 public:
  // The metrics outlive this.
  explicit ClientObserver(metrics::ClientMetrics& metrics) : metrics_(metrics) {}

  void Exchanged(const kube::ToldExchange& told) override {
    metrics_.Exchanged(told.method, told.host, told.code, told.end ? std::optional(told.end->took) : std::nullopt);
    if (!told.end) return;
    metrics_.Sent(told.method, told.host, told.end->sent);
    if (told.end->received) metrics_.Received(told.method, told.host, *told.end->received);
  }
  void Throttled(std::string_view method, std::string_view host, Duration waited) override {
    metrics_.Throttled(method, host, waited);
  }

 private:
  metrics::ClientMetrics& metrics_;
};

}  // namespace berth::cmd
