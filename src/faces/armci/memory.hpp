// Making memory with a group.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "faces/armci/groups.hpp"

namespace halocline::core::armci {

/// Makes an allocation with `bytes` bytes of this process. Collective over the group; fails alike on all members. The addresses, by rank in
/// the group, are null where that has no bytes.
Status make_together(Job &job, const char *call, const ARMCI_Group &group, std::int64_t bytes, Allocation &made,
                     std::vector<void *> *addresses = nullptr);

}  // namespace halocline::core::armci
