// Transfers that UCX has ended, until the next poll: transfers end in no other call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "transport/network.hpp"

namespace halocline::core::transport::ucx {

/// One thread at a time.
class Over {
 public:
  /// error: 0, or the number of an error.
  void add(Transfer &transfer, int error) {
    transfer.error = error;
    transfer.next = nullptr;
    (first_ ? last_->next : first_) = &transfer;
    last_ = &transfer;
  }
  bool empty() const { return first_ == nullptr; }
  /// All, linked by `next`.
  Transfer *take() { return std::exchange(first_, nullptr); }

 private:
  Transfer *first_ = nullptr, *last_ = nullptr;
};

}  // namespace halocline::core::transport::ucx
