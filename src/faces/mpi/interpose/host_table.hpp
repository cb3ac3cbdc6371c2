// The functions of the host MPI that this library stands before. Both names of each are taken: MPI_X, which programs call, and PMPI_X, which
// the Fortran interfaces of some MPIs and profiling tools call. The host's are those of the next library in the order of loading.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dlfcn.h>
#include <mpi.h>

#include "faces/mpi/interpose/mpi4_functions.hpp"

namespace halocline::core::mpi::host {

#define HLC_MPI_HOST(name) inline auto *const name = reinterpret_cast<decltype(&PMPI_##name)>(dlsym(RTLD_NEXT, "PMPI_" #name));

HLC_MPI_HOST(Win_create)
HLC_MPI_HOST(Win_allocate)
HLC_MPI_HOST(Win_allocate_shared)
HLC_MPI_HOST(Win_create_dynamic)
HLC_MPI_HOST(Win_attach)
HLC_MPI_HOST(Win_detach)
HLC_MPI_HOST(Win_free)
HLC_MPI_HOST(Win_get_attr)
HLC_MPI_HOST(Win_get_group)
HLC_MPI_HOST(Win_shared_query)
HLC_MPI_HOST(Win_fence)
HLC_MPI_HOST(Win_lock)
HLC_MPI_HOST(Win_unlock)
HLC_MPI_HOST(Win_lock_all)
HLC_MPI_HOST(Win_unlock_all)
HLC_MPI_HOST(Win_flush)
HLC_MPI_HOST(Win_flush_local)
HLC_MPI_HOST(Win_flush_all)
HLC_MPI_HOST(Win_flush_local_all)
HLC_MPI_HOST(Win_sync)
HLC_MPI_HOST(Win_post)
HLC_MPI_HOST(Win_start)
HLC_MPI_HOST(Win_complete)
HLC_MPI_HOST(Win_wait)
HLC_MPI_HOST(Win_test)
HLC_MPI_HOST(Put)
HLC_MPI_HOST(Get)
HLC_MPI_HOST(Rput)
HLC_MPI_HOST(Rget)
HLC_MPI_HOST(Accumulate)
HLC_MPI_HOST(Raccumulate)
HLC_MPI_HOST(Get_accumulate)
HLC_MPI_HOST(Rget_accumulate)
HLC_MPI_HOST(Fetch_and_op)
HLC_MPI_HOST(Compare_and_swap)
HLC_MPI_HOST(Init)
HLC_MPI_HOST(Init_thread)
HLC_MPI_HOST(Finalize)
HLC_MPI_HOST(Alloc_mem)
HLC_MPI_HOST(Free_mem)
HLC_MPI_HOST(Dist_graph_create)
HLC_MPI_HOST(Dist_graph_create_adjacent)
HLC_MPI_HOST(Neighbor_alltoall)
HLC_MPI_HOST(Neighbor_alltoallv)
HLC_MPI_HOST(Neighbor_alltoallw)
HLC_MPI_HOST(Ineighbor_alltoall)
HLC_MPI_HOST(Ineighbor_alltoallv)
HLC_MPI_HOST(Ineighbor_alltoallw)
HLC_MPI_HOST(Neighbor_alltoall_init)
HLC_MPI_HOST(Neighbor_alltoallv_init)
HLC_MPI_HOST(Neighbor_alltoallw_init)
HLC_MPI_HOST(Alltoallv_init)
HLC_MPI_HOST(Alltoallw_init)
HLC_MPI_HOST(Allgatherv_init)
HLC_MPI_HOST(Start)
HLC_MPI_HOST(Startall)
HLC_MPI_HOST(Wait)
HLC_MPI_HOST(Waitall)
HLC_MPI_HOST(Waitany)
HLC_MPI_HOST(Waitsome)
HLC_MPI_HOST(Test)
HLC_MPI_HOST(Testall)
HLC_MPI_HOST(Testany)
HLC_MPI_HOST(Testsome)
HLC_MPI_HOST(Request_get_status)
HLC_MPI_HOST(Request_free)
HLC_MPI_HOST(Cancel)
#if MPI_VERSION >= 4
HLC_MPI_HOST(Win_create_c)
HLC_MPI_HOST(Win_allocate_c)
HLC_MPI_HOST(Win_allocate_shared_c)
HLC_MPI_HOST(Win_shared_query_c)
HLC_MPI_HOST(Put_c)
HLC_MPI_HOST(Get_c)
HLC_MPI_HOST(Rput_c)
HLC_MPI_HOST(Rget_c)
HLC_MPI_HOST(Accumulate_c)
HLC_MPI_HOST(Raccumulate_c)
HLC_MPI_HOST(Get_accumulate_c)
HLC_MPI_HOST(Rget_accumulate_c)
HLC_MPI_HOST(Neighbor_alltoall_c)
HLC_MPI_HOST(Neighbor_alltoallv_c)
HLC_MPI_HOST(Neighbor_alltoallw_c)
HLC_MPI_HOST(Ineighbor_alltoall_c)
HLC_MPI_HOST(Ineighbor_alltoallv_c)
HLC_MPI_HOST(Ineighbor_alltoallw_c)
HLC_MPI_HOST(Neighbor_alltoall_init_c)
HLC_MPI_HOST(Neighbor_alltoallv_init_c)
HLC_MPI_HOST(Neighbor_alltoallw_init_c)
HLC_MPI_HOST(Alltoallv_init_c)
HLC_MPI_HOST(Alltoallw_init_c)
HLC_MPI_HOST(Allgatherv_init_c)
#endif
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
HLC_MPI_HOST(Request_get_status_all)
HLC_MPI_HOST(Request_get_status_any)
HLC_MPI_HOST(Request_get_status_some)
#endif

#undef HLC_MPI_HOST

}  // namespace halocline::core::mpi::host

/// In the file that defines function `name`, MPI_X, inside extern "C": its second name, PMPI_X.
#define HLC_MPI_PROFILED(name) decltype(name) P##name __attribute__((alias(#name)));
