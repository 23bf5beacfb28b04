// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "base/clock.h"
#include "base/result.h"
#include "kube/access/surroundings.h"
#include "log/logger.h"
#include "log/repeated_problems.h"
#include "net/loop.h"
#include "net/peer_certificates.h"
#include "serve/review_client.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::serve {

// Which headers of a front proxy say for whom it speaks.
struct RequestHeaderNames {
  std::vector<std::string> username = {"x-remote-user"};
  std::vector<std::string> uid = {};
  std::vector<std::string> group = {"x-remote-group"};
  std::vector<std::string> extra_prefix = {"x-remote-extra-"};
  std::vector<std::string> allowed_names = {};  // common names of proxies; empty: all
};

struct ClientAuthorityOptions {
  std::string client_ca_file = {};         // --client-ca-file
  std::string requestheader_ca_file = {};  // --requestheader-client-ca-file
  RequestHeaderNames requestheader = {};   // used with that file only
  bool skip_lookup = false;                // --authentication-skip-lookup
  bool tolerate_lookup_failure = true;     // --authentication-tolerate-lookup-failure
  Duration reread_files = std::chrono::seconds(10);
  Duration reread_cluster = std::chrono::seconds(60);
  Duration retry_cluster = std::chrono::seconds(5);  // when it could not be read
};

// Authorities of one purpose.
struct Authorities {
  std::string pem = {};
  std::shared_ptr<const net::CertificatePool> pool = {};  // null: none are known
};

// Who certifies clients and front proxies: read from files, or from the ConfigMap in which the API server publishes its
// own, and read again from time to time. What cannot be read any more stays as it was. On the loop.
class ClientAuthorities {
 public:
  // The loop outlives this, the client too; without a client nothing is looked up. `changed` is called when the
  // authorities have changed since Start.
  ClientAuthorities(net::Loop& loop, ClientAuthorityOptions options, ReviewClient* client,
                    const kube::Surroundings& surroundings, std::function<void()> changed, log::Logger log = {});
  ~ClientAuthorities();
  ClientAuthorities(const ClientAuthorities&) = delete;
  ClientAuthorities& operator=(const ClientAuthorities&) = delete;

  // Files must be readable. Before Start; any thread.
  Result<void> ReadFiles();
  // Looks up what no file says, and calls back when this was tried once: with an error if it failed and must not.
  void Start(std::function<void(Result<void>)> tried);

  // Whether clients are worth asking for a certificate.
  bool expected() const;
  const Authorities& clients() const { return clients_; }
  const Authorities& proxies() const { return proxies_; }
  const RequestHeaderNames& headers() const { return headers_; }
  std::string AllPem() const;

 private:
  bool looks_up() const;
  void Lookup(std::function<void(Result<void>)> tried);
  Result<void> TakeConfigMap(const kube::ApiResponse& response);
  Result<void> TakeData(const api::Value& data);
  Result<void> ReadFile(const std::string& path, const std::string& option, Authorities& authorities);
  Result<bool> Update(Authorities& authorities, const std::string& pem, const std::string& option);
  void RereadFilesLater();
  void LookupLater(Duration delay);

  net::Loop& loop_;
  const ClientAuthorityOptions options_;
  ReviewClient* const client_;
  const kube::Surroundings surroundings_;
  const std::function<void()> changed_;
  const log::Logger log_;
  log::RepeatedProblems problems_;
  Authorities clients_;
  Authorities proxies_;
  RequestHeaderNames headers_;
  net::Loop::TimerId file_timer_ = 0;
  net::Loop::TimerId lookup_timer_ = 0;
};

}  // namespace berth::serve
