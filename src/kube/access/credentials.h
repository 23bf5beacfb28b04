// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/thread_annotations.h"
#include "kube/access/cluster_access.h"
#include "kube/access/exec_plugin.h"
#include "kube/access/exec_refresher.h"
#include "kube/access/surroundings.h"
#include "log/logger.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace berth::kube {

// What a client shows to the server now. Immutable.
struct GivenCredentials {
  std::string authorization = {};  // value of the Authorization header; empty: none
  KeyPair key_pair = {};           // for the TLS handshake; empty: none
  std::string ca = {};             // the authority's certificates as they were read again; empty: those at the start
  // Grows whenever anything above is replaced; `Credentials::Reject` wants it back.
  uint64_t generation = 0;
  // Grows whenever the key pair or the authority changes: connections that were made before are to be replaced.
  uint64_t tls_generation = 0;
};

// Keeps credentials fresh: token and certificate files and that of the server's authority are read again about every
// minute, and a plugin is run before what it gave expires, and when that was rejected. Any thread.
class Credentials {
 public:
  // The clock, and what `log` writes to, outlive this.
  Credentials(CredentialSource source, Surroundings surroundings, const Clock& clock, log::Logger log = {},
              ExecLimits limits = {}, ExecPace pace = {});

  // What is to be used for a request that is sent now. Blocks while files are read, and while there is nothing valid
  // and a plugin runs: the first time up to its time limit, later up to the pace's patience. Not for a thread that must
  // not wait. A file that has vanished is no error: what it said last is used. A plugin that has failed is not run
  // again for some seconds: so long this fails, too.
  Result<std::shared_ptr<const GivenCredentials>> Current() BERTH_EXCLUDES(mutex_);

  // The server has answered 401 to what was given under this generation: the next call of Current asks anew. Ignored
  // when it was replaced since.
  void Reject(uint64_t generation) BERTH_EXCLUDES(mutex_);

 private:
  // When something that is read again and again was read, and how it went.
  struct Reading {
    std::optional<Timestamp> read = {};
    std::optional<Timestamp> tried = {};
    bool failing = false;

    bool Due(Timestamp now) const;
    void Succeed(Timestamp now);
  };

  Result<void> RefreshToken(Timestamp now) BERTH_REQUIRES(mutex_);
  void RefreshKeyPair(Timestamp now) BERTH_REQUIRES(mutex_);
  void RefreshAuthority(Timestamp now) BERTH_REQUIRES(mutex_);
  void TakeFetched(const FetchedCredential& fetched) BERTH_REQUIRES(mutex_);
  void Fail(Reading& reading, Timestamp now, const std::string& path, const std::string& why);
  void Publish(std::string authorization, KeyPair key_pair, std::string ca) BERTH_REQUIRES(mutex_);

  const CredentialSource source_;
  const Surroundings surroundings_;
  const Clock& clock_;
  const log::Logger log_;
  const std::unique_ptr<ExecRefresher> exec_;  // null: there is no plugin

  Mutex mutex_;
  std::shared_ptr<const GivenCredentials> given_ BERTH_GUARDED_BY(mutex_);
  Reading token_ BERTH_GUARDED_BY(mutex_);
  Reading key_pair_ BERTH_GUARDED_BY(mutex_);
  Reading authority_ BERTH_GUARDED_BY(mutex_);
  uint64_t exec_run_ BERTH_GUARDED_BY(mutex_) = 0;  // which run of the plugin gave what is given; 0: none yet
};

}  // namespace berth::kube
