// A window over memory that only a device can access is for the host MPI, which may know of devices: the drop-in would read and write it by the
// processor. The tests run with HALOCLINE_MPI_STRICT=1, with which that is an error.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include <mpi.h>

#include "device/device_memory.hpp"

namespace halocline::test {
namespace {

int error_class(int code) {
  int found = 0;
  MPI_Error_class(code, &found);
  return found;
}

TEST(DeviceWindows, over_a_devices_memory_on_one_rank_are_for_the_host) {
  REQUIRE_EVERYWHERE(driver().init != nullptr);
  const DeviceMemory memory;
  std::vector<double> cells(64);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Win win = MPI_WIN_NULL;
  void *const mine = rank() == size() - 1 ? memory.data() : cells.data();
  EXPECT_EQ(error_class(MPI_Win_create(mine, 64 * 8, 8, MPI_INFO_NULL, comm, &win)), MPI_ERR_OTHER);
  EXPECT_EQ(MPI_Win_create(cells.data(), 64 * 8, 8, MPI_INFO_NULL, comm, &win), MPI_SUCCESS);
  const double value = rank() + 1;
  MPI_Win_fence(0, win);
  MPI_Put(&value, 1, MPI_DOUBLE, (rank() + 1) % size(), 3, 1, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
  EXPECT_EQ(cells[3], (rank() + size() - 1) % size() + 1);
  MPI_Win_free(&win);
  MPI_Comm_free(&comm);
}

}  // namespace
}  // namespace halocline::test
