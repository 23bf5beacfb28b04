// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"

#include <berth/plugin/v1/plugin.pb.h>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace berth::remote {

// Collects changes of the cluster into Objects messages of a bearable size, in order.
class ObjectsWriter {
 public:
  // Whether documents have all that the objects' home has.
  explicit ObjectsWriter(bool whole_objects = false) : whole_objects_(whole_objects) {}

  bool whole_objects() const { return whole_objects_; }
  std::string DocumentOf(const api::Object& object) const;
  // What follows happened when so many cycles had begun; never less than before.
  void SetCycles(uint64_t cycles) { cycles_ = cycles; }
  // A change to be filled in, whose documents have about so many bytes.
  plugin::v1::Change& Add(size_t bytes = 0);
  // Marks that all there is has been told.
  void Complete() { Open().set_complete(true); }
  bool empty() const { return messages_.empty(); }
  // What was collected; empty afterwards.
  std::vector<plugin::v1::SchedulerMessage> Take();

 private:
  plugin::v1::Objects& Open();

  bool whole_objects_;
  std::vector<plugin::v1::SchedulerMessage> messages_;
  uint64_t cycles_ = 0;
  uint64_t revision_ = 0;
  size_t bytes_ = 0;  // of the last message
};

}  // namespace berth::remote
