// SPDX-License-Identifier: Apache-2.0
#include "kube/proto/test_messages.h"

#include "kube/proto/envelope.h"

#include <fmt/format.h>

namespace berth::kube::test {
namespace {

std::string Varint(uint64_t number) {
  std::string bytes;
  for (; number >= 0x80U; number >>= 7U) bytes += static_cast<char>((number & 0x7fU) | 0x80U);
  return bytes + static_cast<char>(number);
}

std::string Meta(const TestObject& object) {
  std::string meta = Part(1, object.name) + Part(2, "") + Part(3, object.namespace_) + Part(4, "") +
                     Part(5, object.uid) + Part(6, object.version) + Part(7, uint64_t{0});
  if (object.initial_events_end) meta += Part(12, Part(1, "k8s.io/initial-events-end") + Part(2, "true"));
  return meta;
}

}  // namespace

std::string Part(uint32_t field, std::string_view bytes) {
  return Varint(field << 3U | 2U) + Varint(bytes.size()) + std::string(bytes);
}

std::string Part(uint32_t field, uint64_t number) { return Varint(field << 3U) + Varint(number); }

std::string Enveloped(std::string_view api_version, std::string_view kind, std::string_view message) {
  return std::string(proto::kMagic) + Part(1, Part(1, api_version) + Part(2, kind)) + Part(2, message) + Part(3, "") +
         Part(4, "");
}

std::string StatusMessage(int code, std::string_view reason, std::string_view message) {
  return Part(1, "") + Part(2, "Failure") + Part(3, message) + Part(4, reason) + Part(6, static_cast<uint64_t>(code));
}

std::string PodMessage(const TestObject& pod) {
  const std::string container = Part(1, "main") + Part(2, pod.image);
  const std::string spec = Part(2, container) + Part(3, "Always") + Part(10, pod.node) + Part(19, "default-scheduler");
  return Part(1, Meta(pod)) + Part(2, spec) + Part(3, Part(1, pod.phase));
}

std::string NodeMessage(const TestObject& node) { return Part(1, Meta(node)) + Part(2, "") + Part(3, ""); }

std::string PodJson(const TestObject& pod) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}","namespace":"{}","uid":"{}","resourceVersion":"{}"{}}},)"
      R"("spec":{{"containers":[{{"name":"main","image":"{}"}}],"restartPolicy":"Always"{},)"
      R"("schedulerName":"default-scheduler"}},"status":{{"phase":"{}"}}}})",
      pod.name, pod.namespace_, pod.uid, pod.version,
      pod.initial_events_end ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "", pod.image,
      pod.node.empty() ? "" : fmt::format(R"(,"nodeName":"{}")", pod.node), pod.phase);
}

std::string ListMessage(std::string_view version, std::string_view continue_token,
                        const std::vector<std::string>& items) {
  std::string message = Part(1, Part(1, "") + Part(2, version) + Part(3, continue_token));
  for (const std::string& item : items) message += Part(2, item);
  return message;
}

std::string WatchFrame(std::string_view type, std::string_view object) {
  const std::string event = Part(1, type) + Part(2, Part(1, object));
  std::string frame;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) frame += static_cast<char>(event.size() >> shift & 0xffU);
  return frame + event;
}

}  // namespace berth::kube::test
