// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/grpc_status.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace berth::net {

inline constexpr std::string_view kGrpcContentType = "application/grpc";

// What the headers and trailers of a stream say, as far as gRPC cares.
class GrpcHead {
 public:
  void Read(std::string_view name, std::string_view value);
  // So far, as HPACK counts them.
  size_t bytes() const { return bytes_; }

  // Of a request. The HTTP status for whoever does not speak gRPC, or null.
  const char* HttpRefusal() const;
  // Unless Ok, why a server with this one method does not serve the call.
  GrpcStatus Refusal(std::string_view method_path) const;
  bool has_request() const { return !path_.empty(); }

  // Of a response that has begun. Interim ones are followed by another.
  bool is_interim() const;
  void Clear() { *this = {}; }
  // Unless Ok, why it is no response of gRPC.
  GrpcStatus Problem() const;
  // Of one that has ended; `is_cut`: within a message.
  GrpcStatus End(bool is_cut) const;

 private:
  int http_status() const;

  size_t bytes_ = 0;
  std::string method_;
  std::string path_;
  std::string http_status_;
  std::string content_type_;
  std::string encoding_;
  std::string grpc_status_;
  std::string grpc_message_;
};

}  // namespace berth::net
