// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

namespace berth {

// A value that its copies share: made once by one owner, then only read. For what is made again and again, Renew hands
// out the memory of last time. Copies may be read and dropped by other threads if those have finished before Renew.
template <typename T>
class SharedValue {
 public:
  // A value to fill, holding whatever it held last; a new one when a copy still reads the old one, or there is none.
  T& Renew() {
    if (value_ == nullptr || value_.use_count() > 1) value_ = std::make_shared<T>();
    return *value_;
  }
  // Only after Renew.
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }

 private:
  std::shared_ptr<T> value_;
};

}  // namespace berth
