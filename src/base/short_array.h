// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>

namespace berth {

// A function-local array whose size is fixed on construction: up to `Inline` elements are stored in place, larger
// arrays on the heap. Works as a range and as a span.
template <typename T, size_t Inline>
class ShortArray {
 public:
  static_assert(std::is_trivially_copyable_v<T>);

  explicit ShortArray(size_t size, T value = T()) : size_(size) {
    if (size > Inline) heap_ = std::make_unique_for_overwrite<T[]>(size);
    data_ = size > Inline ? heap_.get() : inline_;
    std::fill_n(data_, size, value);
  }
  ShortArray(const ShortArray&) = delete;
  ShortArray& operator=(const ShortArray&) = delete;

  size_t size() const { return size_; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  size_t size_;
  T* data_;
  std::unique_ptr<T[]> heap_;
  T inline_[Inline];
};

}  // namespace berth
