// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "base/clock.h"
#include "base/result.h"
#include "home/home.h"
#include "kube/client/api_client.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace berth::kube {

// Leases kept as coordination.k8s.io objects, by the rules of client-go's leader election, so that Berth and
// kube-scheduler can contend for one lease. Whether another's lease has run out is judged by how long its record has
// not changed as seen here: clocks of different machines are never compared.
//
// An API server knows no fences: a lease's token counts how often it changed hands. Calls block; one at a time, on any
// thread but the loop's.
class KubeLeases final : public home::Leases {
 public:
  // Everything lent outlives this. `patience` bounds each request. An event of `reporter` tells who has taken a lease;
  // none is written when it is empty. `renewed_slowly`, which may be empty, is called for each renewal that had to read
  // the lease first, because the write alone failed.
  KubeLeases(ApiClient& client, std::string in_namespace, const Clock& clock, Duration patience,
             std::string reporter = {}, std::function<void()> renewed_slowly = {});

  Result<store::Lease> Acquire(std::string_view name, std::string_view holder, Duration ttl) override;
  Result<store::Lease> Renew(const store::Lease& lease, Duration ttl) override;
  Result<void> Release(const store::Lease& lease) override;

 private:
  // The Lease object as it was last read or written, and when it was first seen like this.
  struct Observed {
    api::Value object;
    Duration since;  // in the clock's steady time
  };

  Result<void> Read(std::string_view name);
  // Writes the object with this spec; it must be at the version that was observed.
  Result<void> Write(std::string_view name, api::Value spec);
  Result<void> Create(std::string_view name, api::Value spec);
  Result<void> Observe(std::string_view body);
  api::Value SpecFor(std::string_view holder, Duration ttl, bool same_holder) const;
  std::string SpecText(std::string_view key) const;
  int64_t transitions() const;
  void TellTaken(std::string_view name, std::string_view holder);
  store::Lease Held(std::string_view name, std::string_view holder, Duration ttl) const;
  std::string Path(std::string_view name) const;

  ApiClient& client_;
  const std::string namespace_;
  const Clock& clock_;
  const Duration patience_;
  const std::string reporter_;
  const std::function<void()> renewed_slowly_;
  std::optional<Observed> observed_;
};

}  // namespace berth::kube
