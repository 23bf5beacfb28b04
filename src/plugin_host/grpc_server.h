// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "log/logger.h"
#include "plugin_host/session.h"
#include "remote/address.h"

#include <cstddef>
#include <memory>
#include <string>

namespace berth::plugin_host {

struct GrpcServerOptions {
  std::string endpoint = {};  // see remote::Address; port 0: any
  // For tls://: who we are, and who may call.
  remote::TlsFiles tls = {};
  // Clear text to other machines: anyone on the way can read it and change it.
  bool allow_clear_text = false;
  size_t max_sessions = 64;
  size_t max_message_bytes = size_t{64} << 20U;
  // Messages that a session has not looked at, before the scheduler has to wait.
  size_t max_untaken_bytes = size_t{8} << 20U;
};

// A plugin's end of the contract: serves sessions by gRPC, each on a thread of its own. Only this user may connect to a
// unix socket, whose file is removed at the end. Any thread.
class GrpcServer {
 public:
  // Serves from now on. The error says why it cannot.
  static Result<std::unique_ptr<GrpcServer>> Listen(const GrpcServerOptions& options, OpenSession open,
                                                    const log::Logger& log = {});
  // Ends all streams, and waits until sessions have done what they are at.
  ~GrpcServer();
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

  // As given, with the port that was chosen.
  const std::string& endpoint() const;

 private:
  class Impl;
  explicit GrpcServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::plugin_host
