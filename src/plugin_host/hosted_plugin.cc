// SPDX-License-Identifier: Apache-2.0
#include "plugin_host/hosted_plugin.h"

#include "api/document.h"
#include "config/fields/field_errors.h"
#include "config/plugin_arguments.h"
#include "framework/pods_to_activate.h"
#include "plugin_host/hosted_filter.h"
#include "plugin_host/hosted_post_filter.h"
#include "remote/wire.h"

#include <algorithm>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::plugin_host {

using framework::ExtensionPoint;
using framework::PodInfo;
using framework::PodInfoPtr;
using framework::Status;

namespace wire = plugin::v1;

namespace {

Result<features::FeatureGates> GatesOf(const wire::Hello& hello) {
  std::map<std::string, bool> gates;
  for (const auto& [name, on] : hello.feature_gates()) {
    // Those that only the scheduler knows mean nothing here.
    if (features::FeatureGates().Enabled(name)) gates[name] = on;
  }
  return features::FeatureGates::FromMap(gates);
}

framework::PointSet PointsOf(const wire::Hello& hello) {
  framework::PointSet points;
  for (const ExtensionPoint point : framework::kExtensionPoints) {
    if (std::ranges::find(hello.points(), remote::ToWire(point)) != hello.points().end()) points.Add(point);
  }
  return points;
}

Result<framework::PluginArgsPtr> ArgsOf(const wire::Hello& hello, const HostedOptions& options,
                                        const features::FeatureGates& gates) {
  std::optional<api::Value> value;
  if (!hello.args().empty()) {
    BERTH_ASSIGN_OR_RETURN(std::vector<api::Document> documents, api::ReadDocuments(hello.args(), "config"));
    if (!documents.empty()) value = std::move(documents.front().root);
  }
  api::DecodeErrors errors;
  const bool is_given = value && !value->is_null();
  framework::PluginArgsPtr args =
      config::DecodeArgs(options.plugin, is_given ? &*value : nullptr, "", *options.registry, gates, errors);
  if (!errors.empty()) return InvalidError(errors.Text("config"));
  if (const auto* typed = dynamic_cast<const framework::TypedArgs*>(args.get())) {
    const config::Messages problems = typed->Validate("", gates);
    if (!problems.empty()) return InvalidError("config: " + config::Joined(problems));
  }
  return args;
}

wire::SortKey PrioritySortKey(const PodInfo& pod) {
  wire::SortKey key;
  key.add_parts()->set_number(-int64_t{pod->priority()});
  key.add_parts()->set_queued(true);
  return key;
}

}  // namespace

Result<std::unique_ptr<HostedPlugin>> HostedPlugin::Make(const wire::Hello& hello, const HostedOptions& options,
                                                         SchedulerEnd& scheduler) {
  if (hello.major() != remote::kMajor) {
    return InvalidError(fmt::format("the scheduler speaks version {}.{} of the contract, this plugin {}.{}",
                                    hello.major(), hello.minor(), remote::kMajor, remote::kMinor));
  }
  const framework::PluginEntry* entry = options.registry->Find(options.plugin);
  if (entry == nullptr) return NotFoundError(fmt::format("this program has no plugin \"{}\"", options.plugin));
  BERTH_ASSIGN_OR_RETURN(const features::FeatureGates gates, GatesOf(hello));
  BERTH_ASSIGN_OR_RETURN(const framework::PluginArgsPtr args, ArgsOf(hello, options, gates));
  std::unique_ptr<HostedPlugin> hosted(
      new HostedPlugin(options, {hello.plugin(), hello.profile(), PointsOf(hello), gates, options.log}, scheduler));
  BERTH_ASSIGN_OR_RETURN(hosted->instance_, entry->make(args.get(), hosted->handle_));
  hosted->entry_ = entry;
  if (hosted->instance_.enqueue_extensions != nullptr) {
    hosted->events_ = hosted->instance_.enqueue_extensions->EventsToRegister();
  }
  hosted->pre_filters_ = PointsOf(hello).Has(ExtensionPoint::PreFilter);
  return hosted;
}

wire::Welcome HostedPlugin::Welcome() const {
  wire::Welcome welcome;
  welcome.set_major(remote::kMajor);
  welcome.set_minor(remote::kMinor);
  welcome.set_name(options_.plugin);
  for (const ExtensionPoint point : framework::kExtensionPoints) {
    if (entry_->points.Has(point)) welcome.add_points(remote::ToWire(point));
  }
  welcome.set_normalizes(instance_.normalize_score != nullptr);
  for (const std::string& kind : entry_->kinds) welcome.add_kinds(kind);
  welcome.set_images(true);
  welcome.set_dependence(options_.dependence);
  welcome.set_default_events(instance_.enqueue_extensions == nullptr);
  for (const framework::ClusterEventWithHint& registered : events_) {
    wire::Registration& written = *welcome.add_events();
    written.set_resource(remote::ResourceOf(registered.event));
    written.set_actions(registered.event.actions);
    written.set_ask(registered.hint != nullptr);
    written.set_by_template(registered.by_template);
  }
  return welcome;
}

void HostedPlugin::Take(const wire::Objects& objects) {
  if (!broken_.empty()) return;
  const Result<void> taken = handle_.mirror().Take(objects);
  if (!taken) broken_ = taken.error().message;
}

void HostedPlugin::Take(const wire::Note& note) {
  switch (note.note_case()) {
    case wire::Note::kUnreserve: return Unreserve(note.unreserve());
    case wire::Note::kPostBind: return PostBind(note.post_bind());
    case wire::Note::kCycleEnded: return EndCycle(note.cycle_ended());
    case wire::Note::NOTE_NOT_SET: return;
  }
}

HostedCycle& HostedPlugin::CycleOf(const wire::Call& call) {
  std::shared_ptr<HostedCycle>& cycle = call.cycle() == 0 ? passing_cycle_ : cycles_[call.cycle()];
  if (cycle == nullptr || call.cycle() == 0) cycle = std::make_shared<HostedCycle>();
  return *cycle;
}

PodInfoPtr HostedPlugin::PodOf(uint64_t id) const { return const_cast<HostHandle&>(handle_).mirror().FindPod(id); }

void HostedPlugin::EndCycle(uint64_t number) {
  const auto it = cycles_.find(number);
  if (it == cycles_.end()) return;
  if (it->second->pod != nullptr) handle_.permits().Forget(framework::PodUid(*it->second->pod->pod));
  cycles_.erase(it);
}

std::string HostedPlugin::NodeName(uint32_t id) const {
  const cluster::ClusterState& cluster = const_cast<HostHandle&>(handle_).mirror().cluster();
  return id < cluster.node_slots() && cluster.live_nodes().Test(id) ? cluster.node(id).name() : std::string();
}

wire::Answer HostedPlugin::AnswerTo(const wire::Call& call) {
  wire::Answer answer;
  answer.set_id(call.id());
  handle_.told_clock().Set(call.now());
  if (broken_.empty()) {
    Dispatch(call, answer);
  } else {
    answer.set_error("what was told of the cluster makes no sense: " + broken_);
  }
  return answer;
}

void HostedPlugin::Dispatch(const wire::Call& call, wire::Answer& answer) {
  const Hosted hosted{instance_, handle_.mirror(), pre_filters_};
  // Steps of one pod.
  const auto with_pod = [&](uint64_t id, auto&& step) {
    const PodInfoPtr pod = PodOf(id);
    if (pod == nullptr) return answer.set_error(fmt::format("unknown pod {}", id));
    HostedCycle& cycle = CycleOf(call);
    cycle.pod = pod;
    step(cycle);
  };
  switch (call.step_case()) {
    case wire::Call::kPreEnqueue: return PreEnqueue(call.pre_enqueue(), answer);
    case wire::Call::kSortKey: return SortKeys(call.sort_key(), answer);
    case wire::Call::kHint: return Hint(call.hint(), answer);
    case wire::Call::kFilter:
      return with_pod(call.filter().pod(),
                      [&](HostedCycle& cycle) { AnswerFilter(hosted, call.filter(), cycle, answer); });
    case wire::Call::kJudge:
      return with_pod(call.judge().pod(),
                      [&](HostedCycle& cycle) { AnswerJudge(hosted, call.judge(), cycle, answer); });
    case wire::Call::kScore:
      return with_pod(call.score().pod(),
                      [&](HostedCycle& cycle) { AnswerScore(hosted, call.score(), cycle, answer); });
    case wire::Call::kPostFilter:
      return with_pod(call.post_filter().pod(),
                      [&](HostedCycle& cycle) { AnswerPostFilter(call, instance_, handle_, cycle, answer); });
    case wire::Call::kReserve:
    case wire::Call::kPermit:
    case wire::Call::kPreBindPreFlight: return AtNode(call, answer);
    case wire::Call::kPreBind:
    case wire::Call::kBind: return Bind(call, answer);
    case wire::Call::STEP_NOT_SET: return answer.set_error("this plugin does not know the step");
  }
}

void HostedPlugin::PreEnqueue(const wire::PreEnqueueCall& call, wire::Answer& answer) {
  if (instance_.pre_enqueue == nullptr) return answer.set_error("the plugin has no PreEnqueue");
  std::vector<std::string> preempting;
  for (const uint64_t id : call.preempting()) {
    if (const PodInfoPtr pod = PodOf(id)) preempting.emplace_back(framework::PodUid(*pod->pod));
  }
  handle_.evictions().SetPreempting(std::move(preempting));
  for (const uint64_t id : call.pods()) {
    const PodInfoPtr pod = PodOf(id);
    if (pod == nullptr) return answer.set_error(fmt::format("unknown pod {}", id));
    *answer.mutable_pre_enqueue()->add_statuses() = remote::ToWire(instance_.pre_enqueue->PreEnqueue(*pod->pod));
  }
}

void HostedPlugin::SortKeys(const wire::SortKeyCall& call, wire::Answer& answer) const {
  for (const uint64_t id : call.pods()) {
    const PodInfoPtr pod = PodOf(id);
    if (pod == nullptr) return answer.set_error(fmt::format("unknown pod {}", id));
    *answer.mutable_sort_key()->add_keys() = options_.sort_key ? options_.sort_key(*pod) : PrioritySortKey(*pod);
  }
}

void HostedPlugin::Hint(const wire::HintCall& call, wire::Answer& answer) const {
  if (call.registration() >= events_.size() || !events_[call.registration()].hint) {
    return answer.set_error(fmt::format("there is no registration {} that asks", call.registration()));
  }
  std::optional<api::Object> before;
  std::optional<api::Object> after;
  for (const auto& [given, object, read] :
       {std::tuple(call.has_before(), &call.before(), &before), std::tuple(call.has_after(), &call.after(), &after)}) {
    if (!given) continue;
    Result<api::Object> decoded = Mirror::Read(*object);
    if (!decoded) return answer.set_error(decoded.error().message);
    *read = *std::move(decoded);
  }
  for (const uint64_t id : call.pods()) {
    const PodInfoPtr pod = PodOf(id);
    if (pod == nullptr) return answer.set_error(fmt::format("unknown pod {}", id));
    const Result<framework::QueueingHint> hint =
        events_[call.registration()].hint(*pod, before ? &*before : nullptr, after ? &*after : nullptr);
    if (!hint) return answer.set_error(hint.error().message);
    answer.mutable_hint()->add_queue(*hint == framework::QueueingHint::Queue);
  }
}

void HostedPlugin::AtNode(const wire::Call& call, wire::Answer& answer) {
  const wire::NodeCall& at = call.has_reserve()  ? call.reserve()
                             : call.has_permit() ? call.permit()
                                                 : call.pre_bind_pre_flight();
  const PodInfoPtr pod = PodOf(at.pod());
  const std::string node = NodeName(at.node());
  if (pod == nullptr || node.empty()) return answer.set_error("unknown pod or node");
  HostedCycle& cycle = CycleOf(call);
  cycle.pod = pod;
  if (call.has_permit()) return Permit(call, node, answer);
  if (call.has_reserve()) {
    if (instance_.reserve == nullptr) return answer.set_error("the plugin has no Reserve");
    *answer.mutable_reserve() = remote::ToWire(instance_.reserve->Reserve(cycle.state, *pod, node));
    return;
  }
  if (instance_.pre_bind == nullptr) return answer.set_error("the plugin has no PreBind");
  const framework::PreFlightResult result = instance_.pre_bind->PreBindPreFlight(cycle.state, *pod, node);
  *answer.mutable_pre_bind_pre_flight()->mutable_status() = remote::ToWire(result.status);
  answer.mutable_pre_bind_pre_flight()->set_allow_parallel(result.allow_parallel);
}

void HostedPlugin::Permit(const wire::Call& call, std::string_view node, wire::Answer& answer) {
  if (instance_.permit == nullptr) return answer.set_error("the plugin has no Permit");
  HostedCycle& cycle = CycleOf(call);
  const framework::PermitResult result = instance_.permit->Permit(cycle.state, *cycle.pod, node);
  wire::PermitAnswer& permit = *answer.mutable_permit();
  *permit.mutable_status() = remote::ToWire(result.status);
  if (result.status.code() != framework::Code::Wait) return;
  permit.set_timeout_millis(
      static_cast<uint64_t>(std::chrono::ceil<std::chrono::milliseconds>(result.timeout).count()));
  handle_.permits().Add(cycle.pod, call.permit().pod(), call.cycle(), result.timeout);
}

void HostedPlugin::Bind(const wire::Call& call, wire::Answer& answer) {
  const bool is_bind = call.has_bind();
  const wire::BindingCall& binding = is_bind ? call.bind() : call.pre_bind();
  if (is_bind ? instance_.bind == nullptr : instance_.pre_bind == nullptr) {
    return answer.set_error("the plugin has no such step");
  }
  const PodInfoPtr pod = PodOf(binding.pod());
  const std::string node = NodeName(binding.node());
  if (pod == nullptr || node.empty()) return answer.set_error("unknown pod or node");
  HostedCycle& cycle = CycleOf(call);
  cycle.pod = pod;
  std::unique_ptr<HostedBinding>& run = is_bind ? cycle.bind : cycle.pre_bind;
  if (run == nullptr || binding.reason() == wire::BindingCall::START) {
    run = std::make_unique<HostedBinding>(handle_.clock(), scheduler_);
  }
  const HostedBinding::Step step = [&](const framework::Wake& wake, framework::BindWork& work) {
    return is_bind ? instance_.bind->Bind(cycle.state, *pod, node, wake, work)
                   : instance_.pre_bind->PreBind(cycle.state, *pod, node, wake, work);
  };
  *(is_bind ? answer.mutable_bind() : answer.mutable_pre_bind()) = run->Call(call.id(), binding, step);
}

void HostedPlugin::Unreserve(const wire::Unreserve& note) {
  const PodInfoPtr pod = PodOf(note.pod());
  if (pod == nullptr) return;
  handle_.permits().Forget(framework::PodUid(*pod->pod));
  const auto it = cycles_.find(note.cycle());
  if (it != cycles_.end()) {
    it->second->pre_bind.reset();
    it->second->bind.reset();
  }
  if (instance_.reserve == nullptr) return;
  HostedCycle none;
  instance_.reserve->Unreserve(it == cycles_.end() ? none.state : it->second->state, *pod, NodeName(note.node()));
}

// On a thread of its own, where it may block.
void HostedPlugin::PostBind(const wire::PostBind& note) {
  const PodInfoPtr pod = PodOf(note.pod());
  if (pod == nullptr || instance_.post_bind == nullptr) return;
  const auto it = cycles_.find(note.cycle());
  std::shared_ptr<HostedCycle> cycle = it == cycles_.end() ? std::make_shared<HostedCycle>() : it->second;
  side_work_.Add([plugin = instance_.post_bind, cycle = std::move(cycle), pod, node = note.node()] {
    plugin->PostBind(cycle->state, *pod, node);
  });
}

}  // namespace berth::plugin_host
