// How a datatype was made, read from the MPI: its combiner, and the arguments of the call in their order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace halocline::mpi {

/// The MPI keeps the arguments in arrays by type: integers, addresses, and counts where the call was one of large counts. Each is read in the
/// order of the call.
class Contents {
 public:
  /// Reads them; false if the MPI has refused. combiner() is MPI_COMBINER_NAMED for named types, which have no arguments.
  bool read(MPI_Datatype type);
  /// The combiner alone.
  bool read_sizes(MPI_Datatype type);

  int combiner() const { return combiner_; }
  const std::vector<MPI_Datatype> &types() const { return types_; }

  int integer() { return integers_[next_integer_++]; }
  std::int64_t count() { return counts_.empty() ? integer() : counts_[next_count_++]; }
  std::int64_t displacement();
  std::vector<std::int64_t> counts(std::int64_t number);
  std::vector<std::int64_t> displacements(std::int64_t number);
  std::vector<int> integers(std::int64_t number);

  /// Returns to the MPI the derived types among types().
  void free_types();

 private:
  void resize(std::int64_t integers, std::int64_t addresses, std::int64_t counts, std::int64_t types);

  int combiner_ = MPI_COMBINER_NAMED;
  std::vector<int> integers_;
  std::vector<MPI_Aint> addresses_;
  std::vector<MPI_Count> counts_;
  std::vector<MPI_Datatype> types_;
  std::size_t next_integer_ = 0;
  std::size_t next_address_ = 0;
  std::size_t next_count_ = 0;
};

/// The combiner alone; MPI_COMBINER_NAMED if the MPI has refused.
int combiner_of(MPI_Datatype type);

/// True for what the MPI itself has made, and programs do not free: named types and those of MPI_Type_create_f90_real and the like.
bool is_predefined(int combiner);

}  // namespace halocline::mpi
