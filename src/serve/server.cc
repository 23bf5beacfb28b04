// SPDX-License-Identifier: Apache-2.0
#include "serve/server.h"

#include "base/check.h"
#include "base/thread_name.h"
#include "serve/authenticator.h"
#include "serve/request_gate.h"
#include "serve/side_thread.h"
#include "serve/token_reviews.h"

#include <algorithm>
#include <future>
#include <sys/resource.h>
#include <thread>
#include <utility>

namespace berth::serve {
namespace {

// Of the files that this process may have open: the others are for its own connections, so that nobody who connects
// keeps it from its work.
size_t FilesToSpare() {
  constexpr size_t kReserved = 128;
  rlimit files = {};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return kReserved;
  return files.rlim_cur > 2 * kReserved ? files.rlim_cur - kReserved : std::max<size_t>(files.rlim_cur / 2, 1);
}

}  // namespace

class Server::Impl {
 public:
  Impl(ServerOptions options, const Clock& clock, log::Logger log, kube::ApiObserver* observer)
      : options_(std::move(options)),
        clock_(clock),
        log_(std::move(log)),
        authenticating_(ClientFor(options_.authentication.cluster, observer)),
        authorizing_(ClientFor(options_.authorization.cluster, observer)),
        certificates_(CertificateOptions(), options_.surroundings, clock, log_),
        authorities_(
            loop_, options_.authentication.authorities, authenticating_.get(), options_.surroundings,
            [this] { ShowCertificates(); }, log_) {
    if (authenticating_ != nullptr) {
      tokens_.emplace(
          *authenticating_, options_.authentication.token_cache_ttl, [this] { return loop_.Now(); }, log_);
    }
    authenticator_.emplace(authorities_, tokens_.has_value() ? &*tokens_ : nullptr);
  }

  ~Impl() {
    if (thread_.joinable()) Stop(Duration(0));
  }

  void Handle(Route route) { router_.Add(std::move(route)); }

  Result<void> Start() {
    AddPages(router_, options_.pages, records_, side_, clock_, log_);
    BERTH_ASSIGN_OR_RETURN(authorizer_,
                           Authorizer::Make(
                               options_.authorization.rules, authorizing_.get(), [this] { return loop_.Now(); }, log_));
    gate_.emplace(*authenticator_, *authorizer_, router_, log_);
    net::HttpServerOptions http;
    http.max_connections = std::min(http.max_connections, FilesToSpare());
    if (options_.serving.max_streams != 0) http.limits.max_streams = options_.serving.max_streams;
    http_.emplace(
        loop_, http,
        [this](net::ServerRequest request, net::Responder respond) {
          gate_->Take(std::move(request), std::move(respond));
        },
        log_);
    BERTH_RETURN_IF_ERROR(http_->Listen(options_.serving.listen));
    port_ = http_->port();
    BERTH_RETURN_IF_ERROR(certificates_.Read());
    BERTH_RETURN_IF_ERROR(authorities_.ReadFiles());
    BERTH_ASSIGN_OR_RETURN(const auto tls, net::TlsServerContext::Make(TlsOptions()));
    for (const std::string& warning : tls->warnings()) log_.Warning(warning);
    http_->SetTls(tls);
    shown_ = TlsOptions();
    return Run();
  }

  uint16_t port() const { return port_; }

  void Stop(Duration grace) {
    std::promise<void> stopped;
    loop_.Post([&] { http_->Stop(grace, [&] { stopped.set_value(); }); });
    stopped.get_future().wait();
    loop_.Stop();
    thread_.join();
    log_.V(2).Info("Stopped serving", {{"port", port()}});
  }

 private:
  std::unique_ptr<ReviewClient> ClientFor(const std::optional<kube::ClusterAccess>& cluster,
                                          kube::ApiObserver* observer) {
    if (!cluster.has_value()) return nullptr;
    return std::make_unique<ReviewClient>(loop_, *cluster, options_.surroundings, clock_,
                                          ReviewClientOptions{.user_agent = options_.user_agent}, log_, observer);
  }

  ServingCertificateOptions CertificateOptions() const {
    ServingCertificateOptions certificates = options_.serving.certificates;
    certificates.bind_address = options_.serving.listen.address;
    return certificates;
  }

  net::TlsServerOptions TlsOptions() const {
    return {.identity = certificates_.identity(),
            .others = certificates_.named(),
            .asks_for_certificate = authorities_.expected(),
            .client_ca = authorities_.AllPem(),
            .offers_http2 = options_.serving.http2,
            .min_version = options_.serving.min_tls_version,
            .cipher_suites = options_.serving.cipher_suites,
            .curves = options_.serving.curves};
  }

  Result<void> Run() {
    thread_ = std::thread([this] {
      NameThread("serve");
      loop_.Run();
    });
    std::promise<Result<void>> tried;
    loop_.Post([&] {
      authorities_.Start([&](Result<void> result) { tried.set_value(std::move(result)); });
      RereadCertificatesLater();
    });
    if (Result<void> result = tried.get_future().get(); !result) {
      Stop(Duration(0));
      return result;
    }
    loop_.Post([this] { http_->Start(); });
    log_.Info("Serving securely", {{"address", options_.serving.listen.address}, {"port", port()}});
    return {};
  }

  void RereadCertificatesLater() {
    if (!certificates_.in_files()) return;
    loop_.After(options_.serving.reread_certificates, [this] {
      if (const Result<void> read = certificates_.Read(); !read) {
        problems_.Report(log_, "read", "Certificates cannot be read again", {{"error", read.error().message}});
      } else {
        problems_.Forget("read");
      }
      ShowCertificates();
      RereadCertificatesLater();
    });
  }

  // New connections see what has changed. A certificate whose key has not been replaced yet is not shown.
  void ShowCertificates() {
    net::TlsServerOptions wanted = TlsOptions();
    if (wanted == shown_) return;
    const auto tls = net::TlsServerContext::Make(wanted);
    if (!tls) {
      problems_.Report(log_, "show", "Changed certificates cannot be used", {{"error", tls.error().message}});
      return;
    }
    problems_.Forget("show");
    if (shown_ != net::TlsServerOptions()) log_.V(2).Info("Changed certificates are used from now on");
    http_->SetTls(*tls);
    shown_ = std::move(wanted);
  }

  const ServerOptions options_;
  const Clock& clock_;
  const log::Logger log_;
  log::RepeatedProblems problems_;
  HealthRecords records_;
  Router router_;
  net::Loop loop_;
  std::unique_ptr<ReviewClient> authenticating_;
  std::unique_ptr<ReviewClient> authorizing_;
  ServingCertificates certificates_;
  ClientAuthorities authorities_;
  std::optional<TokenReviews> tokens_;
  std::optional<Authenticator> authenticator_;
  std::unique_ptr<Authorizer> authorizer_;
  std::optional<RequestGate> gate_;
  std::optional<net::HttpServer> http_;
  net::TlsServerOptions shown_;  // what connections are made with now
  uint16_t port_ = 0;
  SideThread side_;
  std::thread thread_;  // runs the loop
};

Server::Server(ServerOptions options, const Clock& clock, log::Logger log, kube::ApiObserver* observer)
    : impl_(std::make_unique<Impl>(std::move(options), clock, std::move(log), observer)) {}
Server::~Server() = default;

void Server::Handle(Route route) { impl_->Handle(std::move(route)); }
Result<void> Server::Start() { return impl_->Start(); }
uint16_t Server::port() const { return impl_->port(); }
void Server::Stop(Duration grace) { impl_->Stop(grace); }

}  // namespace berth::serve
