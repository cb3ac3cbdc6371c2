// What the library holds for the network: measured here, and computed for larger jobs from the sizes of its structures.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <common/json.hpp>

#include <halocline/halocline.hpp>

#include <cstdint>

namespace info {

/// Anonymous memory of this process, resident, as /proc/self/status has it; -1 where that cannot be read.
struct Held {
  std::int64_t bytes = -1;
};
Held held();

/// `before` and `after`: the network was opened between them. Collective: the largest of all ranks counts.
common::Json memory(const hlc_context_info_t &context, const Held &before, const Held &after);

}  // namespace info
