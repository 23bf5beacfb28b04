// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

namespace berth {

// A value shared by its copies: filled by one owner, then only read. For values rebuilt over and over, Renew reuses the
// previous memory. Other threads may read and drop copies, provided they have finished before the next Renew.
template <typename T>
class SharedValue {
 public:
  // A value to fill, with its previous contents; a new one when there is none yet or a copy still refers to it.
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
