// Opens the job before the first test and closes it after the last, inside a program that has started MPI and also uses Halocline.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "gaspi_test.hpp"

namespace halocline::test {
namespace {

class OpenJob : public testing::Environment {
 public:
  void SetUp() override {
    gaspi_rank_t unknown = 0;
    EXPECT_TRUE(comes_to(GASPI_ERR_NOINIT, gaspi_proc_rank(&unknown)));
    gaspi_config_t config;
    ASSERT_TRUE(succeeds(gaspi_config_get(&config)));
    config.group_max = 255;
    config.allreduce_elem_max = kMaxElements;
    config.allreduce_buf_size = kMaxReducedBytes;
    ASSERT_TRUE(succeeds(gaspi_config_set(config)));
    ASSERT_TRUE(succeeds(gaspi_proc_init(GASPI_BLOCK)));
  }
  void TearDown() override {
    EXPECT_TRUE(succeeds(gaspi_proc_term(GASPI_BLOCK)));
    EXPECT_TRUE(comes_to(GASPI_ERR_NOINIT, gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK)));
  }
};

[[maybe_unused]] const auto *const open_job = testing::AddGlobalTestEnvironment(new OpenJob);

}  // namespace
}  // namespace halocline::test
