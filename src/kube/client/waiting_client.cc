// SPDX-License-Identifier: Apache-2.0
#include "kube/client/waiting_client.h"

namespace berth::kube {

WaitingClient::WaitingClient(const ClusterAccess& access, const Surroundings& surroundings)
    : credentials_(access.credentials, surroundings, clock_),
      client_(std::make_unique<ApiClient>(loop_, access, credentials_, ApiClientOptions{})),
      thread_([this] { loop_.Run(); }) {}

WaitingClient::~WaitingClient() {
  loop_.Stop();
  thread_.join();
}

}  // namespace berth::kube
