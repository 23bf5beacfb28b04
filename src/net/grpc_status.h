// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace berth::net {

// gRPC's codes, those that Berth uses by name.
enum class GrpcCode : int {
  Ok = 0,
  Canceled = 1,
  Unknown = 2,
  InvalidArgument = 3,
  ResourceExhausted = 8,
  Unimplemented = 12,
  Internal = 13,
  Unavailable = 14,
  Unauthenticated = 16,
};

// How a stream ended.
struct GrpcStatus {
  GrpcCode code = GrpcCode::Ok;
  std::string message = {};

  bool operator==(const GrpcStatus&) const = default;
};

// "UNIMPLEMENTED: no such method"; codes beyond gRPC's as numbers.
std::string GrpcStatusText(const GrpcStatus& status);

// As the header grpc-message has it: anything but printable ASCII is written as %XX.
std::string EncodeGrpcMessage(std::string_view text);
// Anything that is not %XX is taken as it stands.
std::string DecodeGrpcMessage(std::string_view encoded);

// The status that stands for an HTTP response that is not gRPC's.
GrpcStatus GrpcStatusOfHttp(int http_status);

}  // namespace berth::net
