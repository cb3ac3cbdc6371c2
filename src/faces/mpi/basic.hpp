// The basic types that type signatures consist of. MPI has several names for some of them: MPI_INT, MPI_INTEGER and MPI_INT32_T are one here.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace halocline::mpi {

enum class Basic : std::uint8_t {
  none,  // no data at all
  mixed,  // a derived datatype of several basic types
  other,  // predefined, without arithmetic: characters, MPI_PACKED, what is not known
  byte,
  int8,
  int16,
  int32,
  int64,
  int128,
  uint8,
  uint16,
  uint32,
  uint64,
  float32,
  float64,
  long_double,
  float128,
  complex64,
  complex128,
  complex_long_double,
  complex256,
  boolean,  // bool of C and C++
  logical8,
  logical16,
  logical32,
  logical64,
  // Pairs of a value and its location, for MPI_MINLOC and MPI_MAXLOC: structs of C, or two numbers of Fortran.
  short_int,
  int_int,
  long_int,
  float_int,
  double_int,
  long_double_int,
  float_float,
  double_double,
  count_
};

inline constexpr int kBasics = static_cast<int>(Basic::count_);

constexpr bool is_pair(Basic type) { return type >= Basic::short_int && type < Basic::count_; }

}  // namespace halocline::mpi
