// SPDX-License-Identifier: Apache-2.0
#include "kube/access/credentials.h"

#include "kube/access/trimmed.h"

#include <utility>

#include <fmt/format.h>

namespace berth::kube {
namespace {

// A kubelet replaces a token when a fifth of its life is left, two minutes of ten at the least: read twice in that
// time, less some leeway, a token is never used when it has expired.
constexpr Duration kReadAgainAfter = std::chrono::seconds(50);
constexpr Duration kTryAgainAfter = std::chrono::seconds(1);

std::string FirstAuthorization(const CredentialSource& source) {
  if (!source.token.empty()) return "Bearer " + source.token;
  return source.basic ? BasicAuthorization(*source.basic) : std::string();
}

// Also true when the clock was set back.
bool IsOlder(Timestamp time, Timestamp now, Duration than) { return now < time || now - time >= than; }

}  // namespace

bool Credentials::Reading::Due(Timestamp now) const {
  if (tried && !IsOlder(*tried, now, kTryAgainAfter)) return false;
  return !read || IsOlder(*read, now, kReadAgainAfter);
}

void Credentials::Reading::Succeed(Timestamp now) {
  read = now;
  tried.reset();
  failing = false;
}

Credentials::Credentials(CredentialSource source, Surroundings surroundings, const Clock& clock, log::Logger log,
                         ExecLimits limits, ExecPace pace)
    : source_(std::move(source)),
      surroundings_(std::move(surroundings)),
      clock_(clock),
      log_(std::move(log)),
      exec_(source_.exec ? std::make_unique<ExecRefresher>(*source_.exec, surroundings_, clock_, log_, limits, pace)
                         : nullptr),
      given_(std::make_shared<const GivenCredentials>(
          GivenCredentials{FirstAuthorization(source_), source_.key_pair, {}, 1, 1})) {}

Result<std::shared_ptr<const GivenCredentials>> Credentials::Current() {
  FetchedCredential fetched;
  if (exec_ != nullptr) {
    BERTH_ASSIGN_OR_RETURN(fetched, exec_->Current());  // without the lock: this may take long
  }
  const MutexLock lock(mutex_);
  if (fetched.run > exec_run_) TakeFetched(fetched);
  const Timestamp now = clock_.Now();
  if (!source_.token_file.empty() && token_.Due(now)) BERTH_RETURN_IF_ERROR(RefreshToken(now));
  if (!source_.certificate_file.empty() && key_pair_.Due(now)) RefreshKeyPair(now);
  if (!source_.ca_file.empty() && authority_.Due(now)) RefreshAuthority(now);
  return given_;
}

void Credentials::Reject(uint64_t generation) {
  uint64_t rejected_run = 0;
  {
    const MutexLock lock(mutex_);
    if (generation != given_->generation) return;
    rejected_run = exec_run_;
    token_.read.reset();
  }
  if (exec_ != nullptr) exec_->Reject(rejected_run);
}

Result<void> Credentials::RefreshToken(Timestamp now) {
  const Result<std::string> content = surroundings_.read_file(source_.token_file);
  const std::string token = content ? TrimmedCopy(*content) : std::string();
  if (!token.empty()) {
    token_.Succeed(now);
    Publish("Bearer " + token, given_->key_pair, given_->ca);
    return {};
  }
  const std::string why = content ? "it is empty" : content.error().message;
  Fail(token_, now, source_.token_file, why);
  if (!given_->authorization.empty()) return {};
  return Error{ErrorCode::Unavailable, fmt::format("failed to read token file \"{}\": {}", source_.token_file, why)};
}

void Credentials::RefreshKeyPair(Timestamp now) {
  Result<std::string> certificate = surroundings_.read_file(source_.certificate_file);
  if (!certificate || certificate->empty()) {
    Fail(key_pair_, now, source_.certificate_file, certificate ? "it is empty" : certificate.error().message);
    return;
  }
  Result<std::string> key = surroundings_.read_file(source_.key_file);
  if (!key || key->empty()) {
    Fail(key_pair_, now, source_.key_file, key ? "it is empty" : key.error().message);
    return;
  }
  key_pair_.Succeed(now);
  Publish(given_->authorization, {*std::move(certificate), *std::move(key)}, given_->ca);
}

// A file that is being replaced may be empty or cut short for a moment: nobody is trusted on the strength of that.
void Credentials::RefreshAuthority(Timestamp now) {
  Result<std::string> ca = surroundings_.read_file(source_.ca_file);
  if (!ca || ca->find("-----END CERTIFICATE-----") == std::string::npos) {
    Fail(authority_, now, source_.ca_file, ca ? "it has no certificate in PEM" : ca.error().message);
    return;
  }
  authority_.Succeed(now);
  Publish(given_->authorization, given_->key_pair, *std::move(ca));
}

void Credentials::TakeFetched(const FetchedCredential& fetched) {
  exec_run_ = fetched.run;
  const std::string& token = fetched.credential->token;
  Publish(token.empty() ? "" : "Bearer " + token, fetched.credential->key_pair, given_->ca);
}

void Credentials::Fail(Reading& reading, Timestamp now, const std::string& path, const std::string& why) {
  reading.tried = now;
  if (!std::exchange(reading.failing, true)) {
    log_.Error("Unable to read credentials again, the old ones are used", {{"file", path}, {"err", why}});
  }
}

void Credentials::Publish(std::string authorization, KeyPair key_pair, std::string ca) {
  const bool same_tls = key_pair == given_->key_pair && ca == given_->ca;
  // What a plugin gives is new even when it looks the same, so that a late rejection of the old does not count for it.
  if (same_tls && authorization == given_->authorization && !source_.exec) return;
  given_ = std::make_shared<const GivenCredentials>(GivenCredentials{std::move(authorization), std::move(key_pair),
                                                                     std::move(ca), given_->generation + 1,
                                                                     given_->tls_generation + (same_tls ? 0 : 1)});
}

}  // namespace berth::kube
