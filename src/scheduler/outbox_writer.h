// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/node_info.h"
#include "framework/writer.h"
#include "scheduler/outbox.h"

#include <atomic>
#include <string>
#include <string_view>
#include <utility>

namespace berth::scheduler {

// What plugins of one profile write, handed to the outbox. Thread-safe.
class OutboxWriter final : public framework::Writer, public framework::EventRecorder {
 public:
  OutboxWriter(Outbox& outbox, const Clock& clock, std::string profile)
      : outbox_(outbox), clock_(clock), profile_(std::move(profile)) {}

  Result<void> Bind(const api::Pod& pod, std::string_view node) override {
    return outbox_.BindNow({KeyOf(pod), std::string(framework::PodUid(pod)), std::string(node), 0, 0});
  }
  // Accepted is not done: the outbox goes on until the pod is gone, and the store tells when it is.
  Result<void> Evict(const api::Pod& pod, std::string_view message, std::string_view preemptor_uid) override {
    outbox_.Evict({KeyOf(pod), std::string(framework::PodUid(pod)), std::string(message), std::string(preemptor_uid)});
    evicted_.fetch_add(1, std::memory_order_relaxed);
    return {};
  }
  // How many evictions were asked for since the last call.
  size_t TakeEvicted() { return evicted_.exchange(0, std::memory_order_relaxed); }
  bool EvictsFor(std::string_view preemptor_uid) const override { return outbox_.EvictsFor(preemptor_uid); }
  Result<void> ClearNomination(const api::Pod& pod) override {
    StatusPatch patch;
    patch.pod = KeyOf(pod);
    patch.uid = framework::PodUid(pod);
    patch.nominated_node = "";
    outbox_.PatchStatus(std::move(patch));
    return {};
  }
  void Record(const api::Pod& about, std::string_view type, std::string_view reason, std::string_view action,
              std::string message) override {
    outbox_.Record({KeyOf(about), std::string(framework::PodUid(about)), std::string(type), std::string(reason),
                    std::string(action), std::move(message), profile_, clock_.Now()});
  }

  static store::Key KeyOf(const api::Pod& pod) { return {"Pod", pod.meta.namespace_, pod.meta.name}; }

 private:
  Outbox& outbox_;
  const Clock& clock_;
  const std::string profile_;
  std::atomic<size_t> evicted_ = 0;
};

}  // namespace berth::scheduler
