// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace berth::kube::proto {

// Cuts the stream of a watch into its frames: each is preceded by its length in four bytes, the highest first. Pieces
// of the stream may be of any size; a frame that is whole within a piece is not copied. After an error the stream is
// lost.
class FrameSplitter {
 public:
  // As large as clients in Go accept.
  static constexpr size_t kMaxFrame = size_t{16} << 20U;

  explicit FrameSplitter(size_t max_frame = kMaxFrame) : max_frame_(max_frame) {}

  // Takes the next piece and calls `each` for every frame that it completes; stops at the first error of `each`.
  Result<void> Take(std::string_view piece, const std::function<Result<void>(std::string_view frame)>& each);

  // False within a frame: a stream that ends there was cut.
  bool at_boundary() const { return begun_.empty(); }

 private:
  size_t max_frame_;
  std::string begun_;  // a frame that is not whole yet, with its length
};

}  // namespace berth::kube::proto
