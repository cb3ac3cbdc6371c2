// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/collective/kept_arguments.hpp"

#include "faces/mpi/interpose/fallback_report.hpp"

namespace halocline::core::mpi {
namespace {

int is_predefined_type(MPI_Datatype type, bool *is) {
  int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED;
  const int code = PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  *is = combiner == MPI_COMBINER_NAMED;
  return code;
}

/// Not MPI_Type_dup, which would call the functions that copy the program's attributes.
int copy_type(MPI_Datatype type, MPI_Datatype *copy) {
  if (const int code = PMPI_Type_contiguous(1, type, copy)) return code;
  return PMPI_Type_commit(copy);
}

}  // namespace

int KeptTypes::keep(MPI_Datatype *type) {
  if (*type == MPI_DATATYPE_NULL) return MPI_SUCCESS;
  for (const auto &[original, copy] : copies_)
    if (original == *type) return *type = copy, MPI_SUCCESS;
  bool is_predefined = false;
  if (const int code = is_predefined_type(*type, &is_predefined); code != MPI_SUCCESS || is_predefined) return code;
  auto &[original, copy] = copies_.emplace_back(*type, MPI_DATATYPE_NULL);
  if (const int code = copy_type(*type, &copy)) return copies_.pop_back(), code;
  *type = copy;
  return MPI_SUCCESS;
}

void KeptTypes::clear() {
  for (auto &[original, copy] : copies_)
    if (has_world()) PMPI_Type_free(&copy);
  copies_.clear();
}

KeptArguments::~KeptArguments() {
  if (comm_ != MPI_COMM_NULL && has_world()) PMPI_Comm_free(&comm_);
}

int KeptArguments::keep(const MPI_Datatype **types, std::size_t count) {
  const auto copy = std::make_shared<std::vector<MPI_Datatype>>(*types, *types + count);
  for (MPI_Datatype &type : *copy)
    if (const int code = types_.keep(&type)) return code;
  *types = copy->data();
  arrays_.push_back(copy);
  return MPI_SUCCESS;
}

int KeptArguments::copy_comm(MPI_Comm comm) { return PMPI_Comm_dup(comm, &comm_); }

}  // namespace halocline::core::mpi
