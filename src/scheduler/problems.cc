// SPDX-License-Identifier: Apache-2.0
#include "scheduler/problems.h"

#include "metrics/scheduler_metrics.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace berth::scheduler {
namespace {

constexpr std::array<std::string_view, kProblemKinds> kProblemNames = {
    "unreadable_object", "feed_interrupted", "command_refused", "command_given_up", "event_dropped", "lease"};

std::string KeyFor(ProblemKind kind, std::string_view key) { return fmt::format("{}/{}", NameOf(kind), key); }

// What a command does, and to what.
struct CommandText {
  std::string_view verb;
  std::string object;
  std::string_view name;  // of the object
};

CommandText TextOf(const home::Command& command) {
  const auto pod = [](std::string_view verb, const api::PodPtr& of) {
    return CommandText{verb, "Pod " + of->meta.Key(), of->meta.name};
  };
  if (const auto* bind = std::get_if<home::BindPod>(&command)) return pod("bind", bind->pod);
  if (const auto* patch = std::get_if<home::PatchPodStatus>(&command)) return pod("patch the status of", patch->pod);
  if (const auto* evict = std::get_if<home::EvictPod>(&command)) return pod("evict", evict->pod);
  if (const auto* note = std::get_if<home::EventNote>(&command)) return pod("write an event about", note->about);
  if (const auto* look_up = std::get_if<home::LookUpPod>(&command)) return pod("look up", look_up->pod);
  const store::Key& key = std::get<home::PatchObject>(command).object;
  return {"patch", store::ToText(key), key.name};
}

bool IsPartOfName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

// Where the name that begins there ends. An event's name is that of its object with a dot and a number in hexadecimal.
size_t EndOfName(const std::string& error, size_t end) {
  constexpr size_t kDigits = 16;
  if (error.compare(end, 1, ".") != 0) return end;
  const size_t after = std::min(error.find_first_not_of("0123456789abcdef", end + 1), error.size());
  return after - end - 1 == kDigits ? after : end;
}

// The error without the object's name, so that a right that is missing for all objects of a kind is one problem.
std::string WithoutName(std::string error, std::string_view name) {
  if (name.empty()) return error;
  for (size_t at = error.find(name); at != std::string::npos; at = error.find(name, at + 1)) {
    const size_t end = EndOfName(error, at + name.size());
    const bool is_whole =
        (at == 0 || !IsPartOfName(error[at - 1])) && (end == error.size() || !IsPartOfName(error[end]));
    if (is_whole) error.replace(at, end - at, "*");
  }
  return error;
}

// Nothing can be created in a namespace that goes, and nobody misses it.
bool IsOfGoingNamespace(const Commands::Ending& ending) {
  return std::holds_alternative<home::EventNote>(ending.command) &&
         ending.error.find("because it is being terminated") != std::string::npos;
}

}  // namespace

std::string_view NameOf(ProblemKind kind) { return kProblemNames.at(static_cast<size_t>(kind)); }

Problems::Problems(log::Logger log, metrics::SchedulerMetrics* metrics) : log_(std::move(log)), metrics_(metrics) {}

void Problems::Report(ProblemKind kind, std::string_view key, std::string_view message, log::Fields fields) {
  ++counts_[static_cast<size_t>(kind)];
  if (metrics_ != nullptr) metrics_->Problem(NameOf(kind));
  problems_.Report(log_, KeyFor(kind, key), message, fields);
}

bool Problems::Solved(ProblemKind kind, std::string_view key) { return problems_.Forget(KeyFor(kind, key)); }

void Problems::Take(const home::FeedProblem& problem) {
  using Kind = home::FeedProblem::Kind;
  switch (problem.kind) {
    case Kind::Unreadable:
      Report(ProblemKind::UnreadableObject, problem.object, "Object cannot be read",
             {{"object", problem.object}, {"err", problem.error}});
      break;
    case Kind::Readable: Solved(ProblemKind::UnreadableObject, problem.object); break;
    case Kind::Interrupted:
      Report(ProblemKind::FeedInterrupted, problem.object, "Feed was interrupted",
             {{"feed", problem.object}, {"err", problem.error}});
      break;
    case Kind::Recovered:
      if (Solved(ProblemKind::FeedInterrupted, problem.object)) {
        log_.Info("Feed works again", {{"feed", problem.object}});
      }
      break;
  }
}

void Problems::Take(const Commands::Ending& ending) {
  using home::Outcome;
  const bool refused = ending.outcome == Outcome::Refused;
  // An unknown binding is looked up instead.
  const bool given_up = ending.outcome == Outcome::NotDone ||
                        (ending.outcome == Outcome::Unknown && !std::holds_alternative<home::BindPod>(ending.command));
  if ((!refused && !given_up) || IsOfGoingNamespace(ending)) return;
  const CommandText text = TextOf(ending.command);
  const std::string key = fmt::format("{} {}", text.verb, WithoutName(ending.error, text.name));
  Report(refused ? ProblemKind::CommandRefused : ProblemKind::CommandGivenUp, key,
         refused ? "Command was refused" : "Command was given up",
         {{"command", text.verb}, {"object", text.object}, {"err", ending.error}});
}

std::vector<KnownProblem> Problems::Known() const {
  std::vector<KnownProblem> known;
  for (log::RepeatedProblems::Problem& problem : problems_.Known()) {
    const std::string_view name = std::string_view(problem.key).substr(0, problem.key.find('/'));
    size_t kind = 0;
    while (kProblemNames.at(kind) != name) ++kind;
    known.push_back({static_cast<ProblemKind>(kind), std::move(problem.text), problem.count});
  }
  return known;
}

}  // namespace berth::scheduler
