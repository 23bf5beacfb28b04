// SPDX-License-Identifier: Apache-2.0
#include "remote/told_objects.h"

#include "remote/wire.h"

#include <utility>
#include <variant>

namespace berth::remote {
namespace {

using api::Object;

const void* AddressOf(const Object& object) {
  return std::visit([](const auto& pointer) { return static_cast<const void*>(pointer.get()); }, object);
}

std::string KeyOf(const Object& object) { return api::MetaOf(object).Key(); }

void Tell(const Object& object, ObjectsWriter& out) {
  wire::Object written = ToWire(object, out.whole_objects());
  *out.Add(written.document().size()).mutable_object() = std::move(written);
}

void TellGone(const Object& object, ObjectsWriter& out) {
  wire::ObjectGone& gone = *out.Add().mutable_object_gone();
  const api::ObjectMeta& meta = api::MetaOf(object);
  gone.set_kind(std::string(api::KindOf(object)));
  gone.set_namespace_(meta.namespace_);
  gone.set_name(meta.name);
}

void TellDifference(const std::vector<Object>& before, const std::vector<Object>& after, ObjectsWriter& out) {
  size_t i = 0;
  size_t j = 0;
  while (i < before.size() || j < after.size()) {
    if (i < before.size() && j < after.size() && AddressOf(before[i]) == AddressOf(after[j])) {
      ++i;
      ++j;
      continue;
    }
    const int order = i == before.size() ? 1 : j == after.size() ? -1 : KeyOf(before[i]).compare(KeyOf(after[j]));
    if (order < 0) {
      TellGone(before[i++], out);
      continue;
    }
    if (order == 0) ++i;
    Tell(after[j++], out);
  }
}

}  // namespace

void ToldObjects::SetKinds(const std::vector<std::string>& kinds) {
  kinds_.clear();
  for (const std::string& kind : kinds) {
    if (kind != api::KindOf<api::Node>() && kind != api::KindOf<api::Pod>()) kinds_.emplace_back().name = kind;
  }
}

void ToldObjects::Sync(const framework::Lister& lister, ObjectsWriter& out) {
  for (Kind& kind : kinds_) {
    const uint64_t version = lister.Version(kind.name);
    if (kind.is_told && kind.version == version) continue;
    std::vector<Object> objects = lister.ObjectsOf(kind.name);
    TellDifference(kind.objects, objects, out);
    kind.objects = std::move(objects);
    kind.version = version;
    kind.is_told = true;
  }
}

}  // namespace berth::remote
