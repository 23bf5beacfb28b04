// SPDX-License-Identifier: Apache-2.0
#include "kube/proto/write_object.h"

#include "kube/proto/envelope.h"

#include <protozero/pbf_writer.hpp>

namespace berth::kube::proto {
namespace {

using protozero::pbf_writer;

void Add(pbf_writer& to, uint32_t number, std::string_view text) {
  if (!text.empty()) to.add_string(number, text.data(), text.size());
}

std::string Enveloped(std::string_view api_version, std::string_view kind, const std::string& message) {
  std::string bytes(kMagic);
  pbf_writer unknown(bytes);
  std::string type;
  pbf_writer type_meta(type);
  Add(type_meta, 1, api_version);
  Add(type_meta, 2, kind);
  unknown.add_message(1, type);
  unknown.add_message(2, message);
  return bytes;
}

std::string Metadata(std::string_view ns, std::string_view name, std::string_view uid) {
  std::string bytes;
  pbf_writer meta(bytes);
  Add(meta, 1, name);
  Add(meta, 3, ns);
  Add(meta, 5, uid);
  return bytes;
}

std::string Reference(const ObjectReference& reference) {
  std::string bytes;
  pbf_writer to(bytes);
  Add(to, 1, reference.kind);
  Add(to, 2, reference.namespace_);
  Add(to, 3, reference.name);
  Add(to, 4, reference.uid);
  Add(to, 5, reference.api_version);
  Add(to, 6, reference.resource_version);
  return bytes;
}

std::string MicroTime(Timestamp time) {
  const auto since = std::chrono::floor<std::chrono::microseconds>(time).time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  std::string bytes;
  pbf_writer to(bytes);
  to.add_int64(1, seconds.count());
  to.add_int32(2, static_cast<int32_t>(std::chrono::nanoseconds(since - seconds).count()));
  return bytes;
}

}  // namespace

std::string WriteBinding(std::string_view ns, std::string_view pod, std::string_view uid, std::string_view node) {
  std::string bytes;
  pbf_writer binding(bytes);
  binding.add_message(1, Metadata(ns, pod, uid));
  binding.add_message(2, Reference({.kind = "Node", .name = node}));
  return Enveloped("v1", "Binding", bytes);
}

std::string WriteEvent(const EventFields& event) {
  std::string bytes;
  pbf_writer to(bytes);
  to.add_message(1, Metadata(event.namespace_, event.name, {}));
  to.add_message(2, MicroTime(event.time));
  if (event.series) {
    std::string series;
    pbf_writer series_to(series);
    series_to.add_int32(1, event.series->count);
    series_to.add_message(2, MicroTime(event.series->last_observed));
    to.add_message(3, series);
  }
  Add(to, 4, event.controller);
  Add(to, 5, event.instance);
  Add(to, 6, event.action);
  Add(to, 7, event.reason);
  to.add_message(8, Reference(event.regarding));
  if (event.related) to.add_message(9, Reference(*event.related));
  Add(to, 10, event.note);
  Add(to, 11, event.type);
  return Enveloped("events.k8s.io/v1", "Event", bytes);
}

}  // namespace berth::kube::proto
