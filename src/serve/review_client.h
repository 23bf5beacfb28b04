// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "kube/access/cluster_access.h"
#include "kube/access/credentials.h"
#include "kube/access/surroundings.h"
#include "kube/client/api_client.h"
#include "log/logger.h"
#include "net/loop.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace berth::serve {

// As many reviews of one kind wait for their answers at once, no more: anyone may give rise to them.
inline constexpr size_t kMostReviews = 400;

struct ReviewClientOptions {
  std::string user_agent = "berth";
  Duration timeout = std::chrono::seconds(10);  // for all attempts together
  // A failure that may pass is tried again, after ever longer waits.
  int attempts = 5;
  Duration first_wait = std::chrono::milliseconds(500);
};

// Asks an API server what it thinks of others. It has a thread of its own, since token files and exec plugins may make
// it wait: who serves does not. On the loop it answers on, but for construction; destroyed when that loop has stopped,
// or on it.
class ReviewClient {
 public:
  // What is lent outlives this; `observer` may be null, and is called on the client's own thread.
  ReviewClient(net::Loop& home, kube::ClusterAccess access, const kube::Surroundings& surroundings, const Clock& clock,
               ReviewClientOptions options = {}, log::Logger log = {}, kube::ApiObserver* observer = nullptr);
  ~ReviewClient();
  ReviewClient(const ReviewClient&) = delete;
  ReviewClient& operator=(const ReviewClient&) = delete;

  using Done = std::function<void(kube::ApiResponse&)>;
  // `done` is called on the home loop, or not at all once this is destroyed.
  void Send(kube::ApiRequest request, Done done);

 private:
  struct Attempt;
  void Try(const std::shared_ptr<Attempt>& attempt);

  net::Loop& home_;
  const ReviewClientOptions options_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // looked at on the home loop
  net::Loop loop_;
  const kube::ClusterAccess access_;
  kube::Credentials credentials_;
  kube::ApiClient client_;
  std::thread thread_;
};

}  // namespace berth::serve
