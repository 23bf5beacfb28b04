// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/grpc_status.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace berth::net {

// What precedes each message on a gRPC stream: whether it is compressed, which ours never are, and its length.
constexpr size_t kGrpcPrefixSize = 5;
std::string GrpcPrefix(size_t message_size);

// Finds the messages in the bytes of a stream, however these are cut.
class GrpcMessageReader {
 public:
  explicit GrpcMessageReader(size_t max_message_bytes) : max_message_bytes_(max_message_bytes) {}

  // Appends the messages that these bytes complete. Unless Ok, the status says why the stream makes no sense from here
  // on.
  GrpcStatus Take(std::string_view bytes, std::vector<std::string>& messages);
  // A message has begun and is not complete.
  bool in_message() const { return !prefix_.empty(); }

 private:
  GrpcStatus ReadPrefix();

  const size_t max_message_bytes_;
  std::string prefix_;  // of the message that has begun, as far as it has come
  size_t wanted_ = 0;   // the size of that message, once the prefix is complete
  std::string message_;
};

}  // namespace berth::net
