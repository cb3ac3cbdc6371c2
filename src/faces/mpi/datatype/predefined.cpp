// The named types of MPI. What a Fortran type or a long is, its size says.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/datatype/predefined.hpp"

#include <algorithm>
#include <iterator>
#include <type_traits>

namespace halocline::mpi {
namespace {

/// The basic type of something, by its size in bytes: 1, 2, 4, 8, 16, 32.
struct Family {
  Basic sizes[6];
};

constexpr Basic kNone = Basic::other;
constexpr Family kInteger{{Basic::int8, Basic::int16, Basic::int32, Basic::int64, kNone, kNone}};
constexpr Family kFortranInteger{
    {Basic::fortran_int8, Basic::fortran_int16, Basic::fortran_int32, Basic::fortran_int64, Basic::fortran_int128, kNone}};
constexpr Family kUnsigned{{Basic::uint8, Basic::uint16, Basic::uint32, Basic::uint64, kNone, kNone}};
constexpr Family kReal{{kNone, Basic::half, Basic::float32, Basic::float64, Basic::float128, kNone}};
constexpr Family kLongDouble{{kNone, kNone, kNone, Basic::float64, Basic::long_double, kNone}};
constexpr Family kComplex{{kNone, kNone, Basic::complex_half, Basic::complex64, Basic::complex128, Basic::complex256}};
constexpr Family kLongComplex{{kNone, kNone, kNone, kNone, Basic::complex128, Basic::complex_long_double}};
constexpr Family kLogical{{Basic::logical8, Basic::logical16, Basic::logical32, Basic::logical64, Basic::logical128, kNone}};
constexpr Family kBoolean{{Basic::boolean, kNone, kNone, kNone, kNone, kNone}};
/// MPI_CHAR is a character, which the standard lets one replace only. But the MPIs compute with it, and programs do.
constexpr const Family &kChar = std::is_signed_v<char> ? kInteger : kUnsigned;
constexpr Family kCharacter{{Basic::character, kNone, kNone, kNone, kNone, kNone}};
constexpr Family kWide{{kNone, kNone, Basic::wide_character, kNone, kNone, kNone}};
constexpr Family kByte{{Basic::byte, kNone, kNone, kNone, kNone, kNone}};

Basic member(const Family &family, std::int64_t bytes) {
  for (int i = 0; i < 6; ++i)
    if (bytes == std::int64_t{1} << i) return family.sizes[i];
  return Basic::other;
}

void ignore_error(MPI_Comm *, int *, ...) {}

/// As long as it lives, errors that belong to no communicator are ignored. They go to the handler of MPI_COMM_SELF, before MPI 4 to that of
/// MPI_COMM_WORLD. The MPI-5 ABI has a handle for each type, and an MPI need not have the type. A handler of our own, as Intel MPI 2021.18
/// takes that ABI's MPI_ERRORS_RETURN for MPI_ERRORS_ABORT.
class ErrorsIgnored {
 public:
  ErrorsIgnored() {
    PMPI_Comm_create_errhandler(ignore_error, &ignoring_);
    for (Changed &changed : all_) {
      PMPI_Comm_get_errhandler(changed.comm, &changed.before);
      PMPI_Comm_set_errhandler(changed.comm, ignoring_);
    }
  }
  ~ErrorsIgnored() {
    for (Changed &changed : all_) {
      PMPI_Comm_set_errhandler(changed.comm, changed.before);
      PMPI_Errhandler_free(&changed.before);
    }
    PMPI_Errhandler_free(&ignoring_);
  }
  ErrorsIgnored(const ErrorsIgnored &) = delete;
  ErrorsIgnored &operator=(const ErrorsIgnored &) = delete;

 private:
  struct Changed {
    MPI_Comm comm;
    MPI_Errhandler before;
  };
  Changed all_[2] = {{MPI_COMM_SELF, MPI_ERRHANDLER_NULL}, {MPI_COMM_WORLD, MPI_ERRHANDLER_NULL}};
  MPI_Errhandler ignoring_ = MPI_ERRHANDLER_NULL;
};

struct Named {
  MPI_Datatype type;
  const Family &family;
};

/// Sizes are asked of the MPI. Types that it has no room for are MPI_DATATYPE_NULL, or of size 0.
void add(std::vector<Predefined> &list, const Named &named) {
  int bytes = 0;
  if (named.type == MPI_DATATYPE_NULL || PMPI_Type_size(named.type, &bytes) != MPI_SUCCESS || bytes <= 0) return;
  list.push_back({named.type, member(named.family, bytes)});
}

void add_of_c(std::vector<Predefined> &list) {
  for (const Named &named : std::initializer_list<Named>{{MPI_CHAR, kChar},
                                                         {MPI_WCHAR, kWide},
                                                         {MPI_PACKED, kCharacter},
                                                         {MPI_BYTE, kByte},
                                                         {MPI_SIGNED_CHAR, kInteger},
                                                         {MPI_SHORT, kInteger},
                                                         {MPI_INT, kInteger},
                                                         {MPI_LONG, kInteger},
                                                         {MPI_LONG_LONG, kInteger},
                                                         {MPI_UNSIGNED_CHAR, kUnsigned},
                                                         {MPI_UNSIGNED_SHORT, kUnsigned},
                                                         {MPI_UNSIGNED, kUnsigned},
                                                         {MPI_UNSIGNED_LONG, kUnsigned},
                                                         {MPI_UNSIGNED_LONG_LONG, kUnsigned},
                                                         {MPI_INT8_T, kInteger},
                                                         {MPI_INT16_T, kInteger},
                                                         {MPI_INT32_T, kInteger},
                                                         {MPI_INT64_T, kInteger},
                                                         {MPI_UINT8_T, kUnsigned},
                                                         {MPI_UINT16_T, kUnsigned},
                                                         {MPI_UINT32_T, kUnsigned},
                                                         {MPI_UINT64_T, kUnsigned},
                                                         {MPI_AINT, kFortranInteger},
                                                         {MPI_OFFSET, kFortranInteger},
                                                         {MPI_COUNT, kFortranInteger},
                                                         {MPI_FLOAT, kReal},
                                                         {MPI_DOUBLE, kReal},
                                                         {MPI_LONG_DOUBLE, kLongDouble},
                                                         {MPI_C_BOOL, kBoolean},
                                                         {MPI_C_FLOAT_COMPLEX, kComplex},
                                                         {MPI_C_DOUBLE_COMPLEX, kComplex},
                                                         {MPI_C_LONG_DOUBLE_COMPLEX, kLongComplex},
                                                         {MPI_CXX_BOOL, kBoolean},
                                                         {MPI_CXX_FLOAT_COMPLEX, kComplex},
                                                         {MPI_CXX_DOUBLE_COMPLEX, kComplex},
                                                         {MPI_CXX_LONG_DOUBLE_COMPLEX, kLongComplex}})
    add(list, named);
}

void add_of_fortran(std::vector<Predefined> &list) {
  for (const Named &named : std::initializer_list<Named>{{MPI_CHARACTER, kCharacter},
                                                         {MPI_LOGICAL, kLogical},
                                                         {MPI_INTEGER, kFortranInteger},
                                                         {MPI_REAL, kReal},
                                                         {MPI_DOUBLE_PRECISION, kReal},
                                                         {MPI_COMPLEX, kComplex},
                                                         {MPI_DOUBLE_COMPLEX, kComplex}})
    add(list, named);
}

/// Fortran types of a given size: an MPI has those that its Fortran compiler has.
void add_sized(std::vector<Predefined> &list) {
  const Named all[] = {
#ifdef MPI_LOGICAL1
      {MPI_LOGICAL1, kLogical},
#endif
#ifdef MPI_LOGICAL2
      {MPI_LOGICAL2, kLogical},
#endif
#ifdef MPI_LOGICAL4
      {MPI_LOGICAL4, kLogical},
#endif
#ifdef MPI_LOGICAL8
      {MPI_LOGICAL8, kLogical},
#endif
#ifdef MPI_LOGICAL16
      {MPI_LOGICAL16, kLogical},
#endif
#ifdef MPI_INTEGER1
      {MPI_INTEGER1, kFortranInteger},
#endif
#ifdef MPI_INTEGER2
      {MPI_INTEGER2, kFortranInteger},
#endif
#ifdef MPI_INTEGER4
      {MPI_INTEGER4, kFortranInteger},
#endif
#ifdef MPI_INTEGER8
      {MPI_INTEGER8, kFortranInteger},
#endif
#ifdef MPI_INTEGER16
      {MPI_INTEGER16, kFortranInteger},
#endif
#ifdef MPI_REAL2
      {MPI_REAL2, kReal},
#endif
#ifdef MPI_REAL4
      {MPI_REAL4, kReal},
#endif
#ifdef MPI_REAL8
      {MPI_REAL8, kReal},
#endif
#ifdef MPI_REAL16
      {MPI_REAL16, kReal},
#endif
#ifdef MPI_COMPLEX4
      {MPI_COMPLEX4, kComplex},
#endif
#ifdef MPI_COMPLEX8
      {MPI_COMPLEX8, kComplex},
#endif
#ifdef MPI_COMPLEX16
      {MPI_COMPLEX16, kComplex},
#endif
#ifdef MPI_COMPLEX32
      {MPI_COMPLEX32, kComplex},
#endif
      {MPI_DATATYPE_NULL, kInteger}};
  for (const Named &named : all) add(list, named);
}

/// Pairs of Fortran are two numbers of one type.
void add_pairs(std::vector<Predefined> &list) {
  const Predefined pairs[] = {{MPI_SHORT_INT, Basic::short_int},
                              {MPI_2INT, Basic::int_int},
                              {MPI_LONG_INT, sizeof(long) == 8 ? Basic::long_int : Basic::int_int},
                              {MPI_FLOAT_INT, Basic::float_int},
                              {MPI_DOUBLE_INT, Basic::double_int},
                              {MPI_LONG_DOUBLE_INT, sizeof(long double) == 8 ? Basic::double_int : Basic::long_double_int},
                              {MPI_2INTEGER, Basic::int_int},
                              {MPI_2REAL, Basic::float_float},
                              {MPI_2DOUBLE_PRECISION, Basic::double_double}};
  const auto there = [](const Predefined &pair) {
    int bytes = 0;
    return pair.type != MPI_DATATYPE_NULL && PMPI_Type_size(pair.type, &bytes) == MPI_SUCCESS && bytes > 0;
  };
  std::copy_if(std::begin(pairs), std::end(pairs), std::back_inserter(list), there);
}

}  // namespace

std::vector<Predefined> predefined_types() {
  const ErrorsIgnored ignored;
  std::vector<Predefined> list;
  add_of_c(list);
  add_of_fortran(list);
  add_sized(list);
  add_pairs(list);
  return list;
}

Basic integer_of(std::int64_t bytes) { return member(kFortranInteger, bytes); }
Basic real_of(std::int64_t bytes) { return member(kReal, bytes); }
Basic complex_of(std::int64_t bytes) { return member(kComplex, bytes); }

Basic pair_of(Basic value, Basic index) {
  value = like_c(value);
  if (like_c(index) == Basic::int32) {
    if (value == Basic::int16) return Basic::short_int;
    if (value == Basic::int32) return Basic::int_int;
    if (value == Basic::int64) return Basic::long_int;
    if (value == Basic::float32) return Basic::float_int;
    if (value == Basic::float64) return Basic::double_int;
    if (value == Basic::long_double) return Basic::long_double_int;
  }
  return Basic::other;
}

}  // namespace halocline::mpi
