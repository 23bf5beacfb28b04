// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/label_table.h"
#include "api/object.h"
#include "api/value.h"
#include "api/whole_document.h"
#include "base/result.h"
#include "home/part_table.h"

#include <string>
#include <string_view>

namespace berth::kube {

// Reads objects of one kind from what an API server sends. Pods of one template share their spec, found by its bytes on
// the wire: then the spec is not read at all. One thread.
class ObjectDecoder {
 public:
  // Documents can be kept of what comes as such; messages have none.
  explicit ObjectDecoder(std::string kind, api::KeptDocuments keep_documents = {})
      : kind_(std::move(kind)), keep_documents_(keep_documents) {}

  // A message without envelope.
  Result<api::Object> ReadMessage(std::string_view message);
  Result<api::Object> ReadDocument(const api::Value& document);

 private:
  Result<api::Object> ReadPod(std::string_view message);
  Result<api::Object> ReadNode(const api::Value& document) const;
  Result<api::Object> Shared(api::Pod pod, std::string status_spelling);

  const std::string kind_;
  const api::KeptDocuments keep_documents_;
  home::PartTable<api::PodSpec> specs_;
  home::PartTable<api::PodStatus> statuses_;
  api::LabelTable labels_;
};

}  // namespace berth::kube
