// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "cmd/cluster_from_server.h"
#include "cmd/streams.h"

#include <string>
#include <vector>

namespace berth::cmd {

// A running scheduler that is asked, and who asks.
struct SchedulerAddress {
  std::string url;                    // "https://127.0.0.1:10259"; https and that port may be left out
  std::string token_file;             // whose token is shown; empty: the kubeconfig's credentials are
  std::string certificate_authority;  // empty: the system's authorities
  bool insecure = false;              // the certificate is not checked: of use with one that the scheduler made itself
  ServerOptions credentials;
};

struct QueueOptions {
  SchedulerAddress scheduler;
  std::string output = "table";  // or json
};
int RunQueue(const QueueOptions& options, const Streams& streams);

struct LiveExplainOptions {
  SchedulerAddress scheduler;
  std::vector<std::string> target;
  std::string node;
  std::string output = "text";  // wide, json or yaml
};
int RunLiveExplain(const LiveExplainOptions& options, const Streams& streams);

}  // namespace berth::cmd
