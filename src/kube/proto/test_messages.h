// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Protobuf as an API server writes it, for tests.
namespace berth::kube::test {

// A field of a message: a string or another message, or a number.
std::string Part(uint32_t field, std::string_view bytes);
std::string Part(uint32_t field, uint64_t number);

std::string Enveloped(std::string_view api_version, std::string_view kind, std::string_view message);
std::string StatusMessage(int code, std::string_view reason, std::string_view message);

// A pod, or a node when it has no namespace.
struct TestObject {
  std::string namespace_ = "default";
  std::string name = {};
  std::string uid = {};
  std::string version = {};
  std::string node = {};            // of a pod
  std::string image = "app:1";      // of a pod's one container
  std::string phase = "Pending";    // of a pod
  bool initial_events_end = false;  // annotated as the bookmark that ends a list
};
std::string PodMessage(const TestObject& pod);
std::string NodeMessage(const TestObject& node);
// The same in JSON, with apiVersion and kind.
std::string PodJson(const TestObject& pod);
// The message of a list.
std::string ListMessage(std::string_view version, std::string_view continue_token,
                        const std::vector<std::string>& items);

// An event of a watch with its length before it; the object is enveloped.
std::string WatchFrame(std::string_view type, std::string_view object);

}  // namespace berth::kube::test
