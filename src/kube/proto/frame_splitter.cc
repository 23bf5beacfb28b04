// SPDX-License-Identifier: Apache-2.0
#include "kube/proto/frame_splitter.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace berth::kube::proto {
namespace {

constexpr size_t kPrefix = 4;

size_t LengthIn(std::string_view prefix) {
  uint32_t length = 0;
  for (const char byte : prefix.substr(0, kPrefix)) length = (length << 8U) | static_cast<unsigned char>(byte);
  return length;
}

}  // namespace

Result<void> FrameSplitter::Take(std::string_view piece,
                                 const std::function<Result<void>(std::string_view frame)>& each) {
  // Moves bytes of the piece to the frame that was begun, until that has `size`; says whether it has.
  const auto fill_up_to = [&](size_t size) {
    const size_t missing = std::min(size - std::min(size, begun_.size()), piece.size());
    begun_.append(piece.substr(0, missing));
    piece.remove_prefix(missing);
    return begun_.size() >= size;
  };
  const auto too_long = [&](size_t length) {
    return InvalidError(fmt::format("a frame of {} bytes; at most {} are accepted", length, max_frame_));
  };
  if (!begun_.empty()) {
    if (!fill_up_to(kPrefix)) return {};
    const size_t length = LengthIn(begun_);
    if (length > max_frame_) return too_long(length);
    if (!fill_up_to(kPrefix + length)) return {};
    const std::string frame = std::exchange(begun_, {});
    BERTH_RETURN_IF_ERROR(each(std::string_view(frame).substr(kPrefix)));
  }
  while (piece.size() >= kPrefix) {
    const size_t length = LengthIn(piece);
    if (length > max_frame_) return too_long(length);
    if (piece.size() < kPrefix + length) break;
    const std::string_view frame = piece.substr(kPrefix, length);
    piece.remove_prefix(kPrefix + length);
    BERTH_RETURN_IF_ERROR(each(frame));
  }
  begun_ = piece;
  return {};
}

}  // namespace berth::kube::proto
