// Random numbers of the system, for what a stranger must not guess: the job's secret, keys of memory, words of announcements.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "base/status.hpp"

namespace halocline::transport::ofi {

/// Fails, as unsupported, where the system hands out none. Asked before a endpoint opens; after that none of the others need ask.
Status find_random_bits();

/// 64 random bits.
std::uint64_t random_bits();

}  // namespace halocline::transport::ofi
