// SPDX-License-Identifier: Apache-2.0
#include "home/store_commands.h"

#include "home/object_documents.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace berth::home {

namespace {

constexpr size_t kEventsPerTransaction = 128;
constexpr int kReplaceTries = 4;

store::Key KeyOf(const api::Pod& pod) { return {"Pod", pod.meta.namespace_, pod.meta.name}; }

Completion Answered(const Submission& submission, Outcome outcome, std::string error = {}, std::string answer = {}) {
  return {submission.ticket, outcome, std::move(answer), std::move(error), {}};
}

Outcome OutcomeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::Unavailable: return Outcome::NotDone;
    case ErrorCode::Unknown:
    case ErrorCode::Timeout: return Outcome::Unknown;
    case ErrorCode::Fenced: return Outcome::Fenced;
    case ErrorCode::NotFound: return Outcome::Gone;
    default: return Outcome::Refused;
  }
}

Completion Failed(const Submission& submission, const Error& error) {
  return Answered(submission, OutcomeOf(error.code), error.message);
}

Completion NotFound(const Submission& submission, const store::Key& key) {
  return Answered(submission, Outcome::Gone, fmt::format("{} not found", store::ToText(key)));
}

Completion TooLate(const Submission& submission) {
  return Answered(submission, Outcome::Fenced, "the lease is not surely held any more");
}

std::optional<store::Fence> FenceOf(const Submission& submission) {
  if (submission.terms == nullptr) return std::nullopt;
  return submission.terms->fence;
}

Completion BindingAnswered(const Submission& submission, store::BindResult result) {
  const store::Key pod = KeyOf(*std::get<BindPod>(submission.command).pod);
  switch (result) {
    case store::BindResult::Bound: return Answered(submission, Outcome::Done);
    case store::BindResult::Conflict:
      return Answered(
          submission, Outcome::Conflict,
          fmt::format("binding rejected: {} is already assigned to a node or has changed", store::ToText(pod)));
    case store::BindResult::Gone: break;
  }
  return Answered(submission, Outcome::Gone, fmt::format("binding rejected: {} not found", store::ToText(pod)));
}

}  // namespace

bool StoreCommands::MayWrite(const Submission& submission) const {
  return submission.terms == nullptr || submission.terms->hold(clock_.Steady());
}

void StoreCommands::Carry(std::vector<Submission>& commands, std::vector<Completion>& completions) {
  Batch bindings;
  Batch events;
  for (const Submission& submission : commands) {
    if (std::holds_alternative<BindPod>(submission.command)) bindings.push_back(&submission);
    if (std::holds_alternative<EventNote>(submission.command)) events.push_back(&submission);
  }
  CarryBindings(bindings, completions);
  for (const Submission& submission : commands) {
    const bool is_single =
        !std::holds_alternative<BindPod>(submission.command) && !std::holds_alternative<EventNote>(submission.command);
    if (is_single) completions.push_back(CarryOne(submission));
  }
  CarryEvents(events, completions);
  commands.clear();
}

Completion StoreCommands::CarryOne(const Submission& submission) {
  if (const auto* question = std::get_if<LookUpPod>(&submission.command)) return LookUp(submission, *question);
  if (!MayWrite(submission)) return TooLate(submission);
  if (const auto* patch = std::get_if<PatchPodStatus>(&submission.command)) return Patch(submission, *patch);
  if (const auto* eviction = std::get_if<EvictPod>(&submission.command)) return Evict(submission, *eviction);
  return PatchAny(submission, std::get<PatchObject>(submission.command));
}

void StoreCommands::CarryBindings(const Batch& batch, std::vector<Completion>& completions) {
  const std::span<const Submission* const> all(batch);
  for (size_t begin = 0; begin < all.size();) {
    // One transaction has one fence.
    size_t end = begin + 1;
    while (end < all.size() && end - begin < max_batch_ && all[end]->terms == all[begin]->terms) ++end;
    WriteBindings(all.subspan(begin, end - begin), completions);
    begin = end;
  }
}

void StoreCommands::WriteBindings(std::span<const Submission* const> portion, std::vector<Completion>& completions) {
  if (!MayWrite(*portion.front())) {
    for (const Submission* submission : portion) completions.push_back(TooLate(*submission));
    return;
  }
  std::vector<store::Binding> bindings;
  bindings.reserve(portion.size());
  for (const Submission* submission : portion) {
    const auto& bind = std::get<BindPod>(submission->command);
    bindings.push_back({KeyOf(*bind.pod), bind.pod->meta.uid, bind.node->meta.name, 0, 0});
  }
  const Result<store::BindReply> reply = store_.Bind(bindings, FenceOf(*portion.front()));
  for (size_t i = 0; i < portion.size(); ++i) {
    completions.push_back(reply ? BindingAnswered(*portion[i], reply->items[i]) : Failed(*portion[i], reply.error()));
  }
}

Result<std::optional<store::Revision>> StoreCommands::Replace(const store::Record& record, std::string document,
                                                              const Submission& submission) {
  store::Transaction transaction;
  transaction.preconditions.push_back({record.key, store::Precondition::Test::ModifiedAt, record.modified, {}});
  transaction.operations.push_back(
      {store::Operation::Type::Update, record.key, record.uid, std::move(document), record.fields});
  transaction.fence = FenceOf(submission);
  BERTH_ASSIGN_OR_RETURN(const store::CommitOutcome outcome, store_.Commit(std::move(transaction)));
  if (!outcome.committed) return std::optional<store::Revision>();
  return std::optional<store::Revision>(outcome.revision);
}

Completion StoreCommands::Patch(const Submission& submission, const PatchPodStatus& patch) {
  const store::Key key = KeyOf(*patch.pod);
  for (int i = 0; i < kReplaceTries; ++i) {
    const Result<store::RecordPtr> found = store_.Get(key);
    if (!found) return Failed(submission, found.error());
    const store::Record& record = **found;
    if (record.uid != patch.pod->meta.uid) return NotFound(submission, key);
    Result<std::optional<std::string>> document =
        ApplyStatusPatch(*record.value, store::ToText(key), patch, clock_.Now());
    if (!document) return Failed(submission, document.error());
    if (!*document) return Answered(submission, Outcome::Done, {}, std::to_string(record.modified));
    const Result<std::optional<store::Revision>> written = Replace(record, **std::move(document), submission);
    if (!written) return Failed(submission, written.error());
    if (*written) return Answered(submission, Outcome::Done, {}, std::to_string(**written));
  }
  return Answered(submission, Outcome::NotDone, fmt::format("{} keeps changing", store::ToText(key)));
}

Completion StoreCommands::Evict(const Submission& submission, const EvictPod& eviction) {
  Completion marked = Patch(submission, {eviction.pod, eviction.condition, {}});
  if (marked.outcome != Outcome::Done) return marked;
  const store::Key key = KeyOf(*eviction.pod);
  store::Transaction transaction;
  transaction.preconditions.push_back({key, store::Precondition::Test::UidIs, 0, eviction.pod->meta.uid});
  transaction.operations.push_back({store::Operation::Type::Delete, key, {}, {}, {}});
  transaction.fence = FenceOf(submission);
  const Result<store::CommitOutcome> outcome = store_.Commit(std::move(transaction));
  if (!outcome) return Failed(submission, outcome.error());
  return outcome->committed ? Answered(submission, Outcome::Done) : NotFound(submission, key);
}

Completion StoreCommands::PatchAny(const Submission& submission, const PatchObject& patch) {
  for (int i = 0; i < kReplaceTries; ++i) {
    const Result<store::RecordPtr> found = store_.Get(patch.object);
    if (!found) return Failed(submission, found.error());
    const store::Record& record = **found;
    if (!patch.uid.empty() && record.uid != patch.uid) return NotFound(submission, patch.object);
    if (!patch.resource_version.empty() && patch.resource_version != std::to_string(record.modified)) {
      return Answered(
          submission, Outcome::Conflict,
          fmt::format("{} has been changed since version {}", store::ToText(patch.object), patch.resource_version));
    }
    Result<std::string> document = ApplyMergePatch(*record.value, store::ToText(patch.object), patch.merge_patch);
    if (!document) return Failed(submission, document.error());
    const Result<std::optional<store::Revision>> written = Replace(record, *std::move(document), submission);
    if (!written) return Failed(submission, written.error());
    if (*written) return Answered(submission, Outcome::Done, {}, std::to_string(**written));
  }
  return Answered(submission, Outcome::NotDone, fmt::format("{} keeps changing", store::ToText(patch.object)));
}

Completion StoreCommands::LookUp(const Submission& submission, const LookUpPod& question) {
  const store::Key key = KeyOf(*question.pod);
  const Result<store::RecordPtr> found = store_.Get(key);
  if (!found) {
    Completion failed = Failed(submission, found.error());
    // A look-up changes nothing, so it can be repeated even if its outcome is unknown.
    if (failed.outcome == Outcome::Unknown) failed.outcome = Outcome::NotDone;
    return failed;
  }
  if ((*found)->uid != question.pod->meta.uid) return NotFound(submission, key);
  return Answered(submission, Outcome::Done, {}, (*found)->fields.node_name);
}

void StoreCommands::CarryEvents(const Batch& batch, std::vector<Completion>& completions) {
  const std::span<const Submission* const> all(batch);
  for (size_t begin = 0; begin < all.size(); begin += kEventsPerTransaction) {
    WriteEvents(all.subspan(begin, std::min(kEventsPerTransaction, all.size() - begin)), completions);
  }
}

void StoreCommands::WriteEvents(std::span<const Submission* const> portion, std::vector<Completion>& completions) {
  store::Transaction transaction;
  for (const Submission* submission : portion) {
    const auto& note = std::get<EventNote>(submission->command);
    const std::string& ns = note.about->meta.namespace_;
    // As upstream names them: the object's name and a number no other event of this scheduler has.
    const std::string name =
        fmt::format("{}.{:x}.{:x}", note.about->meta.name, note.time.time_since_epoch().count(), ++event_sequence_);
    store::Operation create;
    create.type = store::Operation::Type::Create;
    create.key = {"Event", ns.empty() ? "default" : ns, name};
    create.uid = create.key.namespace_ + "/" + name;
    create.value = EventDocument(note, name, host_);
    transaction.operations.push_back(std::move(create));
  }
  const Result<store::CommitOutcome> outcome = store_.Commit(std::move(transaction));
  for (size_t i = 0; i < portion.size(); ++i) {
    if (!outcome) {
      completions.push_back(Failed(*portion[i], outcome.error()));
    } else if (outcome->committed || i == outcome->index) {
      // An event of that name exists already: an earlier try wrote it.
      completions.push_back(Answered(*portion[i], Outcome::Done));
    } else {
      completions.push_back(Answered(*portion[i], Outcome::NotDone, "another event of the same transaction existed"));
    }
  }
}

}  // namespace berth::home
