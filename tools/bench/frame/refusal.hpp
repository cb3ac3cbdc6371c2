// What ends a command on all ranks, with one message.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

namespace bench {

/// Thrown by every rank, so that one of them prints it and none has to abort the others.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace bench
