// What a request uses after the call that has made it, although the program may free it at once: datatypes, arrays, the communicator.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace halocline::core::mpi {

/// Copies of datatypes, freed with this object. Predefined ones are not copied.
class KeptTypes {
 public:
  KeptTypes() = default;
  KeptTypes(const KeptTypes &) = delete;
  KeptTypes &operator=(const KeptTypes &) = delete;
  ~KeptTypes() { clear(); }

  /// Replaces the datatype by a copy of it: one for all calls with the same datatype, until clear(). An MPI error code.
  int keep(MPI_Datatype *type);
  void clear();

 private:
  std::vector<std::pair<MPI_Datatype, MPI_Datatype>> copies_;  // by the program's datatypes
};

/// Copies of the arguments of a call that the host carries later. Each function replaces an argument by a copy that
/// lives as long as this object; `count`: what MPI reads of an array. An MPI error code.
class KeptArguments {
 public:
  KeptArguments() = default;
  KeptArguments(const KeptArguments &) = delete;
  KeptArguments &operator=(const KeptArguments &) = delete;
  ~KeptArguments();

  int keep(MPI_Datatype *type) { return types_.keep(type); }
  int keep(const MPI_Datatype **types, std::size_t count);
  /// Counts or displacements.
  template <class Number>
  void keep_numbers(const Number **numbers, std::size_t count) {
    const auto copy = std::make_shared<std::vector<Number>>(*numbers, *numbers + count);
    *numbers = copy->data();
    arrays_.push_back(copy);
  }
  /// Collective. Operations on the copy do not mix with those on the communicator.
  int copy_comm(MPI_Comm comm);
  MPI_Comm comm() const { return comm_; }

 private:
  KeptTypes types_;
  std::vector<std::shared_ptr<const void>> arrays_;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace halocline::core::mpi
