// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "cmd/kube_entry.h"
#include "cmd/live_answers.h"
#include "metrics/exposition_filter.h"
#include "scheduler/scheduler.h"
#include "serve/server.h"

#include <functional>
#include <memory>
#include <vector>

namespace berth::cmd {

// What the served pages are about. Everything outlives the server.
struct ServedParts {
  scheduler::Scheduler* scheduler = nullptr;
  LiveAnswers* answers = nullptr;
  serve::SideThread* side = nullptr;          // where the answers are given
  std::vector<serve::MetricsSource> metrics;  // beside the scheduler's own
  metrics::ExpositionFilter filter;           // of all of them
  std::function<bool()> stopping;
};

// The server that the flags ask for, not started; null when they ask for none. Beside kube-scheduler's pages it answers
// what `berth queue` and `berth explain --scheduler` ask.
Result<std::unique_ptr<serve::Server>> MakeKubeServer(const KubeStart& start, const ServedParts& parts,
                                                      kube::ApiObserver* observer);

}  // namespace berth::cmd
