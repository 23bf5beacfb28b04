// SPDX-License-Identifier: Apache-2.0
#include "net/grpc_message.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace berth::net {

std::string GrpcPrefix(size_t message_size) {
  std::string prefix(kGrpcPrefixSize, '\0');
  for (size_t i = 0; i < 4; ++i) prefix[1 + i] = static_cast<char>((message_size >> (8 * (3 - i))) & 0xffU);
  return prefix;
}

GrpcStatus GrpcMessageReader::Take(std::string_view bytes, std::vector<std::string>& messages) {
  while (!bytes.empty()) {
    if (prefix_.size() < kGrpcPrefixSize) {
      const size_t count = std::min(bytes.size(), kGrpcPrefixSize - prefix_.size());
      prefix_ += bytes.substr(0, count);
      bytes.remove_prefix(count);
      if (prefix_.size() < kGrpcPrefixSize) return {};
      if (GrpcStatus status = ReadPrefix(); status.code != GrpcCode::Ok) return status;
    }
    const size_t count = std::min(bytes.size(), wanted_ - message_.size());
    message_ += bytes.substr(0, count);
    bytes.remove_prefix(count);
    if (message_.size() < wanted_) return {};
    messages.push_back(std::exchange(message_, {}));
    prefix_.clear();
  }
  return {};
}

GrpcStatus GrpcMessageReader::ReadPrefix() {
  if (prefix_[0] == 1) return {GrpcCode::Internal, "a message is compressed, which was not agreed on"};
  if (prefix_[0] != 0)
    return {GrpcCode::Internal, fmt::format("a message begins with the byte {}", static_cast<uint8_t>(prefix_[0]))};
  wanted_ = 0;
  for (size_t i = 1; i < kGrpcPrefixSize; ++i) wanted_ = wanted_ << 8U | static_cast<uint8_t>(prefix_[i]);
  if (wanted_ <= max_message_bytes_) return {};
  return {GrpcCode::ResourceExhausted,
          fmt::format("a message of {} bytes is larger than {} bytes", wanted_, max_message_bytes_)};
}

}  // namespace berth::net
