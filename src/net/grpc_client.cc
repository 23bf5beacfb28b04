// SPDX-License-Identifier: Apache-2.0
#include "net/grpc_client.h"

#include "net/grpc_connection.h"
#include "net/host_dial.h"
#include "net/proxy_tunnel.h"
#include "net/unix_socket.h"

#include <chrono>
#include <utility>

namespace berth::net {
namespace {

constexpr auto kRedialPause = std::chrono::milliseconds(10);

// Brings a connection about; lives until that has happened or failed.
class GrpcDial : public std::enable_shared_from_this<GrpcDial> {
 public:
  GrpcDial(Loop& loop, const GrpcCall& call, std::shared_ptr<GrpcConnection> connection)
      : loop_(loop),
        target_(call.target),
        patience_(call.patience),
        timeout_(call.limits.greeting_timeout),
        connection_(std::move(connection)) {}

  void Begin() {
    deadline_ = loop_.Now() + patience_;
    Try();
  }

 private:
  void Try() {
    if (connection_->is_shut()) return;
    if (!target_.unix_path.empty()) return Connected(ConnectUnix(target_.unix_path));
    timer_ = loop_.After(timeout_, [self = shared_from_this()] {
      self->dial_ = nullptr;
      self->connection_->Shut("cannot connect: timed out");
    });
    dial_ = std::make_unique<HostDial>(loop_, target_.host, target_.port, [this](const auto& connected) {
      const auto self = shared_from_this();
      loop_.Cancel(timer_);
      dial_ = nullptr;
      Connected(connected ? Result<int>(connected->descriptor) : connected.error());
    });
  }

  void Connected(const Result<int>& descriptor) {
    if (descriptor) return connection_->Start(*descriptor);
    if (loop_.Now() >= deadline_) return connection_->Shut(descriptor.error().message);
    loop_.After(kRedialPause, [self = shared_from_this()] { self->Try(); });
  }

  Loop& loop_;
  const GrpcTarget target_;
  const Duration patience_;
  const Duration timeout_;
  const std::shared_ptr<GrpcConnection> connection_;
  std::unique_ptr<HostDial> dial_;
  Loop::TimerId timer_ = 0;  // while dialling; it keeps this alive
  Duration deadline_ = {};
};

}  // namespace

GrpcStream OpenGrpcStream(Loop& loop, const GrpcCall& call, std::shared_ptr<GrpcStreamEvents> events) {
  const GrpcTarget& target = call.target;
  GrpcConnectionSetup setup = {.side = GrpcSession::Side::Client, .limits = call.limits, .path = call.path};
  std::string unusable;
  if (target.tls != nullptr) {
    auto tls = TlsStream::Make(*target.tls, target.host);
    if (tls) {
      setup.tls = std::move(*tls);
    } else {
      unusable = tls.error().message;
    }
  }
  const auto connection = std::make_shared<GrpcConnection>(loop, std::move(setup));
  const std::string authority = target.unix_path.empty() ? HostAndPort(target.host, target.port) : "localhost";
  const auto id = connection->Open(target.tls == nullptr ? "http" : "https", authority, std::move(events));
  loop.Post([&loop, call, connection, unusable] {
    if (!unusable.empty()) return connection->Shut(unusable);
    std::make_shared<GrpcDial>(loop, call, connection)->Begin();
  });
  return {connection, id};
}

}  // namespace berth::net
