// Variables of a library that the program needs.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace halocline::test {

[[gnu::visibility("default")]] extern std::uint64_t library_data[40];
[[gnu::visibility("default")]] extern std::uint64_t library_zeros[3000];

/// Variables that the program reaches through the library alone. Of those above it may have copies of its own (copy relocations).
struct LibraryOwn {
  std::uint64_t *data, *zeros;  // 40 and 3000
};
[[gnu::visibility("default")]] LibraryOwn library_own();

}  // namespace halocline::test
