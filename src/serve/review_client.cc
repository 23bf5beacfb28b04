// SPDX-License-Identifier: Apache-2.0
#include "serve/review_client.h"

#include "base/thread_name.h"

#include <algorithm>
#include <utility>

namespace berth::serve {
namespace {

// As upstream judges it: the server asks for it, or it is overloaded, or the connection broke. A server that cannot be
// reached is not tried again.
bool MayPass(const kube::ApiResponse& response) {
  if (response.end == net::ExchangeEnd::Unknown) return true;
  if (response.end != net::ExchangeEnd::Complete) return false;
  const int status = response.head.status;
  return status == 429 || status == 500 || status == 504 || (!response.ok() && response.RetryAfter().has_value());
}

}  // namespace

struct ReviewClient::Attempt {
  kube::ApiRequest request;
  std::function<void(kube::ApiResponse)> done;
  Duration deadline;
  Duration wait;
  int left;
};

ReviewClient::ReviewClient(net::Loop& home, kube::ClusterAccess access, const kube::Surroundings& surroundings,
                           const Clock& clock, ReviewClientOptions options, log::Logger log,
                           kube::ApiObserver* observer)
    : home_(home),
      options_(std::move(options)),
      access_(std::move(access)),
      credentials_(access_.credentials, surroundings, clock, std::move(log)),
      // The rate that upstream allows: it must not be what slows reviews down.
      client_(loop_, access_, credentials_, {.user_agent = options_.user_agent, .qps = 200, .burst = 400}, observer),
      thread_([this] {
        NameThread("serve-review");
        loop_.Run();
      }) {}

ReviewClient::~ReviewClient() {
  *alive_ = false;
  loop_.Stop();
  thread_.join();
}

void ReviewClient::Send(kube::ApiRequest request, Done done) {
  auto attempt = std::make_shared<Attempt>();
  attempt->request = std::move(request);
  attempt->deadline = loop_.Now() + options_.timeout;
  attempt->wait = options_.first_wait;
  attempt->left = options_.attempts;
  attempt->done = [&home = home_, alive = std::weak_ptr<bool>(alive_),
                   done = std::move(done)](kube::ApiResponse response) {
    home.Post([alive, done, response = std::move(response)]() mutable {
      const auto living = alive.lock();
      if (living != nullptr && *living) done(response);
    });
  };
  loop_.Post([this, attempt] { Try(attempt); });
}

void ReviewClient::Try(const std::shared_ptr<Attempt>& attempt) {
  kube::ApiRequest request = attempt->request;
  request.timeout = std::max(attempt->deadline - loop_.Now(), Duration(std::chrono::milliseconds(1)));
  request.timeout_covers_wait = true;
  client_.Send(std::move(request), [this, attempt](kube::ApiResponse& response) {
    --attempt->left;
    if (!MayPass(response) || attempt->left == 0 || loop_.Now() + attempt->wait >= attempt->deadline) {
      return attempt->done(std::move(response));
    }
    loop_.After(attempt->wait, [this, attempt] { Try(attempt); });
    attempt->wait += attempt->wait / 2;
  });
}

}  // namespace berth::serve
