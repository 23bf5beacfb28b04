// SPDX-License-Identifier: Apache-2.0
#include "remote/plugin_calls.h"

#include <chrono>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace berth::remote {

using framework::CycleState;
using framework::PodInfo;

namespace {

wire::Hello HelloFor(const PluginCalls::Options& options, framework::Handle& handle) {
  wire::Hello hello;
  hello.set_major(kMajor);
  hello.set_minor(kMinor);
  hello.set_scheduler("berth " BERTH_VERSION);
  hello.set_plugin(options.name);
  hello.set_profile(std::string(handle.profile_name()));
  hello.set_args(options.config);
  for (const framework::ExtensionPoint point : framework::kExtensionPoints) {
    if (options.points.Has(point)) hello.add_points(ToWire(point));
  }
  for (const features::GateState& gate : handle.features().All()) {
    (*hello.mutable_feature_gates())[std::string(gate.name)] = gate.on;
  }
  return hello;
}

OpenCalls::Options CallOptions(const PluginCalls::Options& options, framework::Handle& handle,
                               std::function<void(const PluginMessage&)> hear) {
  return {.plugin = options.name,
          .profile = std::string(handle.profile_name()),
          .hello = HelloFor(options, handle),
          .patience = options.args.start_timeout,
          .most_in_flight = static_cast<size_t>(options.args.max_in_flight),
          .log = handle.log().Named(options.name),
          .metrics = &handle.metrics(),
          .deliver_permit = options.deliver_permit,
          .hear = std::move(hear),
          .may_call = options.may_call};
}

}  // namespace

PluginCalls::PluginCalls(const Options& options, framework::Handle& handle, std::unique_ptr<Dialer> dialer)
    : name_(options.name),
      state_key_("remote/" + options.name),
      handle_(handle),
      policy_(options.args.failure_policy),
      timeout_(options.args.timeout),
      start_timeout_(options.args.start_timeout),
      whole_objects_(options.args.whole_objects),
      calls_(std::make_shared<OpenCalls>(
          CallOptions(options, handle, [this](const PluginMessage& message) { Hear(message); }), std::move(dialer))) {}

RemoteCycle& PluginCalls::CycleOf(CycleState& state) {
  const framework::StateKey<RemoteCycle> key{state_key_};
  RemoteCycle* cycle = state.Mutable(key);
  if (cycle == nullptr) cycle = &state.Write(key);
  if (cycle->cycle == nullptr) cycle->cycle = calls_->cycles().Begin();
  cycle->is_kept_after_decision = keeps_cycles_;
  return *cycle;
}

const RemoteCycle* PluginCalls::FindCycle(const CycleState& state) const {
  return state.Read(framework::StateKey<RemoteCycle>{state_key_});
}

Result<PluginCalls::Draft> PluginCalls::Begin(uint64_t cycle) {
  BERTH_ASSIGN_OR_RETURN(const std::shared_ptr<const OpenCalls::Session> session, calls_->Ready());
  Draft draft;
  draft.session_ = session->number;
  draft.call.set_id(calls_->NewId());
  draft.call.set_cycle(cycle);
  draft.call.set_now(handle_.clock().Now().time_since_epoch().count());
  draft.call.set_timeout_micros(
      static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(timeout_).count()));
  const MutexLock lock(told_mutex_);
  if (told_session_ != session->number) StartSession(*session);
  told_->Sync(handle_, writer_);
  return draft;
}

// A plugin that has just come knows nothing.
void PluginCalls::StartSession(const OpenCalls::Session& session) {
  told_session_ = session.number;
  told_.emplace(session.welcome);
  writer_ = ObjectsWriter(whole_objects_);
}

uint64_t PluginCalls::IdOf(const PodInfo& pod) {
  const MutexLock lock(told_mutex_);
  return told_->pods().Mention(pod, writer_);
}

uint64_t PluginCalls::IdOf(const api::Pod& pod) {
  const MutexLock lock(told_mutex_);
  return told_->pods().Mention(pod, writer_);
}

api::PodPtr PluginCalls::FindPod(uint64_t id) {
  const std::optional<ToldPods::Pod> pod = FindTold(id);
  return pod ? pod->object : nullptr;
}

std::optional<ToldPods::Pod> PluginCalls::FindTold(uint64_t id) {
  const MutexLock lock(told_mutex_);
  const ToldPods::Pod* pod = told_ ? told_->pods().Find(id) : nullptr;
  return pod == nullptr ? std::nullopt : std::optional(*pod);
}

std::vector<framework::PodInfoPtr> PluginCalls::ToldPodsOn(framework::NodeId node) {
  const MutexLock lock(told_mutex_);
  return told_->nodes().pods_on(node);
}

void PluginCalls::SendTold(uint64_t session) {
  if (!writer_.empty()) calls_->Send(session, writer_.Take());
}

Result<wire::Answer> PluginCalls::Ask(std::string_view step, const Draft& draft, const Problem& problem,
                                      const Serve& serve) {
  {
    const MutexLock lock(told_mutex_);
    SendTold(draft.session_);
  }
  return calls_->Ask({draft.session_, step, draft.call, timeout_, problem, serve});
}

void PluginCalls::AskLater(std::string_view step, Draft draft, Problem problem, OpenCalls::TakeAnswer take) {
  {
    const MutexLock lock(told_mutex_);
    SendTold(draft.session_);
  }
  calls_->AskLater({draft.session_, step, std::move(draft.call), timeout_, std::move(problem)}, std::move(take));
}

bool PluginCalls::Tell(const PodInfo& pod, const WriteNote& write) {
  const std::shared_ptr<const OpenCalls::Session> session = calls_->OpenSession();
  if (session == nullptr) return false;
  SchedulerMessage message;
  const MutexLock lock(told_mutex_);
  if (told_session_ != session->number) StartSession(*session);
  write(told_->pods().Mention(pod, writer_), *message.mutable_note());
  SendTold(session->number);
  calls_->Send(session->number, message);
  return true;
}

void PluginCalls::Hear(const PluginMessage& message) {
  if (message.has_activate()) {
    std::vector<std::string> uids;
    for (const uint64_t id : message.activate().pods()) {
      if (const api::PodPtr pod = FindPod(id)) uids.push_back(pod->meta.uid);
    }
    return handle_.activator().Activate(std::move(uids));
  }
  const wire::Event& event = message.event();
  const api::PodPtr pod = FindPod(event.pod());
  if (pod == nullptr) return;
  const bool is_warning = event.type() == "Warning";
  handle_.events().Record(pod, nullptr,
                          {is_warning ? "Warning" : "Normal", event.reason(), event.action(), event.note()});
}

}  // namespace berth::remote
