// Variables of a library that the program needs.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "static_library.hpp"

namespace halocline::test {

std::uint64_t library_data[40] = {7, 8, 9};
std::uint64_t library_zeros[3000];

static std::uint64_t own_data[40] = {4, 5, 6}, own_zeros[3000];

LibraryOwn library_own() { return {own_data, own_zeros}; }

}  // namespace halocline::test
