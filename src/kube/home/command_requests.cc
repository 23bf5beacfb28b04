// SPDX-License-Identifier: Apache-2.0
#include "kube/home/command_requests.h"

#include "api/document.h"
#include "api/time_text.h"
#include "api/value.h"
#include "kube/home/resource.h"
#include "kube/home/watch_stream.h"
#include "kube/proto/envelope.h"
#include "kube/proto/pod_spec.h"
#include "kube/proto/write_object.h"

#include <utility>

#include <fmt/format.h>

namespace berth::kube {
namespace {

using api::Value;

constexpr std::string_view kProtobufOrJson = "application/vnd.kubernetes.protobuf,application/json";
// Only the metadata of the answer is read.
constexpr std::string_view kMetadataOnly =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
constexpr std::string_view kStrategicMergePatch = "application/strategic-merge-patch+json";
constexpr std::string_view kMergePatch = "application/merge-patch+json";

std::string PodPath(const api::ObjectMeta& meta) {
  return fmt::format("/api/v1/namespaces/{}/pods/{}", Escaped(meta.namespace_), Escaped(meta.name));
}

std::string EventPath(const EventWrite& write) {
  return fmt::format("/apis/events.k8s.io/v1/namespaces/{}/events", Escaped(write.namespace_));
}

Value ConditionValue(const home::PatchPodStatus& patch, Timestamp now) {
  const api::Condition& wanted = patch.condition->condition;
  const api::Condition* present = patch.pod->FindCondition(wanted.type);
  Value value = Value::Map();
  value.Set("type", Value::String(wanted.type));
  if (patch.condition->observed_generation > 0) {
    value.Set("observedGeneration", Value::Int(patch.condition->observed_generation));
  }
  value.Set("status", Value::String(wanted.status));
  if (present == nullptr || present->status != wanted.status) {
    value.Set("lastProbeTime", Value::Null());
    value.Set("lastTransitionTime", Value::String(api::ToRfc3339(now)));
  }
  // A merge keeps what it is not told to remove.
  const auto set_or_clear = [&](std::string_view key, const std::string& text) {
    value.Set(key, text.empty() ? Value::Null() : Value::String(text));
  };
  set_or_clear("reason", wanted.reason);
  set_or_clear("message", wanted.message);
  return value;
}

// Where the condition goes among the others: to its place, or to the end.
Value OrderOfConditions(const home::PatchPodStatus& patch) {
  const std::string& wanted = patch.condition->condition.type;
  Value order = Value::List();
  const auto append = [&](const std::string& type) {
    Value key = Value::Map();
    key.Set("type", Value::String(type));
    order.Append(std::move(key));
  };
  for (const api::Condition& condition : patch.pod->status->conditions) append(condition.type);
  if (patch.pod->FindCondition(wanted) == nullptr) append(wanted);
  return order;
}

proto::ObjectReference ReferenceTo(const api::Pod& pod) {
  return {"Pod", pod.meta.namespace_, pod.meta.name, pod.meta.uid, "v1", pod.meta.resource_version};
}

std::string TextAt(const Value& map, std::string_view key) {
  const Value* value = map.Find(key);
  return value == nullptr ? std::string() : value->text();
}

}  // namespace

ApiRequest BindRequest(const home::BindPod& bind) {
  const api::ObjectMeta& meta = bind.pod->meta;
  ApiRequest request;
  request.method = "POST";
  request.path = PodPath(meta) + "/binding";
  request.body = proto::WriteBinding(meta.namespace_, meta.name, meta.uid, bind.node->meta.name);
  request.content_type = proto::kContentType;
  request.accept = kProtobufOrJson;
  return request;
}

ApiRequest StatusRequest(const home::PatchPodStatus& patch, Timestamp now) {
  Value status = Value::Map();
  if (patch.condition) {
    Value conditions = Value::List();
    conditions.Append(ConditionValue(patch, now));
    status.Set("$setElementOrder/conditions", OrderOfConditions(patch));
    status.Set("conditions", std::move(conditions));
  }
  if (patch.nominated_node) {
    status.Set("nominatedNodeName",
               patch.nominated_node->empty() ? Value::Null() : Value::String(*patch.nominated_node));
  }
  Value meta = Value::Map();
  meta.Set("uid", Value::String(patch.pod->meta.uid));
  Value body = Value::Map();
  body.Set("metadata", std::move(meta));
  body.Set("status", std::move(status));
  ApiRequest request;
  request.method = "PATCH";
  request.path = PodPath(patch.pod->meta) + "/status";
  request.body = api::ToJson(body);
  request.content_type = kStrategicMergePatch;
  request.accept = kMetadataOnly;
  return request;
}

ApiRequest DeleteRequest(const api::Pod& pod) {
  Value preconditions = Value::Map();
  preconditions.Set("uid", Value::String(pod.meta.uid));
  Value options = Value::Map();
  options.Set("kind", Value::String("DeleteOptions"));
  options.Set("apiVersion", Value::String("v1"));
  options.Set("preconditions", std::move(preconditions));
  ApiRequest request;
  request.method = "DELETE";
  request.path = PodPath(pod.meta);
  request.body = api::ToJson(options);
  request.content_type = kJson;
  request.accept = kMetadataOnly;
  return request;
}

Result<ApiRequest> PatchRequest(const home::PatchObject& patch) {
  const std::optional<Resource> resource = ResourceOf(patch.object.kind);
  if (!resource) return InvalidError(fmt::format("objects of kind {} are not written", patch.object.kind));
  BERTH_ASSIGN_OR_RETURN(std::vector<api::Document> documents,
                         api::ReadDocuments(patch.merge_patch, "the patch of " + store::ToText(patch.object)));
  if (documents.size() != 1 || !documents.front().root.is_map()) return InvalidError("a patch is one JSON object");
  Value& body = documents.front().root;
  if (!patch.uid.empty() || !patch.resource_version.empty()) {
    const Value* given = body.Find("metadata");
    if (given != nullptr && !given->is_map()) return InvalidError("metadata in a patch is a JSON object");
    Value meta = given == nullptr ? Value::Map() : *given;
    if (!patch.uid.empty()) meta.Set("uid", Value::String(patch.uid));
    if (!patch.resource_version.empty()) meta.Set("resourceVersion", Value::String(patch.resource_version));
    body.Set("metadata", std::move(meta));
  }
  ApiRequest request;
  request.method = "PATCH";
  request.path = resource->Path(patch.object.namespace_, patch.object.name);
  request.body = api::ToJson(body);
  request.content_type = kMergePatch;
  request.accept = kMetadataOnly;
  return request;
}

ApiRequest LookUpRequest(const home::LookUpPod& question) {
  ApiRequest request;
  request.path = PodPath(question.pod->meta);
  request.accept = kProtobufOrJson;
  return request;
}

ApiRequest EventRequest(const home::EventNote& note, const EventWrite& write, std::string_view instance) {
  proto::EventFields event;
  event.namespace_ = write.namespace_;
  event.name = write.name;
  event.time = note.time;
  if (write.count > 1) event.series = proto::EventSeries{write.count, write.last_observed};
  event.controller = note.controller;
  event.instance = instance;
  event.action = note.action;
  event.reason = note.reason;
  event.regarding = ReferenceTo(*note.about);
  // Upstream cannot make a reference to the pod that preempts, and so names no related object; neither do we.
  event.note = note.note;
  event.type = note.type;
  ApiRequest request;
  request.method = "POST";
  request.path = EventPath(write);
  request.body = proto::WriteEvent(event);
  request.content_type = proto::kContentType;
  request.accept = kProtobufOrJson;
  return request;
}

ApiRequest EventCountRequest(const EventWrite& write) {
  Value series = Value::Map();
  series.Set("count", Value::Int(write.count));
  series.Set("lastObservedTime", Value::String(api::ToRfc3339Micro(write.last_observed)));
  Value body = Value::Map();
  body.Set("series", std::move(series));
  ApiRequest request;
  request.method = "PATCH";
  request.path = EventPath(write) + "/" + Escaped(write.name);
  request.body = api::ToJson(body);
  request.content_type = kStrategicMergePatch;
  request.accept = kMetadataOnly;
  return request;
}

Result<FoundPod> ReadFoundPod(const ApiResponse& response) {
  if (response.head.Header("content-type").starts_with(proto::kContentType)) {
    BERTH_ASSIGN_OR_RETURN(const proto::Envelope envelope, proto::OpenEnvelope(response.body));
    BERTH_ASSIGN_OR_RETURN(const WatchedEvent identity, IdentityOf(envelope.message, WatchedEvent::Type::Set));
    BERTH_ASSIGN_OR_RETURN(const proto::PodSpecBytes spec, proto::FindPodSpec(envelope.message));
    if (identity.uid.empty()) return InvalidError("the answer is not a pod");
    return FoundPod{identity.uid, std::string(spec.node_name)};
  }
  BERTH_ASSIGN_OR_RETURN(const std::vector<api::Document> documents, api::ReadDocuments(response.body, "pod"));
  if (documents.size() != 1) return InvalidError("the answer is not one pod");
  const Value* spec = documents.front().root.Find("spec");
  std::string uid = IdentityOf(documents.front().root, WatchedEvent::Type::Set).uid;
  if (uid.empty()) return InvalidError("the answer is not a pod");
  return FoundPod{std::move(uid), spec == nullptr ? std::string() : TextAt(*spec, "nodeName")};
}

std::string VersionIn(const ApiResponse& response) {
  const Result<std::vector<api::Document>> documents = api::ReadDocuments(response.body, "answer");
  if (!documents || documents->size() != 1) return {};
  return IdentityOf(documents->front().root, WatchedEvent::Type::Set).resource_version;
}

}  // namespace berth::kube
