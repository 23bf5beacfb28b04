// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "kube/client/api_client.h"

#include <memory>
#include <thread>

namespace berth::kube {

// Sends one request after the other and waits for each, with a loop and a thread of its own: for commands that ask and
// end. One thread.
class WaitingClient {
 public:
  WaitingClient(const ClusterAccess& access, const Surroundings& surroundings);
  ~WaitingClient();
  WaitingClient(const WaitingClient&) = delete;
  WaitingClient& operator=(const WaitingClient&) = delete;

  ApiResponse Send(ApiRequest request) { return SendAndWait(*client_, std::move(request)); }

 private:
  const SystemClock clock_;
  net::Loop loop_;
  Credentials credentials_;
  std::unique_ptr<ApiClient> client_;
  std::thread thread_;
};

}  // namespace berth::kube
