// Ranks with different versions of the library. The version that rank 0 broadcasts passes through this program, which changes it for the
// others.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "support/mpi_test.hpp"

namespace {
bool rank_0_is_newer = false;
}

extern "C" __attribute__((visibility("default"))) int MPI_Ibcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm,
                                                                 MPI_Request *request) {
  if (!rank_0_is_newer) return PMPI_Ibcast(data, count, type, root, comm, request);
  rank_0_is_newer = false;
  const int status = PMPI_Bcast(data, count, type, root, comm);
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  if (rank != root) *static_cast<std::int64_t *>(data) += 2'000'000;
  *request = MPI_REQUEST_NULL;
  return status;
}

namespace halocline::test {
namespace {

TEST(Builds, that_differ_are_named_on_all_ranks) {
  if (size() == 1) GTEST_SKIP() << "needs two ranks that may differ";
  rank_0_is_newer = true;
  hlc_context *other = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, hlc_init(MPI_COMM_WORLD, &other)));
  EXPECT_EQ(other, nullptr);
  const std::string message = hlc_error_message(), mine = hlc_version();
  EXPECT_NE(message.find("rank 0 has Halocline 0."), std::string::npos) << message;
  EXPECT_NE(message.find("has " + mine), std::string::npos) << message;
  EXPECT_TRUE(ok(hlc_init(MPI_COMM_WORLD, &other)));
  EXPECT_TRUE(ok(hlc_finalise(&other)));
}

}  // namespace
}  // namespace halocline::test
