// Variables of a library that the program needs.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "static_library.hpp"

namespace halocline::test {

std::uint64_t library_data[40] = {7, 8, 9};
std::uint64_t library_zeros[3000];

}  // namespace halocline::test
