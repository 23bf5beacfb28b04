// SPDX-License-Identifier: Apache-2.0
#include "runtime/plain_form.h"

#include "base/mutex.h"
#include "framework/node_scan.h"

#include <limits>
#include <optional>
#include <utility>

namespace berth::runtime {

using framework::NodeId;
using framework::Status;

namespace {

// How many nodes a thread takes at a time: enough to be worth the hand-over, few enough to share evenly.
constexpr size_t kNodesAtATime = 64;

template <typename F>
void ForEach(size_t count, WorkerPool* workers, F&& work) {
  if (workers == nullptr) {
    work(size_t{0}, count);
  } else {
    workers->ParallelFor(count, kNodesAtATime, work);
  }
}

// The error at the lowest place. Any thread.
class FirstError {
 public:
  void Note(size_t place, const Error& error) BERTH_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (place >= place_) return;
    place_ = place;
    error_ = error;
  }
  Result<void> Outcome() BERTH_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (!error_) return {};
    return *error_;
  }

 private:
  Mutex mutex_;
  size_t place_ BERTH_GUARDED_BY(mutex_) = std::numeric_limits<size_t>::max();
  std::optional<Error> error_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace

Status FilterNodes(const PlainQuestion& question, const framework::FilterPlugin& plugin, PlainVerdicts& scratch,
                   framework::Verdicts& verdicts) {
  framework::ListNodes(verdicts.passing(), scratch.nodes);
  scratch.verdicts.assign(scratch.nodes.size(), Status::Success());
  ForEach(scratch.nodes.size(), question.workers, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      scratch.verdicts[i] = plugin.Filter(question.state, question.pod, question.cluster.node(scratch.nodes[i]));
      // Nobody will ask what is said about the nodes behind this one.
      if (!scratch.verdicts[i].ok() && !scratch.verdicts[i].is_rejected()) return;
    }
  });
  for (size_t i = 0; i < scratch.nodes.size(); ++i) {
    const Status& status = scratch.verdicts[i];
    if (status.ok()) continue;
    if (!status.is_rejected()) return status;
    verdicts.Reject(scratch.nodes[i], verdicts.Intern(status));
  }
  return Status::Success();
}

Result<void> ScoreNodes(const PlainQuestion& question, const framework::ScorePlugin& plugin,
                        framework::ScoreColumn& scores) {
  const std::span<const NodeId> nodes = scores.feasible();
  const std::span<int64_t> values = scores.MutableValues();
  FirstError first_error;
  ForEach(nodes.size(), question.workers, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const Result<int64_t> score = plugin.Score(question.state, question.pod, question.cluster.node(nodes[i]));
      if (!score) {
        first_error.Note(i, score.error());
        return;
      }
      values[nodes[i]] = *score;
    }
  });
  return first_error.Outcome();
}

}  // namespace berth::runtime
