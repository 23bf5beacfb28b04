// SPDX-License-Identifier: Apache-2.0
#include "queue/known_pods.h"

#include "framework/node_info.h"

#include <functional>

namespace berth::queue {
namespace {

std::string_view UidOf(const QueuedPod& pod) { return framework::PodUid(*pod.pod->pod); }
uint64_t HashOf(std::string_view uid) { return std::hash<std::string_view>()(uid); }

}  // namespace

KnownPods::~KnownPods() {
  table_.ForEach([](QueuedPod& pod) { QueuedPodPtr(&pod).reset(); });
}

QueuedPod* KnownPods::Find(std::string_view uid) const {
  return table_.Find(HashOf(uid), [uid](const QueuedPod& pod) { return UidOf(pod) == uid; });
}

QueuedPod& KnownPods::Insert(QueuedPodPtr pod) {
  QueuedPod& inserted = *pod.release();
  table_.Insert(inserted, HashOf(UidOf(inserted)));
  return inserted;
}

QueuedPodPtr KnownPods::Take(QueuedPod& pod) {
  table_.Erase(pod, HashOf(UidOf(pod)));
  return QueuedPodPtr(&pod);
}

}  // namespace berth::queue
