// Variables of a library that the program needs.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace halocline::test {

[[gnu::visibility("default")]] extern std::uint64_t library_data[40];
[[gnu::visibility("default")]] extern std::uint64_t library_zeros[3000];

}  // namespace halocline::test
