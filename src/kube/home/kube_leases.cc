// SPDX-License-Identifier: Apache-2.0
#include "kube/home/kube_leases.h"

#include "api/document.h"
#include "api/time_text.h"
#include "kube/home/resource.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace berth::kube {

using api::Value;

namespace {

std::string TextAt(const Value* map, std::string_view key) {
  const Value* value = map == nullptr ? nullptr : map->Find(key);
  return value == nullptr ? std::string() : value->text();
}

// What whoever holds the lease changes when it is renewed. Others may label the object meanwhile.
std::string RecordIn(const Value& object) {
  const Value* spec = object.Find("spec");
  return TextAt(object.Find("metadata"), "uid") + (spec == nullptr ? "" : api::ToJson(*spec));
}

int64_t NumberIn(const std::string& text) {
  int64_t number = 0;
  static_cast<void>(std::from_chars(text.data(), text.data() + text.size(), number));
  return number;
}

}  // namespace

KubeLeases::KubeLeases(ApiClient& client, std::string in_namespace, const Clock& clock, Duration patience,
                       std::string reporter, std::function<void()> renewed_slowly)
    : client_(client),
      namespace_(std::move(in_namespace)),
      clock_(clock),
      patience_(patience),
      reporter_(std::move(reporter)),
      renewed_slowly_(std::move(renewed_slowly)) {}

std::string KubeLeases::Path(std::string_view name) const {
  const std::string path = fmt::format("/apis/coordination.k8s.io/v1/namespaces/{}/leases", Escaped(namespace_));
  return name.empty() ? path : path + "/" + Escaped(name);
}

Result<void> KubeLeases::Observe(std::string_view body) {
  BERTH_ASSIGN_OR_RETURN(std::vector<api::Document> documents, api::ReadDocuments(body, "lease"));
  if (documents.size() != 1) return InvalidError("lease: the answer is not one object");
  Value& object = documents.front().root;
  const Value* meta = object.Find("metadata");
  const Value* spec = object.Find("spec");
  if (meta == nullptr || !meta->is_map() || (spec != nullptr && !spec->is_map() && !spec->is_null())) {
    return InvalidError("lease: the answer is not a lease");
  }
  const bool same = observed_ && RecordIn(object) == RecordIn(observed_->object);
  const Duration since = same ? observed_->since : clock_.Steady();
  observed_ = Observed{std::move(object), since};
  return {};
}

std::string KubeLeases::SpecText(std::string_view key) const {
  return observed_ ? TextAt(observed_->object.Find("spec"), key) : std::string();
}

int64_t KubeLeases::transitions() const { return NumberIn(SpecText("leaseTransitions")); }

Result<void> KubeLeases::Read(std::string_view name) {
  const ApiResponse response = SendAndWait(client_, {.path = Path(name), .timeout = patience_});
  if (!response.ok()) return ToError(response);
  return Observe(response.body);
}

Result<void> KubeLeases::Create(std::string_view name, Value spec) {
  Value meta = Value::Map();
  meta.Set("name", Value::String(std::string(name)));
  meta.Set("namespace", Value::String(namespace_));
  Value object = Value::Map();
  object.Set("apiVersion", Value::String("coordination.k8s.io/v1"));
  object.Set("kind", Value::String("Lease"));
  object.Set("metadata", std::move(meta));
  object.Set("spec", std::move(spec));
  const ApiResponse response = SendAndWait(client_, {.method = "POST",
                                                     .path = Path({}),
                                                     .body = api::ToJson(object),
                                                     .content_type = std::string(kJson),
                                                     .timeout = patience_});
  if (!response.ok()) return ToError(response);
  return Observe(response.body);
}

Result<void> KubeLeases::Write(std::string_view name, Value spec) {
  Value object = observed_->object;
  object.Set("spec", std::move(spec));
  const ApiResponse response = SendAndWait(client_, {.method = "PUT",
                                                     .path = Path(name),
                                                     .body = api::ToJson(object),
                                                     .content_type = std::string(kJson),
                                                     .timeout = patience_});
  if (!response.ok()) return ToError(response);
  return Observe(response.body);
}

Value KubeLeases::SpecFor(std::string_view holder, Duration ttl, bool same_holder) const {
  const Timestamp now = clock_.Now();
  const Value* present = observed_ ? observed_->object.Find("spec") : nullptr;
  Value spec = present == nullptr ? Value::Map() : *present;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(ttl).count();
  spec.Set("holderIdentity", Value::String(std::string(holder)));
  spec.Set("leaseDurationSeconds", Value::Int(std::max<int64_t>(1, seconds)));
  if (!same_holder) {
    spec.Set("acquireTime", Value::String(api::ToRfc3339Micro(now)));
    spec.Set("leaseTransitions", Value::Int(observed_ ? transitions() + 1 : 0));
  }
  spec.Set("renewTime", Value::String(api::ToRfc3339Micro(now)));
  return spec;
}

// As client-go does. Nobody waits for it, and nothing depends on it.
void KubeLeases::TellTaken(std::string_view name, std::string_view holder) {
  if (reporter_.empty()) return;
  const Timestamp now = clock_.Now();
  const Value* meta = observed_->object.Find("metadata");
  const auto text = [](std::string_view value) { return Value::String(std::string(value)); };
  Value about = Value::Map();
  about.Set("kind", text("Lease"));
  about.Set("namespace", text(namespace_));
  about.Set("name", text(name));
  about.Set("uid", text(TextAt(meta, "uid")));
  about.Set("apiVersion", text("coordination.k8s.io/v1"));
  about.Set("resourceVersion", text(TextAt(meta, "resourceVersion")));
  Value event_meta = Value::Map();
  event_meta.Set("name", text(fmt::format("{}.{:x}", name, now.time_since_epoch().count())));
  event_meta.Set("namespace", text(namespace_));
  Value source = Value::Map();
  source.Set("component", text(reporter_));
  Value event = Value::Map();
  event.Set("apiVersion", text("v1"));
  event.Set("kind", text("Event"));
  event.Set("metadata", std::move(event_meta));
  event.Set("involvedObject", std::move(about));
  event.Set("reason", text("LeaderElection"));
  event.Set("message", text(fmt::format("{} became leader", holder)));
  event.Set("source", std::move(source));
  event.Set("firstTimestamp", text(api::ToRfc3339(now)));
  event.Set("lastTimestamp", text(api::ToRfc3339(now)));
  event.Set("count", Value::Int(1));
  event.Set("type", text("Normal"));
  event.Set("reportingComponent", text(reporter_));
  ApiRequest request;
  request.method = "POST";
  request.path = fmt::format("/api/v1/namespaces/{}/events", Escaped(namespace_));
  request.body = api::ToJson(event);
  request.content_type = kJson;
  request.timeout = patience_;
  client_.loop().Post([&client = client_, request = std::move(request)] { client.Send(request, [](ApiResponse&) {}); });
}

store::Lease KubeLeases::Held(std::string_view name, std::string_view holder, Duration ttl) const {
  return {std::string(name), std::string(holder), transitions() + 1, clock_.Now() + ttl};
}

Result<store::Lease> KubeLeases::Acquire(std::string_view name, std::string_view holder, Duration ttl) {
  if (Result<void> read = Read(name); !read) {
    if (read.error().code != ErrorCode::NotFound) return read.error();
    observed_.reset();
    if (Result<void> created = Create(name, SpecFor(holder, ttl, false)); !created) return created.error();
    TellTaken(name, holder);
    return Held(name, holder, ttl);
  }
  const std::string present = SpecText("holderIdentity");
  // As long as whoever holds it has said, whatever our own terms are.
  const auto present_ttl = std::chrono::seconds(NumberIn(SpecText("leaseDurationSeconds")));
  const bool runs = clock_.Steady() < observed_->since + present_ttl;
  if (!present.empty() && present != holder && runs) {
    return Error{ErrorCode::Conflict, fmt::format("lease {}/{} is held by {}", namespace_, name, present)};
  }
  if (Result<void> written = Write(name, SpecFor(holder, ttl, present == holder)); !written) return written.error();
  TellTaken(name, holder);
  return Held(name, holder, ttl);
}

Result<store::Lease> KubeLeases::Renew(const store::Lease& lease, Duration ttl) {
  // First on the assumption that nobody has touched it; if somebody has, it is looked at.
  if (observed_ && SpecText("holderIdentity") == lease.holder) {
    Result<void> written = Write(lease.name, SpecFor(lease.holder, ttl, true));
    if (written) return Held(lease.name, lease.holder, ttl);
    const bool changed = written.error().code == ErrorCode::Conflict || written.error().code == ErrorCode::Unknown ||
                         written.error().code == ErrorCode::NotFound;
    if (!changed) return written.error();
  }
  if (Result<void> read = Read(lease.name); !read) {
    if (read.error().code != ErrorCode::NotFound) return read.error();
    // Somebody deleted it: it is made again, unless another is faster.
    observed_.reset();
    const Result<void> made = Create(lease.name, SpecFor(lease.holder, ttl, false));
    if (made) return store::Lease{lease.name, lease.holder, lease.token, clock_.Now() + ttl};
    const bool taken = made.error().code == ErrorCode::AlreadyExists;
    return Error{taken ? ErrorCode::Fenced : made.error().code, made.error().message};
  }
  const std::string holder = SpecText("holderIdentity");
  if (holder != lease.holder) {
    return Error{ErrorCode::Fenced,
                 fmt::format("lease {}/{} is held by {}", namespace_, lease.name, holder.empty() ? "nobody" : holder)};
  }
  if (renewed_slowly_) renewed_slowly_();
  if (Result<void> written = Write(lease.name, SpecFor(lease.holder, ttl, true)); !written) return written.error();
  return Held(lease.name, lease.holder, ttl);
}

Result<void> KubeLeases::Release(const store::Lease& lease) {
  BERTH_RETURN_IF_ERROR(Read(lease.name));
  if (SpecText("holderIdentity") != lease.holder) return Error{ErrorCode::Fenced, "the lease is another's"};
  Value spec = SpecFor("", std::chrono::seconds(1), true);
  spec.Set("acquireTime", Value::String(api::ToRfc3339Micro(clock_.Now())));
  return Write(lease.name, std::move(spec));
}

}  // namespace berth::kube
