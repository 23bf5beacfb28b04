// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "net/grpc_client.h"
#include "remote/address.h"
#include "remote/channel.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace berth::remote {

struct GrpcDialerOptions {
  std::string endpoint = {};  // see Address
  TlsFiles tls = {};          // for tls:// only
  // Clear text to other machines: anyone on the way can read it and change it.
  bool allow_clear_text = false;
  // Until the plugin's process has answered that it speaks HTTP/2.
  Duration connect_timeout = std::chrono::seconds(10);
  // The process may be starting: for so long, refused connections are tried again.
  Duration patience = {};
  size_t max_message_bytes = size_t{64} << 20U;
  size_t max_unsent_bytes = size_t{512} << 20U;  // what the plugin does not take, before the stream is given up
};

// Opens streams by gRPC, each over a connection of its own. The transport has one thread, on which the listeners of all
// streams are told; it lives until the dialer and all channels are gone. Any thread.
class GrpcDialer final : public Dialer {
 public:
  // The error names what is wrong with the options.
  static Result<std::unique_ptr<GrpcDialer>> Make(const GrpcDialerOptions& options);
  ~GrpcDialer() override;
  std::unique_ptr<Channel> Dial(ChannelListener& listener) override;

  class Transport;  // a loop with its thread

 private:
  GrpcDialer(std::string endpoint, net::GrpcCall call);

  const std::string endpoint_;
  const net::GrpcCall call_;
  const std::shared_ptr<Transport> transport_;
};

}  // namespace berth::remote
