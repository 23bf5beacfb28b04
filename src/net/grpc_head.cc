// SPDX-License-Identifier: Apache-2.0
#include "net/grpc_head.h"

#include <array>
#include <charconv>
#include <utility>

namespace berth::net {
namespace {

// "application/grpc", perhaps with the format of the messages: "application/grpc+proto".
bool IsGrpc(std::string_view content_type) {
  if (!content_type.starts_with(kGrpcContentType)) return false;
  content_type.remove_prefix(kGrpcContentType.size());
  return content_type.empty() || content_type.front() == '+' || content_type.front() == ';';
}

int NumberIn(std::string_view text, int otherwise) {
  int number = otherwise;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failed == std::errc() && end == text.data() + text.size() ? number : otherwise;
}

}  // namespace

void GrpcHead::Read(std::string_view name, std::string_view value) {
  using Field = std::pair<std::string_view, std::string*>;
  const std::array<Field, 7> fields = {Field{":method", &method_},           Field{":path", &path_},
                                       Field{":status", &http_status_},      Field{"content-type", &content_type_},
                                       Field{"grpc-encoding", &encoding_},   Field{"grpc-status", &grpc_status_},
                                       Field{"grpc-message", &grpc_message_}};
  bytes_ += name.size() + value.size() + 32;
  for (const auto& [known, field] : fields) {
    if (name == known) field->assign(value);
  }
}

const char* GrpcHead::HttpRefusal() const {
  if (method_ != "POST") return "405";
  return IsGrpc(content_type_) ? nullptr : "415";
}

GrpcStatus GrpcHead::Refusal(std::string_view method_path) const {
  if (path_ != method_path) return {GrpcCode::Unimplemented, "there is no method " + path_};
  if (encoding_.empty() || encoding_ == "identity") return {};
  return {GrpcCode::Unimplemented, "messages compressed by " + encoding_ + " are not read"};
}

int GrpcHead::http_status() const { return NumberIn(http_status_, 0); }

bool GrpcHead::is_interim() const { return http_status() < 200; }

GrpcStatus GrpcHead::Problem() const {
  if (http_status() != 200) return GrpcStatusOfHttp(http_status());
  if (IsGrpc(content_type_)) return {};
  return {GrpcCode::Unknown,
          "the server does not speak gRPC: its content-type is '" + content_type_.substr(0, 200) + "'"};
}

GrpcStatus GrpcHead::End(bool is_cut) const {
  if (!grpc_status_.empty()) {
    const int code = NumberIn(grpc_status_, static_cast<int>(GrpcCode::Unknown));
    return {static_cast<GrpcCode>(code), DecodeGrpcMessage(grpc_message_)};
  }
  if (http_status() != 200) return GrpcStatusOfHttp(http_status());
  return {GrpcCode::Unknown,
          is_cut ? "the stream ended within a message" : "the server ended the stream without a status"};
}

}  // namespace berth::net
