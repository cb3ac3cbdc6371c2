// An MPI that is broken on purpose: put before a program (LD_PRELOAD), it does to one function what HALOCLINE_BREAK names. With it the tests see
// that halocline-doctor can find what it looks for.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

bool broken(const char *how) {
  static const char *const chosen = std::getenv("HALOCLINE_BREAK");
  return chosen && std::strcmp(chosen, how) == 0;
}

[[noreturn]] void hang() {
  for (;;) pause();
}

/// The doctor's plans have transfers of so many single bytes, once per region.
constexpr int kChosen = 1000, kRoomBehind = 1;

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int MPI_Put(const void *origin, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count, MPI_Datatype target_type,
            MPI_Win window) {
  if (count == kChosen && broken("lost_put")) return MPI_SUCCESS;
  if (count == kChosen && broken("misplaced_put")) place += kRoomBehind;
  if (count == kChosen && broken("torn_put")) count = target_count = kChosen - 8;
  return PMPI_Put(origin, count, type, target, place, target_count, target_type, window);
}

int MPI_Get(void *origin, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count, MPI_Datatype target_type,
            MPI_Win window) {
  if (count == kChosen && broken("lost_get")) return MPI_SUCCESS;
  return PMPI_Get(origin, count, type, target, place, target_count, target_type, window);
}

int MPI_Accumulate(const void *origin, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count, MPI_Datatype target_type,
                   MPI_Op operation, MPI_Win window) {
  const bool sum = operation == MPI_SUM && type == target_type && count > 1;
  if (sum && broken("torn_sum")) count = target_count = count / 2;
  if (sum && broken("doubled_sum")) PMPI_Accumulate(origin, count, type, target, place, target_count, target_type, operation, window);
  return PMPI_Accumulate(origin, count, type, target, place, target_count, target_type, operation, window);
}

int MPI_Win_wait(MPI_Win window) {
  if (broken("hang_in_wait")) hang();
  return PMPI_Win_wait(window);
}

int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *window) {
  if (broken("missing_dynamic")) return MPI_ERR_UNSUPPORTED_OPERATION;
  return PMPI_Win_create_dynamic(info, comm, window);
}

int MPI_Fetch_and_op(const void *origin, void *result, MPI_Datatype type, int target, MPI_Aint place, MPI_Op operation, MPI_Win window) {
  if (broken("crash_in_fetch")) std::raise(SIGSEGV);
  if (broken("exit_in_fetch")) std::exit(3);
  return PMPI_Fetch_and_op(origin, result, type, target, place, operation, window);
}

/// As where both neighbours of a periodic dimension are one rank: the blocks of its two directions change places.
int MPI_Ineighbor_alltoall(const void *out, int count, MPI_Datatype type, void *in, int in_count, MPI_Datatype in_type, MPI_Comm comm,
                           MPI_Request *request) {
  int topology = MPI_UNDEFINED, dims = 0, bytes = 0;
  PMPI_Topo_test(comm, &topology);
  if (topology != MPI_CART || !broken("swapped_blocks"))
    return PMPI_Ineighbor_alltoall(out, count, type, in, in_count, in_type, comm, request);
  PMPI_Cartdim_get(comm, &dims);
  PMPI_Type_size(type, &bytes);
  static std::vector<char> swapped;  // it stays until the exchange is complete
  const std::size_t block = static_cast<std::size_t>(count) * static_cast<std::size_t>(bytes);
  swapped.resize(2 * static_cast<std::size_t>(dims) * block);
  for (std::size_t i = 0; i < swapped.size() / block; ++i)
    std::memcpy(swapped.data() + i * block, static_cast<const char *>(out) + (i ^ 1) * block, block);
  return PMPI_Ineighbor_alltoall(swapped.data(), count, type, in, in_count, in_type, comm, request);
}

/// As an MPI that has room for 64 requests of a call.
int MPI_Startall(int count, MPI_Request *requests) {
  if (count > 64 && broken("short_startall")) count = 64;
  return PMPI_Startall(count, requests);
}

/// As an MPI that takes MPI_ERRORS_RETURN for another handler.
int MPI_Comm_call_errhandler(MPI_Comm comm, int code) {
  if (broken("fatal_errors")) std::exit(3);
  return PMPI_Comm_call_errhandler(comm, code);
}

int MPI_Start(MPI_Request *request) {
  if (broken("hang_in_start")) hang();
  return PMPI_Start(request);
}

}  // extern "C"
#pragma GCC visibility pop
