// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "framework/extension_point.h"
#include "framework/handle.h"
#include "remote/open_calls.h"
#include "remote/remote_cycle.h"
#include "remote/remote_plugin_args.h"
#include "remote/told_cluster.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace berth::remote {

// What all steps of one remote plugin share: its session, and what it has been told. Engine thread, except where
// something else is said.
class PluginCalls {
 public:
  struct Options {
    std::string name;
    const RemotePluginArgs& args;
    framework::PointSet points;  // at which it is enabled
    std::string config;          // JSON: the plugin's own arguments
    DeliverPermit deliver_permit;
    std::function<void()> may_call;  // see OpenCalls::Options
  };
  // A call that is being written, on the cluster as it is told with it.
  class Draft {
   public:
    wire::Call call;

   private:
    friend class PluginCalls;
    uint64_t session_ = 0;
  };

  PluginCalls(const Options& options, framework::Handle& handle, std::unique_ptr<Dialer> dialer);
  // Connects; says whether the plugin was there in time.
  bool Start() { return calls_->Start(start_timeout_); }

  // Ends the session; nothing that was lent is used any more afterwards.
  void Stop() { calls_->Stop(); }

  const std::string& name() const { return name_; }
  framework::Handle& handle() const { return handle_; }
  FailurePolicy policy() const { return policy_; }
  // Null when none is open. Any thread.
  std::shared_ptr<const OpenCalls::Session> OpenSession() const { return calls_->OpenSession(); }
  // What the plugin said of itself when it last greeted; null when it never did. Any thread.
  std::shared_ptr<const OpenCalls::Session> LastKnown() const { return calls_->LastKnown(); }

  // What is remembered of the cycle; begins one if there is none yet.
  RemoteCycle& CycleOf(framework::CycleState& state);
  // Null when none has begun.
  const RemoteCycle* FindCycle(const framework::CycleState& state) const;
  // Not to be kept for as long as the pod is being bound.
  void EndCyclesWithDecision() { keeps_cycles_ = false; }

  // Begins a call, or says why none can be made.
  Result<Draft> Begin(uint64_t cycle) BERTH_EXCLUDES(told_mutex_);
  // The pod's number, by which the plugin will know it.
  uint64_t IdOf(const framework::PodInfo& pod) BERTH_EXCLUDES(told_mutex_);
  // The same for one that is lent for this call.
  uint64_t IdOf(const api::Pod& pod) BERTH_EXCLUDES(told_mutex_);
  // The pod that was told under that number; null when there is none. Any thread.
  api::PodPtr FindPod(uint64_t id) BERTH_EXCLUDES(told_mutex_);
  // The same with what else is known of it.
  std::optional<ToldPods::Pod> FindTold(uint64_t id) BERTH_EXCLUDES(told_mutex_);
  // As the plugin has them.
  std::vector<framework::PodInfoPtr> ToldPodsOn(framework::NodeId node) BERTH_EXCLUDES(told_mutex_);

  using Problem = std::function<std::string(const wire::Answer& answer)>;
  using Serve = std::function<wire::Judged(const wire::Judge& judge)>;
  // Makes the call; see OpenCalls::Question.
  Result<wire::Answer> Ask(std::string_view step, const Draft& draft, const Problem& problem, const Serve& serve = {})
      BERTH_EXCLUDES(told_mutex_);
  void AskLater(std::string_view step, Draft draft, Problem problem, OpenCalls::TakeAnswer take)
      BERTH_EXCLUDES(told_mutex_);
  std::shared_ptr<void> AwaitWake(uint64_t call, OpenCalls::TakeAnswer take) {
    return calls_->AwaitWake(call, std::move(take));
  }
  // Tells something about the pod that needs no answer; says whether there is a session. Any thread.
  using WriteNote = std::function<void(uint64_t pod, wire::Note& note)>;
  bool Tell(const framework::PodInfo& pod, const WriteNote& write) BERTH_EXCLUDES(told_mutex_);

 private:
  void StartSession(const OpenCalls::Session& session) BERTH_REQUIRES(told_mutex_);
  void SendTold(uint64_t session) BERTH_REQUIRES(told_mutex_);
  void Hear(const PluginMessage& message) BERTH_EXCLUDES(told_mutex_);

  const std::string name_;
  const std::string state_key_;
  framework::Handle& handle_;
  const FailurePolicy policy_;
  const Duration timeout_;
  const Duration start_timeout_;
  const bool whole_objects_;
  bool keeps_cycles_ = true;

  Mutex told_mutex_;
  uint64_t told_session_ BERTH_GUARDED_BY(told_mutex_) = 0;
  std::optional<ToldCluster> told_ BERTH_GUARDED_BY(told_mutex_);
  ObjectsWriter writer_ BERTH_GUARDED_BY(told_mutex_);

  const std::shared_ptr<OpenCalls> calls_;
};

}  // namespace berth::remote
