// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace berth {

// A list that is empty in almost every object that has one, and then costs one pointer instead of three. Filled on
// construction, read like a const vector.
template <typename T>
class RareVector {
 public:
  RareVector() = default;
  RareVector(std::vector<T> items)  // NOLINT(google-explicit-constructor): stands in for a vector
      : items_(items.empty() ? nullptr : std::make_unique<const std::vector<T>>(std::move(items))) {}
  RareVector(const RareVector& other) : RareVector(other.get()) {}
  RareVector& operator=(const RareVector& other) { return *this = RareVector(other); }
  RareVector(RareVector&&) noexcept = default;
  RareVector& operator=(RareVector&&) noexcept = default;
  ~RareVector() = default;

  const std::vector<T>& get() const {
    static const std::vector<T> kEmpty;
    return items_ == nullptr ? kEmpty : *items_;
  }
  operator const std::vector<T>&() const { return get(); }  // NOLINT(google-explicit-constructor)

  bool empty() const { return items_ == nullptr; }
  size_t size() const { return get().size(); }
  const T& operator[](size_t i) const { return get()[i]; }
  const T* begin() const { return get().data(); }
  const T* end() const { return begin() + size(); }
  friend bool operator==(const RareVector& a, const RareVector& b) { return a.get() == b.get(); }

 private:
  std::unique_ptr<const std::vector<T>> items_;
};

}  // namespace berth
