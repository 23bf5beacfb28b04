// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "base/mutex.h"
#include "kube/access/cluster_access.h"
#include "net/test_server.h"

#include <functional>
#include <string>
#include <vector>

namespace berth::serve {

// An API server that knows a few tokens, rules and authorities. Any thread.
class StubApi {
 public:
  StubApi();

  // How to reach it.
  kube::ClusterAccess access() const;

  // From now on: a user with these groups; "error TEXT" as the name makes the server find something wrong.
  void SetToken(const std::string& token, const std::string& user, const std::vector<std::string>& groups = {});
  void Allow(const std::string& user, const std::string& path);
  // The data of the ConfigMap with the authorities; without any it is not found.
  void SetAuthentication(std::vector<std::pair<std::string, std::string>> data);
  // Answers the next so many requests with this status.
  void Fail(int status, int times);

  // The specs of reviews so far, in order.
  std::vector<api::Value> TokenReviews() const;
  std::vector<api::Value> AccessReviews() const;

 private:
  struct Answer {
    int status = 201;
    std::string body = {};
  };
  struct KnownToken {
    std::string token;
    std::string user;
    std::vector<std::string> groups;
  };
  Answer Take(const net::Request& request);
  api::Value Judge(const std::string& path, const api::Value& spec) BERTH_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::vector<KnownToken> tokens_ BERTH_GUARDED_BY(mutex_);
  std::vector<std::pair<std::string, std::string>> allowed_ BERTH_GUARDED_BY(mutex_);
  std::vector<std::pair<std::string, std::string>> authentication_ BERTH_GUARDED_BY(mutex_);
  std::vector<api::Value> token_reviews_ BERTH_GUARDED_BY(mutex_);
  std::vector<api::Value> access_reviews_ BERTH_GUARDED_BY(mutex_);
  int failures_ BERTH_GUARDED_BY(mutex_) = 0;
  int failure_status_ BERTH_GUARDED_BY(mutex_) = 0;
  net::TestServer server_;  // last: it calls the rest
};

}  // namespace berth::serve
