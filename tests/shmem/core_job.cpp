// Opens the job before the first test and closes it after the last, inside a program that has started MPI and also uses Halocline.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "core_test.hpp"

namespace halocline::test {
namespace {

class OpenJob : public testing::Environment {
 public:
  void SetUp() override {
    int provided = -1;
    ASSERT_EQ(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided), 0);
    EXPECT_EQ(provided, SHMEM_THREAD_MULTIPLE);
  }
  void TearDown() override { shmem_finalize(); }
};

[[maybe_unused]] const auto *const open_job = testing::AddGlobalTestEnvironment(new OpenJob);

}  // namespace
}  // namespace halocline::test
