// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "home/command.h"
#include "store/store.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace berth::home {

// Carries out commands on a store, as they come; bindings that came together share transactions, and so do events.
// Calls of the store may block. One thread.
class StoreCommands {
 public:
  // `host` is named in events. Everything lent outlives this.
  StoreCommands(store::Store& store, const Clock& clock, std::string host, size_t max_batch)
      : store_(store), clock_(clock), host_(std::move(host)), max_batch_(max_batch) {}

  // One try each; appends a completion for every command.
  void Carry(std::vector<Submission>& commands, std::vector<Completion>& completions);

 private:
  using Batch = std::vector<const Submission*>;

  void CarryBindings(const Batch& batch, std::vector<Completion>& completions);
  void WriteBindings(std::span<const Submission* const> portion, std::vector<Completion>& completions);
  void CarryEvents(const Batch& batch, std::vector<Completion>& completions);
  void WriteEvents(std::span<const Submission* const> portion, std::vector<Completion>& completions);
  Completion CarryOne(const Submission& submission);
  Completion Patch(const Submission& submission, const PatchPodStatus& patch);
  Completion Evict(const Submission& submission, const EvictPod& eviction);
  Completion PatchAny(const Submission& submission, const PatchObject& patch);
  Completion LookUp(const Submission& submission, const LookUpPod& question);
  // Replaces the object's document if it still is the one that was read. None: somebody else was quicker.
  Result<std::optional<store::Revision>> Replace(const store::Record& record, std::string document,
                                                 const Submission& submission);
  // Whether the lease under which the command was decided is still surely held.
  bool MayWrite(const Submission& submission) const;

  store::Store& store_;
  const Clock& clock_;
  const std::string host_;
  const size_t max_batch_;
  uint64_t event_sequence_ = 0;
};

}  // namespace berth::home
