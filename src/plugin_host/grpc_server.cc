// SPDX-License-Identifier: Apache-2.0
#include "plugin_host/grpc_server.h"

#include "base/check.h"
#include "base/thread_name.h"
#include "net/grpc_server.h"
#include "net/loop.h"
#include "plugin_host/session_run.h"

#include <future>
#include <thread>
#include <unordered_set>
#include <utility>

namespace berth::plugin_host {
namespace {

Result<net::GrpcServerOptions> NetOptions(const GrpcServerOptions& options, const remote::Address& address) {
  net::GrpcServerOptions made = {.path = remote::kSessionMethod};
  made.limits.max_message_bytes = options.max_message_bytes;
  made.limits.max_untaken_bytes = options.max_untaken_bytes;
  if (address.kind == remote::Address::Kind::Tls) {
    if (options.tls.ca_file.empty() || options.tls.cert_file.empty() || options.tls.key_file.empty()) {
      return InvalidError(options.endpoint + " needs caFile, certFile and keyFile: without them anyone could call");
    }
    BERTH_ASSIGN_OR_RETURN(remote::ServerTls tls, remote::ServerTlsOf(options.tls));
    made.tls = std::move(tls.context);
    made.clients = std::move(tls.clients);
  } else if (!address.is_local() && !options.allow_clear_text) {
    return InvalidError(options.endpoint + " can be reached by other machines: it needs TLS, as tls://");
  }
  return made;
}

}  // namespace

class GrpcServer::Impl {
 public:
  Impl(remote::Address address, net::GrpcServerOptions options, size_t max_sessions, OpenSession open,
       const log::Logger& log)
      : address_(std::move(address)),
        max_sessions_(max_sessions),
        open_(std::move(open)),
        server_(
            loop_, std::move(options), [this](net::GrpcStream stream) { return Open(std::move(stream)); }, log) {}

  ~Impl() {
    if (!thread_.joinable()) return;
    loop_.Post([this] {
      server_.Stop("the plugin's process ends");
      loop_.Stop();
    });
    thread_.join();
    runs_.clear();  // waits for their threads
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  const std::string& text() const { return text_; }

  Result<void> Listen() {
    if (address_.kind == remote::Address::Kind::Unix) {
      BERTH_RETURN_IF_ERROR(server_.ListenUnix(address_.path));
    } else {
      // To listen, the name of this machine's loopback must be an address.
      const std::string host = address_.host == "localhost" ? "127.0.0.1" : address_.host;
      BERTH_RETURN_IF_ERROR(server_.ListenTcp({.address = host, .port = address_.port}));
      address_.port = server_.port();
    }
    text_ = address_.Text();
    loop_.Post([this] { server_.Start(); });
    thread_ = std::thread([this] {
      NameThread("plugin-host");
      loop_.Run();
    });
    return {};
  }

 private:
  std::shared_ptr<net::GrpcStreamEvents> Open(net::GrpcStream stream) {
    if (runs_.size() >= max_sessions_) return nullptr;
    // The session's thread tells when it has ended; by then the run is among the others.
    const auto self = std::make_shared<std::weak_ptr<SessionRun>>();
    auto run = std::make_shared<SessionRun>(std::move(stream), open_,
                                            [this, self] { loop_.Post([this, self] { runs_.erase(self->lock()); }); });
    *self = run;
    runs_.insert(run);
    return run;
  }

  remote::Address address_;
  std::string text_;
  const size_t max_sessions_;
  const OpenSession open_;
  net::Loop loop_;
  std::unordered_set<std::shared_ptr<SessionRun>> runs_;  // on the loop
  net::GrpcServer server_;
  std::thread thread_;
};

GrpcServer::GrpcServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GrpcServer::~GrpcServer() = default;

Result<std::unique_ptr<GrpcServer>> GrpcServer::Listen(const GrpcServerOptions& options, OpenSession open,
                                                       const log::Logger& log) {
  BERTH_ASSIGN_OR_RETURN(remote::Address address, remote::Address::Parse(options.endpoint));
  BERTH_ASSIGN_OR_RETURN(net::GrpcServerOptions made, NetOptions(options, address));
  auto impl = std::make_unique<Impl>(std::move(address), std::move(made), options.max_sessions, std::move(open), log);
  BERTH_RETURN_IF_ERROR(impl->Listen());
  return std::unique_ptr<GrpcServer>(new GrpcServer(std::move(impl)));
}

const std::string& GrpcServer::endpoint() const { return impl_->text(); }

}  // namespace berth::plugin_host
