// SPDX-License-Identifier: Apache-2.0
#include "kube/home/object_decoder.h"

#include "api/document.h"
#include "kube/proto/pod_spec.h"
#include "kube/proto/read_proto.h"
#include "kube/proto/schema.h"

#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace berth::kube {

Result<api::Object> ObjectDecoder::ReadMessage(std::string_view message) {
  if (kind_ == api::KindOf<api::Pod>()) return ReadPod(message);
  const proto::Message* schema = proto::FindMessage(kind_);
  if (schema == nullptr) return InvalidError(fmt::format("{} is not read from protobuf", kind_));
  BERTH_ASSIGN_OR_RETURN(api::Value document, proto::ReadProto(message, *schema));
  document.Set("kind", api::Value::String(kind_));
  return ReadDocument(document);
}

Result<api::Object> ObjectDecoder::ReadPod(std::string_view message) {
  BERTH_ASSIGN_OR_RETURN(const proto::PodSpecBytes bytes, proto::FindPodSpec(message));
  std::string spelling;
  spelling.reserve(bytes.before.size() + bytes.after.size() + 1);
  spelling.append(bytes.before).append(1, '\0').append(bytes.after);
  const std::shared_ptr<const api::PodSpec> known = specs_.Find(spelling);
  const proto::Message& schema = known != nullptr ? proto::PodApartFromSpec() : proto::MessageOf<api::Pod>();
  BERTH_ASSIGN_OR_RETURN(const api::Value document, proto::ReadProto(message, schema));
  api::DecodeErrors errors;
  api::Pod pod = api::DecodeStoredPod(document, errors);
  if (!errors.empty()) return InvalidError(errors.Text("Pod"));
  pod.spec = known != nullptr ? known : specs_.Shared(std::move(spelling), pod.spec);
  const api::Value* status = document.Find("status");
  return Shared(std::move(pod), status == nullptr ? std::string() : api::ToJson(*status));
}

Result<api::Object> ObjectDecoder::ReadDocument(const api::Value& document) {
  if (kind_ == api::KindOf<api::Node>() && keep_documents_.nodes) return ReadNode(document);
  api::DecodeErrors errors;
  if (kind_ != api::KindOf<api::Pod>()) {
    const api::Object object = api::DecodeObject(document, std::span(&kind_, 1), errors);
    if (!errors.empty()) return InvalidError(errors.Text(kind_));
    return object;
  }
  api::Pod pod = api::DecodeStoredPod(document, errors);
  if (!errors.empty()) return InvalidError(errors.Text(kind_));
  if (const api::Value* spec = document.Find("spec"); spec != nullptr && spec->is_map()) {
    api::Value without_node = *spec;
    std::erase_if(without_node.mutable_members(), [](const auto& member) { return member.key == "nodeName"; });
    pod.spec = specs_.Shared(&without_node, pod.spec);
  }
  if (keep_documents_.Of(pod)) pod.document = api::TextToKeep(document);
  const api::Value* status = document.Find("status");
  return Shared(std::move(pod), status == nullptr ? std::string() : api::ToJson(*status));
}

Result<api::Object> ObjectDecoder::ReadNode(const api::Value& document) const {
  api::DecodeErrors errors;
  api::Node node = api::Decode<api::Node>(document, errors);
  if (!errors.empty()) return InvalidError(errors.Text(kind_));
  node.document = api::TextToKeep(document);
  return api::Object(std::make_shared<const api::Node>(std::move(node)));
}

Result<api::Object> ObjectDecoder::Shared(api::Pod pod, std::string status_spelling) {
  pod.status = statuses_.Shared(std::move(status_spelling), pod.status);
  pod.meta.labels = labels_.Shared(pod.meta.labels);
  return api::Object(std::make_shared<const api::Pod>(std::move(pod)));
}

}  // namespace berth::kube
