// SPDX-License-Identifier: Apache-2.0
#include "api/document.h"
#include "api/json_reader.h"
#include "api/object.h"
#include "base/check.h"
#include "kube/proto/envelope.h"
#include "kube/proto/frame_splitter.h"
#include "kube/proto/pod_spec.h"
#include "kube/proto/read_proto.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

using namespace berth;
using namespace berth::kube;

namespace {

// What was read is a document: it reads again from JSON, and decodes or is refused.
void CheckDocument(const Result<api::Value>& document) {
  if (!document) return;
  const std::string written = api::ToJson(*document);
  const auto again = api::ReadJson(written, "again", {});
  BERTH_CHECK(again.has_value() && again->size() == 1);
  BERTH_CHECK(api::ToJson(again->front()) == written);
  api::DecodeErrors errors;
  static_cast<void>(api::DecodeObject(*document, errors));
}

std::vector<std::string> Split(std::string_view stream, size_t piece) {
  proto::FrameSplitter splitter(1000);
  std::vector<std::string> frames;
  for (; !stream.empty(); stream.remove_prefix(std::min(piece, stream.size()))) {
    const auto taken = splitter.Take(stream.substr(0, piece), [&](std::string_view frame) {
      frames.emplace_back(frame);
      return Result<void>();
    });
    if (!taken) break;
  }
  return frames;
}

}  // namespace

// The first byte chooses: a kind without an envelope, an enveloped object, a list, or the stream of a watch, which has
// the same frames in pieces of any size.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const size_t choice = data[0];
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (choice < api::kKinds.size()) {
    const std::string_view kind = api::kKinds.at(choice).name;
    Result<api::Value> document = proto::ReadProto(bytes, *proto::FindMessage(kind));
    if (document) document->Set("kind", api::Value::String(std::string(kind)));
    CheckDocument(document);
    if (const auto spec = proto::FindPodSpec(bytes)) BERTH_CHECK(spec->before.size() <= spec->whole.size());
  } else if (choice == 'o') {
    CheckDocument(proto::ReadObject(bytes));
  } else if (choice == 'l') {
    const auto envelope = proto::OpenEnvelope(bytes);
    const auto read = [](std::string_view item) -> Result<void> {
      CheckDocument(proto::ReadProto(item, proto::MessageOf<api::Node>()));
      return {};
    };
    if (envelope) static_cast<void>(proto::ReadList(envelope->message, read));
  } else {
    const std::vector<std::string> frames = Split(bytes, bytes.size());
    BERTH_CHECK(frames == Split(bytes, choice % 7 + 1));
    for (const std::string& frame : frames) {
      if (const auto event = proto::ReadWatchEvent(frame)) CheckDocument(proto::ReadObject(event->object));
    }
  }
  return 0;
}
