// Random numbers of the system, for what a foreign process must not guess: the job's secret, keys of memory, immediate data.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "base/status.hpp"

namespace halocline::core::transport {

/// Unsupported if the system provides no random numbers. Called before an endpoint opens; random_bits needs no check afterwards.
Status find_random_bits();

/// 64 random bits.
std::uint64_t random_bits();

}  // namespace halocline::core::transport
