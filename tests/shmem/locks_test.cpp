// OpenSHMEM 1.5, distributed locks.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <thread>
#include <vector>

#include "core_test.hpp"

namespace halocline::test {
namespace {

long static_lock;

/// Locks of the heap: each has another home.
class Locks {
 public:
  explicit Locks(std::size_t count) : place_(static_cast<long *>(shmem_calloc(count, sizeof(long)))) { meet(); }
  Locks(const Locks &) = delete;
  Locks &operator=(const Locks &) = delete;
  ~Locks() {
    meet();
    shmem_free(place_);
  }
  long *get() const { return place_; }

 private:
  long *place_;
};

/// Counts without atomics, under a lock.
void count_under(long *lock, std::uint64_t *counter, int rounds, bool tries) {
  for (int i = 0; i < rounds; ++i) {
    if (tries)
      while (shmem_test_lock(lock) != 0) continue;
    else
      shmem_set_lock(lock);
    const std::uint64_t before = shmem_uint64_g(counter, 0);
    shmem_uint64_p(counter, before + 1, 0);
    shmem_clear_lock(lock);
  }
}

TEST(ShmemLock, lets_one_pe_at_a_time_do_what_is_under_it) {
  const Words counters(5);
  const Locks locks(4);
  meet();
  for (std::size_t i = 0; i < 4; ++i) count_under(locks.get() + i, counters.get() + i, 40, false);
  count_under(&static_lock, counters.get() + 4, 40, false);
  meet();
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(shmem_uint64_g(counters.get() + i, 0), 40u * static_cast<unsigned>(size())) << "lock " << i;
  meet();
}

TEST(ShmemLock, is_taken_by_test_if_it_is_free) {
  const Words counter(1);
  const Locks locks(1);
  if (rank() == 0) {
    EXPECT_EQ(shmem_test_lock(locks.get()), 0);
    EXPECT_EQ(shmem_test_lock(locks.get()), 1);
  }
  meet();
  if (rank() != 0) {
    EXPECT_EQ(shmem_test_lock(locks.get()), 1);
  }
  meet();
  if (rank() == 0) shmem_clear_lock(locks.get());
  meet();
  count_under(locks.get(), counter.get(), 20, true);
  meet();
  EXPECT_EQ(shmem_uint64_g(counter.get(), 0), 20u * static_cast<unsigned>(size()));
  EXPECT_EQ(*locks.get(), 0);
  meet();
}

TEST(ShmemLock, lets_one_thread_of_all_pes_at_a_time_do_what_is_under_it) {
  constexpr int kThreads = 3, kRounds = 30;
  const Words counter(1);
  const Locks locks(1);
  std::vector<std::thread> all;
  for (int t = 0; t < kThreads; ++t) all.emplace_back([&, t] { count_under(locks.get(), counter.get(), kRounds, t == 0); });
  for (std::thread &thread : all) thread.join();
  meet();
  EXPECT_EQ(shmem_uint64_g(counter.get(), 0), static_cast<unsigned>(kThreads * kRounds * size()));
  EXPECT_EQ(*locks.get(), 0);
  meet();
}

TEST(ShmemLock, mixes_set_and_test) {
  const Words counter(1);
  const Locks locks(1);
  count_under(locks.get(), counter.get(), 40, rank() % 2 == 1);
  meet();
  EXPECT_EQ(shmem_uint64_g(counter.get(), 0), 40u * static_cast<unsigned>(size()));
  meet();
}

}  // namespace
}  // namespace halocline::test
