// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"
#include "api/pod.h"
#include "api/value.h"

#include <memory>
#include <string>
#include <string_view>

namespace berth::api {

// Of which objects a home keeps the whole document, beside what is read of it. It costs as much memory as the texts
// have bytes.
struct KeptDocuments {
  bool nodes = false;
  bool waiting_pods = false;  // those that have no node yet
  bool placed_pods = false;

  // Whether it is kept of some objects of the kind.
  bool OfSome(std::string_view kind) const;
  bool Of(const Pod& pod) const { return pod.node_name.empty() ? waiting_pods : placed_pods; }
  friend bool operator==(const KeptDocuments&, const KeptDocuments&) = default;
};

// The text to keep of a document: all of it but metadata.managedFields, which are long and say nothing about the
// object. Upstream drops those of pods, too.
std::shared_ptr<const std::string> TextToKeep(const Value& document);

// The object as one JSON text, for those who ask about it in other processes: as its home has it, with everything that
// scheduling does not read, or else what scheduling read of it. Never null.
std::shared_ptr<const std::string> WholeDocument(const PodPtr& pod);
std::shared_ptr<const std::string> WholeDocument(const NodePtr& node);

}  // namespace berth::api
