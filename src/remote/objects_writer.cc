// SPDX-License-Identifier: Apache-2.0
#include "remote/objects_writer.h"

#include "remote/wire.h"

#include <utility>

namespace berth::remote {
namespace {

constexpr size_t kEnough = size_t{256} * 1024;
constexpr size_t kOverhead = 64;  // of a change without documents, roughly

}  // namespace

std::string ObjectsWriter::DocumentOf(const api::Object& object) const {
  return remote::DocumentOf(object, whole_objects_);
}

plugin::v1::Objects& ObjectsWriter::Open() {
  if (messages_.empty() || bytes_ >= kEnough || messages_.back().objects().cycles() != cycles_) {
    plugin::v1::Objects& objects = *messages_.emplace_back().mutable_objects();
    objects.set_revision(++revision_);
    objects.set_cycles(cycles_);
    bytes_ = 0;
  }
  return *messages_.back().mutable_objects();
}

plugin::v1::Change& ObjectsWriter::Add(size_t bytes) {
  plugin::v1::Objects& objects = Open();
  bytes_ += bytes + kOverhead;
  return *objects.add_changes();
}

std::vector<plugin::v1::SchedulerMessage> ObjectsWriter::Take() { return std::exchange(messages_, {}); }

}  // namespace berth::remote
