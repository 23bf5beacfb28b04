// SPDX-License-Identifier: Apache-2.0
#include "net/grpc_status.h"

#include <array>
#include <charconv>
#include <cstddef>

#include <fmt/format.h>

namespace berth::net {
namespace {

constexpr std::array<std::string_view, 17> kGrpcCodeNames = {
    "OK",        "CANCELLED",       "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS",  "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",    "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED",
};

}  // namespace

std::string GrpcStatusText(const GrpcStatus& status) {
  const auto code = static_cast<size_t>(status.code);
  std::string text = code < kGrpcCodeNames.size() ? std::string(kGrpcCodeNames[code]) : fmt::format("code {}", code);
  if (!status.message.empty()) text += ": " + status.message;
  return text;
}

std::string EncodeGrpcMessage(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    if (c >= ' ' && c <= '~' && c != '%') {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

std::string DecodeGrpcMessage(std::string_view encoded) {
  std::string text;
  for (size_t i = 0; i < encoded.size(); ++i) {
    unsigned char byte = 0;
    const char* digits = encoded.data() + i + 1;
    if (encoded[i] == '%' && i + 2 < encoded.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      text += static_cast<char>(byte);
      i += 2;
    } else {
      text += encoded[i];
    }
  }
  return text;
}

// The codes are those that gRPC's protocol says a client makes of them.
GrpcStatus GrpcStatusOfHttp(int http_status) {
  const std::string message = fmt::format("the server answers with the HTTP status {}", http_status);
  switch (http_status) {
    case 400: return {GrpcCode::Internal, message};
    case 401: return {GrpcCode::Unauthenticated, message};
    case 404: return {GrpcCode::Unimplemented, message};
    case 429:
    case 502:
    case 503:
    case 504: return {GrpcCode::Unavailable, message};
    default: return {GrpcCode::Unknown, message};
  }
}

}  // namespace berth::net
