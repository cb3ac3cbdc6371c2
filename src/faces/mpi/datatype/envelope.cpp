// How a datatype was made, read from the MPI.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/datatype/envelope.hpp"

#include <algorithm>

#if MPI_VERSION >= 4
// An MPI of the same binary interface may be older than its header.
#pragma weak PMPI_Type_get_envelope_c
#pragma weak PMPI_Type_get_contents_c
#endif

namespace halocline::mpi {
namespace {

#if MPI_VERSION >= 4
bool has_large_counts() { return &PMPI_Type_get_envelope_c != nullptr && &PMPI_Type_get_contents_c != nullptr; }
#endif

/// Some MPIs refuse null pointers even for empty arrays.
template <class T>
T *room(std::vector<T> &list) {
  static T none{};
  return list.empty() ? &none : list.data();
}

template <class T>
std::int64_t size(const std::vector<T> &list) {
  return static_cast<std::int64_t>(list.size());
}

}  // namespace

bool Contents::read(MPI_Datatype type) {
  if (!read_sizes(type)) return false;
  if (combiner_ == MPI_COMBINER_NAMED) return true;
#if MPI_VERSION >= 4
  if (has_large_counts())
    return PMPI_Type_get_contents_c(type, size(integers_), size(addresses_), size(counts_), size(types_), room(integers_), room(addresses_),
                                    room(counts_), room(types_)) == MPI_SUCCESS;
#endif
  return PMPI_Type_get_contents(type, static_cast<int>(size(integers_)), static_cast<int>(size(addresses_)), static_cast<int>(size(types_)),
                                room(integers_), room(addresses_), room(types_)) == MPI_SUCCESS;
}

bool Contents::read_sizes(MPI_Datatype type) {
#if MPI_VERSION >= 4
  if (has_large_counts()) {
    MPI_Count many_integers = 0, many_addresses = 0, counts = 0, many_types = 0;
    const int code = PMPI_Type_get_envelope_c(type, &many_integers, &many_addresses, &counts, &many_types, &combiner_);
    resize(many_integers, many_addresses, counts, many_types);
    return code == MPI_SUCCESS;
  }
#endif
  int integers = 0, addresses = 0, types = 0;
  const int code = PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner_);
  resize(integers, addresses, 0, types);
  return code == MPI_SUCCESS;
}

void Contents::resize(std::int64_t integers, std::int64_t addresses, std::int64_t counts, std::int64_t types) {
  integers_.resize(static_cast<std::size_t>(integers));
  addresses_.resize(static_cast<std::size_t>(addresses));
  counts_.resize(static_cast<std::size_t>(counts));
  types_.resize(static_cast<std::size_t>(types));
}

/// Calls of MPI-1 from Fortran had integers for displacements.
std::int64_t Contents::displacement() {
  if (!counts_.empty()) return counts_[next_count_++];
  return addresses_.empty() ? integer() : addresses_[next_address_++];
}

std::vector<std::int64_t> Contents::counts(std::int64_t number) {
  std::vector<std::int64_t> list(static_cast<std::size_t>(number));
  std::generate(list.begin(), list.end(), [this] { return count(); });
  return list;
}

std::vector<std::int64_t> Contents::displacements(std::int64_t number) {
  std::vector<std::int64_t> list(static_cast<std::size_t>(number));
  std::generate(list.begin(), list.end(), [this] { return displacement(); });
  return list;
}

std::vector<int> Contents::integers(std::int64_t number) {
  std::vector<int> list(static_cast<std::size_t>(number));
  std::generate(list.begin(), list.end(), [this] { return integer(); });
  return list;
}

void Contents::free_types() {
  for (MPI_Datatype &type : types_)
    if (!is_predefined(combiner_of(type))) PMPI_Type_free(&type);
}

int combiner_of(MPI_Datatype type) {
  Contents contents;
  return contents.read_sizes(type) ? contents.combiner() : MPI_COMBINER_NAMED;
}

bool is_predefined(int combiner) {
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
  if (combiner == MPI_COMBINER_VALUE_INDEX) return true;
#endif
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
         combiner == MPI_COMBINER_F90_INTEGER;
}

}  // namespace halocline::mpi
