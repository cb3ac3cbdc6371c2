// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/collective/blocks.hpp"

namespace halocline::core::mpi {

int check_block(const typed::Layout *layout, std::int64_t count) {
  if (!layout) return refuse(MPI_ERR_TYPE, "a datatype is invalid or not committed");
  if (count < 0 || !layout->can_count(count)) return refuse(MPI_ERR_COUNT, "count is %lld", static_cast<long long>(count));
  return MPI_SUCCESS;
}

bool is_of_arguments(int code) {
  int found = MPI_ERR_LASTCODE;
  PMPI_Error_class(code, &found);
  return found == MPI_ERR_ARG || found == MPI_ERR_BUFFER || found == MPI_ERR_COUNT || found == MPI_ERR_TYPE;
}

int Links::check(const Exchange &exchange) const {
  const int code = check_addresses(exchange.out, out_);
  return code != MPI_SUCCESS ? code : check_addresses(exchange.in, in_);
}

}  // namespace halocline::core::mpi
