// Opens the job before the first test and closes it after the last, inside a program that has started MPI and also uses Halocline.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core_test.hpp"

namespace halocline::test {
namespace {

std::uint64_t kept[5000];
int announced = 0;  // how often caches of registrations were told that other pages are behind `kept`

bool covers_kept(const void *address, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(address), begin = reinterpret_cast<std::uintptr_t>(kept);
  return first <= begin && begin + sizeof kept <= first + bytes;
}

class OpenJob : public testing::Environment {
 public:
  void SetUp() override {
    int provided = -1;
    ASSERT_EQ(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided), 0);
    EXPECT_EQ(provided, SHMEM_THREAD_MULTIPLE);
    EXPECT_EQ(announced, 1);
  }
  /// Static variables stay as other PEs have left them.
  void TearDown() override {
    shmem_uint64_p(kept + 4000, word_of(rank(), 50, 0), next());
    meet();
    shmem_finalize();
    EXPECT_EQ(kept[4000], word_of(previous(), 50, 0));
    EXPECT_EQ(kept[0] + kept[4999], 0u);
    EXPECT_EQ(announced, 2);
  }
};

[[maybe_unused]] const auto *const open_job = testing::AddGlobalTestEnvironment(new OpenJob);

}  // namespace
}  // namespace halocline::test

/// As UCX and libfabric replace it, which then forget what they have registered of these pages.
extern "C" [[gnu::visibility("default")]] int madvise(void *address, std::size_t bytes, int advice) noexcept {
  if (advice == MADV_DONTNEED && halocline::test::covers_kept(address, bytes)) ++halocline::test::announced;
  return static_cast<int>(syscall(SYS_madvise, address, bytes, advice));
}
