// Handles of non-blocking operations. What goes to a process of this node is complete at once, so a handle need only say which other process
// it waits for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "faces/armci/job.hpp"

namespace halocline::core::armci {

constexpr int kNone = -1, kSeveral = -2;  // instead of a process

/// Notes an operation in a handle, which may be null.
inline void note(const Job &job, armci_hdl_t *handle, int proc) {
  if (!handle || job.is_on_node(proc)) return;
  handle->target = handle->target == kNone || handle->target == proc ? proc : kSeveral;
}

}  // namespace halocline::core::armci
