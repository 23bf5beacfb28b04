// SPDX-License-Identifier: Apache-2.0
#include "api/whole_document.h"

#include "api/document.h"
#include "api/encode.h"

namespace berth::api {
namespace {

template <typename T>
std::shared_ptr<const std::string> DocumentOf(const std::shared_ptr<const T>& object) {
  if (object->document != nullptr) return object->document;
  return std::make_shared<const std::string>(ToJson(Encode(object)));
}

}  // namespace

std::shared_ptr<const std::string> WholeDocument(const PodPtr& pod) { return DocumentOf(pod); }
std::shared_ptr<const std::string> WholeDocument(const NodePtr& node) { return DocumentOf(node); }

}  // namespace berth::api
