// Opens the job before the first test and closes it after the last, inside a program that has started MPI and also uses Halocline.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "core_test.hpp"

namespace halocline::test {
namespace {

std::uint64_t kept[5000];

class OpenJob : public testing::Environment {
 public:
  void SetUp() override {
    int provided = -1;
    ASSERT_EQ(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided), 0);
    EXPECT_EQ(provided, SHMEM_THREAD_MULTIPLE);
  }
  /// Static variables stay as other PEs have left them.
  void TearDown() override {
    shmem_uint64_p(kept + 4000, word_of(rank(), 50, 0), next());
    meet();
    shmem_finalize();
    EXPECT_EQ(kept[4000], word_of(previous(), 50, 0));
    EXPECT_EQ(kept[0] + kept[4999], 0u);
  }
};

[[maybe_unused]] const auto *const open_job = testing::AddGlobalTestEnvironment(new OpenJob);

}  // namespace
}  // namespace halocline::test
