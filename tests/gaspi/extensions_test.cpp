// Functions of GASPI_Ext.h that programs written for GPI-2 use.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <GASPI_Ext.h>

#include <cstring>
#include <string>

#include "gaspi_test.hpp"

namespace halocline::test {
namespace {

TEST(GaspiExtension, says_that_the_job_is_open) {
  gaspi_number_t open = 7;
  EXPECT_TRUE(succeeds(gaspi_initialized(&open)));
  EXPECT_EQ(open, 1u);
  EXPECT_TRUE(comes_to(GASPI_ERR_NULLPTR, gaspi_initialized(nullptr)));
}

TEST(GaspiExtension, numbers_the_ranks_of_a_node) {
  gaspi_rank_t mine = 99, count = 0;
  EXPECT_TRUE(succeeds(gaspi_proc_local_rank(&mine)));
  EXPECT_TRUE(succeeds(gaspi_proc_local_num(&count)));
  ASSERT_GE(count, 1);
  EXPECT_LT(mine, count);
  // Each node's numbers are 0 to count - 1: twice their sum is that of count - 1, over all ranks.
  long values[2] = {2 * mine, count - 1}, sums[2] = {};
  EXPECT_TRUE(succeeds(gaspi_allreduce(values, sums, 2, GASPI_OP_SUM, GASPI_TYPE_LONG, GASPI_GROUP_ALL, GASPI_BLOCK)));
  EXPECT_EQ(sums[0], sums[1]);
}

TEST(GaspiExtension, pings_every_rank) {
  for (int r = 0; r < size(); ++r) EXPECT_TRUE(succeeds(gaspi_proc_ping(as_rank(r), GASPI_BLOCK)));
  EXPECT_TRUE(comes_to(GASPI_ERR_INV_RANK, gaspi_proc_ping(as_rank(size()), GASPI_BLOCK)));
  barrier();
}

TEST(GaspiExtension, finds_the_lowest_free_segment) {
  gaspi_segment_id_t free = 99;
  const Segment zero(8, 0);
  EXPECT_TRUE(succeeds(gaspi_segment_avail_local(&free)));
  EXPECT_EQ(free, 1);
  {
    const Segment two(8, 2), one(8, 1);
    EXPECT_TRUE(succeeds(gaspi_segment_avail_local(&free)));
    EXPECT_EQ(free, 3);
  }
  EXPECT_TRUE(comes_to(GASPI_ERR_NULLPTR, gaspi_segment_avail_local(nullptr)));
}

TEST(GaspiExtension, has_a_text_for_every_code_that_stays) {
  EXPECT_EQ(gaspi_error_str(GASPI_TIMEOUT), gaspi_error_str(GASPI_TIMEOUT));
  EXPECT_NE(std::string(gaspi_error_str(GASPI_ERR_INV_RANK)).find("GASPI_ERR_INV_RANK"), std::string::npos);
}

TEST(GaspiExtension, prints_with_the_rank_in_front) {
  testing::internal::CaptureStdout();
  gaspi_printf("%d of %s\n", 17, "some");
  gaspi_printf_to(3, "%c", 'x');
  gaspi_print_affinity_mask();
  const std::string text = testing::internal::GetCapturedStdout(), mine = "rank " + std::to_string(rank()) + ": ";
  EXPECT_EQ(text.rfind(mine + "17 of some\n" + mine + "to rank 3: x" + mine + "cores ", 0), 0u) << text;
}

TEST(GaspiExtension, knows_the_machine) {
  char kind[16] = "";
  gaspi_uchar node = 0;
  EXPECT_TRUE(succeeds(gaspi_machine_type(kind)));
  EXPECT_GT(std::strlen(kind), 0u);
  EXPECT_TRUE(succeeds(gaspi_numa_socket(&node)));
  EXPECT_TRUE(comes_to(GASPI_ERROR, gaspi_set_socket_affinity(255)));
  gaspi_float mhz = -1;
  const gaspi_return_t told = gaspi_cpu_frequency(&mhz);
  EXPECT_EQ(told == GASPI_SUCCESS, mhz > 0);
}

}  // namespace
}  // namespace halocline::test
