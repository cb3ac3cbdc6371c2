// Several threads: elements that are changed at the same time, and layouts of datatypes that are made and freed.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <complex>
#include <thread>
#include <vector>

#include "engine/elements/operations.hpp"
#include "faces/mpi/datatype/typed_copy.hpp"
#include "faces/mpi/handle/handle_table.hpp"

namespace halocline::test {
namespace {

using mpi::Access;
using mpi::layout_of;
using mpi::Operation;

template <class Work>
void in_threads(int threads, Work work) {
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) all.emplace_back(work, i);
  for (std::thread &thread : all) thread.join();
}

template <class T>
void add_from_all(MPI_Datatype type, const std::array<T, 3> &one) {
  constexpr int kThreads = 4, kTimes = 2000;
  alignas(64) T target[3] = {}, expected[3] = {};
  const mpi::Layout *layout = layout_of(type);
  ASSERT_FALSE(mpi::needs_lock({target, layout, 3}));
  in_threads(kThreads, [&](int) {
    for (int i = 0; i < kTimes; ++i) mpi::accumulate({Operation::sum, Access::atomic}, {target, layout, 3}, {one.data(), layout, 3});
  });
  for (int i = 0; i < 3 * kThreads * kTimes; ++i) expected[i % 3] = static_cast<T>(expected[i % 3] + one[static_cast<std::size_t>(i % 3)]);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(target[i] == expected[i]);
}

TEST(Accumulate, loses_nothing_of_several_threads) {
  add_from_all<std::int8_t>(MPI_INT8_T, {1, 2, 3});
  add_from_all<std::int16_t>(MPI_INT16_T, {1, 2, 3});
  add_from_all<std::int32_t>(MPI_INT32_T, {1, 2, 3});
  add_from_all<std::int64_t>(MPI_INT64_T, {1, 2, 3});
  add_from_all<float>(MPI_FLOAT, {1.0F, 2.0F, 3.0F});
  add_from_all<double>(MPI_DOUBLE, {1.0, 2.0, 3.0});
  add_from_all<std::complex<float>>(MPI_C_FLOAT_COMPLEX, {1.0F, 2.0F, 3.0F});
  if (mpi::longest_atomic() == 16) add_from_all<std::complex<double>>(MPI_C_DOUBLE_COMPLEX, {1.0, 2.0, 3.0});
}

TEST(Accumulate, of_pairs_loses_nothing_of_several_threads) {
  constexpr int kThreads = 4, kTimes = 2000;
  using Pair = mpi::Pair<double, int>;
  alignas(16) Pair best{-1, -1};
  const mpi::Layout *layout = layout_of(MPI_DOUBLE_INT);
  if (mpi::needs_lock({&best, layout, 1})) GTEST_SKIP() << "this processor has no atomic operations on 16 bytes";
  in_threads(kThreads, [&](int thread) {
    for (int i = 0; i < kTimes; ++i) {
      const Pair mine{static_cast<double>(i * kThreads + thread), thread};
      mpi::accumulate({Operation::maxloc, Access::atomic}, {&best, layout, 1}, {&mine, layout, 1});
    }
  });
  EXPECT_EQ(best.value, kThreads * kTimes - 1);
  EXPECT_EQ(best.index, kThreads - 1);
}

TEST(CompareAndSwap, of_several_threads_succeeds_once_per_value) {
  constexpr int kThreads = 4, kTimes = 500;
  std::int64_t word = 0;
  const mpi::Layout *layout = layout_of(MPI_INT64_T);
  in_threads(kThreads, [&](int) {
    for (int i = 0; i < kTimes; ++i)
      for (std::int64_t expected = 0, got = -1; got != expected;) {
        expected = got < 0 ? 0 : got;
        const std::int64_t next = expected + 1;
        mpi::compare_and_swap(Access::atomic, *layout, &word, {&expected, &next, &got});
      }
  });
  EXPECT_EQ(word, kThreads * kTimes);
}

TEST(HandleTable, is_read_while_handles_come_and_go) {
  static constinit mpi::HandleTable table;
  int values[64];
  for (std::uintptr_t i = 0; i < 16; ++i) table.insert(1000 + i, &values[i]);
  std::atomic<bool> done{false}, wrong{false};
  std::thread reader([&] {
    while (!done)
      for (std::uintptr_t i = 0; i < 16; ++i)
        if (table.find(1000 + i) != &values[i]) wrong = true;
  });
  for (int round = 0; round < 50; ++round) {
    for (std::uintptr_t i = 0; i < 300; ++i) table.insert(5000 + i * 64, &values[16]);
    for (std::uintptr_t i = 0; i < 300; ++i) table.erase(5000 + i * 64);
  }
  done = true;
  reader.join();
  EXPECT_FALSE(wrong);
  EXPECT_EQ(table.find(5000), nullptr);
}

TEST(Layouts, are_flattened_by_several_threads) {
  int level = 0;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "this MPI has no MPI_THREAD_MULTIPLE";
  MPI_Datatype shared = MPI_DATATYPE_NULL;
  MPI_Type_vector(7, 1, 2, MPI_DOUBLE, &shared);
  MPI_Type_commit(&shared);
  in_threads(4, [&](int thread) {
    for (int i = 1; i < 300; ++i) {
      MPI_Datatype type = MPI_DATATYPE_NULL;
      MPI_Type_contiguous(i * 4 + thread, MPI_DOUBLE, &type);
      MPI_Type_commit(&type);
      EXPECT_EQ(layout_of(type)->bytes(), 8 * (i * 4 + thread));
      EXPECT_EQ(layout_of(shared)->bytes(), 56);
      MPI_Type_free(&type);
    }
  });
  MPI_Type_free(&shared);
}

}  // namespace
}  // namespace halocline::test
