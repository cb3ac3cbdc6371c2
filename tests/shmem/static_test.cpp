// Global and static variables as symmetric objects. Every PE loads the program at another address.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "core_test.hpp"
#include "static_library.hpp"

namespace halocline::test {
namespace {

std::uint64_t with_values[100] = {1, 2, 3};
std::uint64_t zeros[100'000];
// Changed before main, so before shmem_init.
const bool changed = [] {
  with_values[3] = 4;
  zeros[99'999] = 5;
  return true;
}();

TEST(ShmemStatic, keeps_what_was_there_before_shmem_init) {
  EXPECT_TRUE(changed);
  EXPECT_EQ(with_values[0], 1u);
  EXPECT_EQ(with_values[3], 4u);
  EXPECT_EQ(zeros[99'999], 5u);
  EXPECT_EQ(zeros[0], 0u);
  EXPECT_EQ(library_data[2], 9u);
  EXPECT_EQ(library_zeros[0], 0u);
  EXPECT_EQ(library_own().data[2], 6u);
  EXPECT_EQ(library_own().zeros[0], 0u);
}

TEST(ShmemStatic, is_put_to_and_got_from_by_its_address) {
  static std::uint64_t in_function[300];
  std::uint64_t step = 20;
  for (std::uint64_t *object :
       {in_function, zeros, with_values + 10, library_data + 5, library_zeros, library_own().data + 5, library_own().zeros}) {
    std::vector<std::uint64_t> mine(30), theirs(30);
    write_words(mine.data(), 30, rank(), ++step);
    shmem_put64(object, mine.data(), 30, next());
    meet();
    expect_words(object, 30, previous(), step);
    shmem_get64(theirs.data(), object, 30, next());
    expect_words(theirs.data(), 30, rank(), step);
    meet();
    // What this PE writes by a plain store the others see.
    object[0] = word_of(rank(), step, 99);
    meet();
    EXPECT_EQ(shmem_uint64_g(object, next()), word_of(next(), step, 99));
    meet();
  }
}

TEST(ShmemStatic, takes_signals) {
  static std::uint64_t signal, data;
  shmem_uint64_put_signal(&data, &with_values[1], 1, &signal, 77, SHMEM_SIGNAL_SET, next());
  while (shmem_signal_fetch(&signal) != 77) usleep(100);
  EXPECT_EQ(data, with_values[1]);
  meet();
}

TEST(ShmemStatic, is_a_childs_own_after_fork) {
  static std::uint64_t ours = 0;
  ours = word_of(rank(), 30, 0);
  meet();
  const pid_t child = fork();
  if (child == 0) {
    const bool same = ours == word_of(rank(), 30, 0) && zeros[99'999] == 5 && zeros[50'000] == 0 && library_data[2] == 9;
    ours = 1;
    _exit(same ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(ours, word_of(rank(), 30, 0));
  EXPECT_EQ(shmem_uint64_g(&ours, next()), word_of(next(), 30, 0));
  meet();
}

TEST(ShmemStatic, is_reached_through_a_pointer_on_a_node) {
  static std::uint64_t here;
  auto *there = static_cast<std::uint64_t *>(shmem_ptr(&here, next()));
  if (!everyone(there != nullptr)) GTEST_SKIP() << "the next PE of some PE is on another node";
  *there = word_of(rank(), 31, 0);
  meet();
  EXPECT_EQ(here, word_of(previous(), 31, 0));
  meet();
}

}  // namespace
}  // namespace halocline::test
