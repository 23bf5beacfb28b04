// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "framework/lister.h"
#include "remote/objects_writer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace berth::remote {

// The objects other than nodes and pods that a plugin has been told of. One thread.
class ToldObjects {
 public:
  // The kinds that the plugin wants to hear of. Nodes and pods among them are told elsewhere.
  void SetKinds(const std::vector<std::string>& kinds);
  // Tells what has changed since the last time.
  void Sync(const framework::Lister& lister, ObjectsWriter& out);

 private:
  struct Kind {
    std::string name;
    uint64_t version = 0;
    bool is_told = false;
    std::vector<api::Object> objects;  // by namespace and name
  };

  std::vector<Kind> kinds_;
};

}  // namespace berth::remote
