// Put and get in all their forms, contexts, ordering, signals.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "core_test.hpp"

namespace halocline::test {
namespace {

TEST(ShmemPut, reaches_every_pe_with_every_size) {
  for (const std::size_t count : {1u, 2u, 7u, 256u, 257u, 100'000u}) {
    const Words words(count * static_cast<std::size_t>(size()));
    std::vector<std::uint64_t> mine(count);
    write_words(mine.data(), count, rank(), count);
    for (int pe = 0; pe < size(); ++pe) {
      shmem_putmem(words.get() + count * static_cast<std::size_t>(rank()), mine.data(), count * 8, pe);
      // The source may be reused.
      write_words(mine.data(), count, rank(), count + 1);
      write_words(mine.data(), count, rank(), count);
    }
    meet();
    for (int pe = 0; pe < size(); ++pe) expect_words(words.get() + count * static_cast<std::size_t>(pe), count, pe, count);
    meet();
  }
}

TEST(ShmemGet, reads_every_pe_with_every_size) {
  for (const std::size_t count : {1u, 2u, 7u, 256u, 257u, 100'000u}) {
    const Words words(count);
    write_words(words.get(), count, rank(), count);
    meet();
    std::vector<std::uint64_t> theirs(count);
    for (int pe = 0; pe < size(); ++pe) {
      shmem_getmem(theirs.data(), words.get(), count * 8, pe);
      expect_words(theirs.data(), count, pe, count);
    }
    meet();
  }
}

TEST(ShmemPut, knows_its_types) {
  struct All {
    double of_double[3];
    long double of_longdouble[2];
    char of_char[5];
    short of_short[3];
    int of_int[3];
    std::uint64_t of_64[2];
    unsigned char of_128[32];
  };
  auto *all = static_cast<All *>(shmem_calloc(1, sizeof(All)));
  All mine{{rank() + 0.25, -1, 2},
           {rank() + 0.125L, 7},
           {'a', 'b', 'c', 'd', static_cast<char>(rank() + 1)},
           {1, 2, 3},
           {rank(), 4, 5},
           {word_of(rank(), 0, 0), 9},
           {1}};
  mine.of_128[31] = static_cast<unsigned char>(rank() + 1);
  shmem_double_put(all->of_double, mine.of_double, 3, next());
  shmem_longdouble_put(all->of_longdouble, mine.of_longdouble, 2, next());
  shmem_char_put(all->of_char, mine.of_char, 5, next());
  shmem_short_put(all->of_short, mine.of_short, 3, next());
  shmem_int_put(all->of_int, mine.of_int, 3, next());
  shmem_put64(all->of_64, mine.of_64, 2, next());
  shmem_put128(all->of_128, mine.of_128, 2, next());
  meet();
  EXPECT_EQ(all->of_double[0], previous() + 0.25);
  EXPECT_EQ(all->of_double[2], 2);
  EXPECT_EQ(all->of_longdouble[0], previous() + 0.125L);
  EXPECT_EQ(all->of_char[4], previous() + 1);
  EXPECT_EQ(all->of_short[2], 3);
  EXPECT_EQ(all->of_int[0], previous());
  EXPECT_EQ(all->of_64[0], word_of(previous(), 0, 0));
  EXPECT_EQ(all->of_128[31], previous() + 1);
  shmem_free(all);
}

TEST(ShmemPut, moves_single_elements) {
  const Words words(4);
  shmem_uint64_p(words.get(), word_of(rank(), 3, 0), next());
  shmem_double_p(reinterpret_cast<double *>(words.get() + 1), rank() + 0.5, next());
  shmem_char_p(reinterpret_cast<char *>(words.get() + 2), static_cast<char>(rank() + 1), next());
  meet();
  EXPECT_EQ(words.get()[0], word_of(previous(), 3, 0));
  EXPECT_EQ(shmem_uint64_g(words.get(), next()), word_of(rank(), 3, 0));
  EXPECT_EQ(shmem_double_g(reinterpret_cast<double *>(words.get() + 1), next()), rank() + 0.5);
  EXPECT_EQ(shmem_char_g(reinterpret_cast<char *>(words.get() + 2), next()), rank() + 1);
  meet();
}

TEST(ShmemStrided, keeps_the_distances_of_both_sides) {
  for (const std::ptrdiff_t stride : {1, 3}) {
    constexpr std::size_t count = 500;
    const Words words(count * 3);
    std::vector<std::uint64_t> mine(count * 2), theirs(count * 2);
    for (std::size_t i = 0; i < count; ++i) mine[2 * i] = word_of(rank(), 4, i);
    shmem_uint64_iput(words.get(), mine.data(), stride, 2, count, next());
    meet();
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(words.get()[i * static_cast<std::size_t>(stride)], word_of(previous(), 4, i));
      if (stride == 3) {
        ASSERT_EQ(words.get()[i * 3 + 1], 0u);
      }
    }
    shmem_iget64(theirs.data(), words.get(), 2, stride, count, next());
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(theirs[2 * i], word_of(rank(), 4, i));
    meet();
  }
}

TEST(ShmemNonBlocking, is_complete_after_quiet) {
  constexpr std::size_t count = 20'000;
  const Words words(2 * count);
  std::vector<std::uint64_t> mine(count), theirs(count);
  write_words(mine.data(), count, rank(), 5);
  write_words(words.get() + count, count, rank(), 6);
  meet();
  shmem_put64_nbi(words.get(), mine.data(), count, next());
  shmem_get64_nbi(theirs.data(), words.get() + count, count, next());
  shmem_quiet();
  expect_words(theirs.data(), count, next(), 6);
  meet();
  expect_words(words.get(), count, previous(), 5);
  meet();
}

TEST(ShmemContext, completes_its_own_operations) {
  const Words words(64);
  std::vector<std::uint64_t> mine(64);
  for (const long options : {0L, SHMEM_CTX_SERIALIZED, SHMEM_CTX_PRIVATE, SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE}) {
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    ASSERT_EQ(shmem_ctx_create(options, &ctx), 0);
    ASSERT_NE(ctx, SHMEM_CTX_INVALID);
    shmem_team_t team = SHMEM_TEAM_INVALID;
    EXPECT_EQ(shmem_ctx_get_team(ctx, &team), 0);
    EXPECT_EQ(team, SHMEM_TEAM_WORLD);
    const auto step = static_cast<std::uint64_t>(options) + 10;
    write_words(mine.data(), 64, rank(), step);
    shmem_ctx_uint64_put_nbi(ctx, words.get(), mine.data(), 63, next());
    shmem_ctx_fence(ctx);
    shmem_ctx_uint64_p(ctx, words.get() + 63, mine[63], next());
    shmem_ctx_quiet(ctx);
    everyone(true);
    expect_words(words.get(), 64, previous(), step);
    EXPECT_EQ(shmem_ctx_uint64_g(ctx, words.get(), next()), word_of(rank(), step, 0));
    shmem_ctx_destroy(ctx);
    everyone(true);
  }
  shmem_ctx_t left = SHMEM_CTX_INVALID;
  EXPECT_EQ(shmem_ctx_create(0, &left), 0);  // shmem_finalize ends it
  shmem_ctx_destroy(SHMEM_CTX_INVALID);
  shmem_ctx_quiet(SHMEM_CTX_INVALID);
  shmem_team_t none = SHMEM_TEAM_WORLD;
  EXPECT_NE(shmem_ctx_get_team(SHMEM_CTX_INVALID, &none), 0);
  EXPECT_EQ(none, SHMEM_TEAM_INVALID);
}

TEST(ShmemContext, is_used_by_several_threads_at_a_time) {
  constexpr int threads = 4, rounds = 50;
  constexpr std::size_t count = 32;
  const Words words(threads * count);
  std::vector<std::thread> all;
  std::atomic<int> wrong{0};
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      shmem_ctx_t ctx = SHMEM_CTX_INVALID;
      if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) != 0) ++wrong;
      std::uint64_t *place = words.get() + static_cast<std::size_t>(t) * count, mine[count], back[count];
      for (std::uint64_t round = 0; round < rounds; ++round) {
        write_words(mine, count, rank() * threads + t, round);
        shmem_ctx_put64(ctx, place, mine, count, next());
        shmem_ctx_quiet(ctx);
        shmem_ctx_get64(ctx, back, place, count, next());
        for (std::size_t i = 0; i < count; ++i) wrong += back[i] != mine[i] ? 1 : 0;
      }
      shmem_ctx_destroy(ctx);
    });
  for (std::thread &thread : all) thread.join();
  EXPECT_EQ(wrong, 0);
  meet();
}

/// A quiet waits for the operations of its own thread, also while another thread's quiet of the same context runs.
TEST(ShmemContext, of_several_threads_is_quiet_for_each) {
  constexpr int threads = 4, rounds = 200;
  const Words words(threads);
  write_words(words.get(), threads, rank(), 8);
  meet();
  std::vector<std::thread> all;
  std::atomic<int> wrong{0};
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      const std::uint64_t right = word_of(next(), 8, static_cast<std::uint64_t>(t));
      for (int round = 0; round < rounds; ++round) {
        std::uint64_t got = 0;
        shmem_uint64_get_nbi(&got, words.get() + t, 1, next());
        shmem_quiet();
        wrong += got != right ? 1 : 0;
      }
    });
  for (std::thread &thread : all) thread.join();
  EXPECT_EQ(wrong, 0);
  meet();
}

TEST(ShmemSignal, comes_after_its_data) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{200}, std::size_t{5'000}}) {
    const Words words(count + 2);
    std::uint64_t *signal = words.get() + count, *answer = signal + 1;
    std::vector<std::uint64_t> mine(count);
    for (std::uint64_t step = 1; step <= 20; ++step) {
      write_words(mine.data(), count, rank(), step);
      if (step % 2 == 0)
        shmem_uint64_put_signal(words.get(), mine.data(), count, signal, step, SHMEM_SIGNAL_SET, next());
      else
        shmem_put64_signal_nbi(words.get(), mine.data(), count, signal, 1, SHMEM_SIGNAL_ADD, next());
      while (shmem_signal_fetch(signal) < step) shmem_pe_accessible(0), std::this_thread::yield();
      EXPECT_EQ(shmem_signal_fetch(signal), step);
      expect_words(words.get(), count, previous(), step);
      // The neighbour may write again.
      shmem_putmem_signal(nullptr, nullptr, 0, answer, step, SHMEM_SIGNAL_SET, previous());
      while (shmem_signal_fetch(answer) < step) std::this_thread::yield();
      shmem_quiet();
    }
    meet();
  }
}

/// With values of all lengths, and data of all lengths.
TEST(ShmemSignal, takes_every_value_and_leaves_the_source_to_its_caller) {
  constexpr std::uint64_t values[] = {1, 0x3F'FFFF, 0x7F'FFFF, 0x80'0000, 0xFFFF'FFFF, std::uint64_t{1} << 47, std::uint64_t(-1), 0};
  for (const std::size_t count : {0, 1, 257, 2'100, 40'000}) {
    const Words words(count + 1);
    std::uint64_t *signal = words.get() + count, expected = 0, step = count;
    std::vector<std::uint64_t> mine(count);
    for (const bool adds : {false, true})
      for (const std::uint64_t value : values) {
        write_words(mine.data(), count, rank(), ++step);
        const std::uint64_t last = expected;
        expected = adds ? expected + value : value;
        shmem_put64_signal(words.get(), mine.data(), count, signal, value, adds ? SHMEM_SIGNAL_ADD : SHMEM_SIGNAL_SET, next());
        std::fill(mine.begin(), mine.end(), 0);
        if (expected == last) shmem_barrier_all();  // the signal tells nothing
        ASSERT_EQ(shmem_signal_wait_until(signal, SHMEM_CMP_EQ, expected), expected) << count << " words, value " << value;
        expect_words(words.get(), count, previous(), step);
        meet();
      }
  }
}

/// All PEs add to one word of PE 0, by instructions, by writes that carry the change, and by messages.
TEST(ShmemSignal, of_several_pes_is_counted_whole) {
  constexpr std::uint64_t rounds = 40, large = std::uint64_t{1} << 40;
  const Words words(static_cast<std::size_t>(size()) * 300 + 1);
  std::uint64_t *const signal = words.get(), *const mine = words.get() + 1 + rank() * 300;
  std::vector<std::uint64_t> data(300);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    write_words(data.data(), 300, rank(), round);
    shmem_put64_signal(mine, data.data(), 300, signal, 1, SHMEM_SIGNAL_ADD, 0);
    shmem_put64_signal_nbi(mine, data.data(), 1, signal, large, SHMEM_SIGNAL_ADD, 0);
    shmem_uint64_atomic_add(signal, 1'000, 0);
    shmem_quiet();
  }
  const std::uint64_t all = rounds * static_cast<std::uint64_t>(size());
  meet();
  if (rank() == 0) {
    EXPECT_EQ(shmem_signal_fetch(signal), all * (large + 1'001));
    for (int pe = 0; pe < size(); ++pe) expect_words(words.get() + 1 + pe * 300, 300, pe, rounds - 1);
  }
  meet();
}

/// A fence orders signals to one word, also where one is carried by a write and the next by a message.
TEST(ShmemSignal, replaces_an_earlier_one_after_a_fence) {
  const Words words(1);
  for (std::uint64_t step = 1; step <= 30; ++step) {
    shmem_putmem_signal(nullptr, nullptr, 0, words.get(), step, SHMEM_SIGNAL_SET, next());
    shmem_fence();
    shmem_putmem_signal(nullptr, nullptr, 0, words.get(), step << 50, SHMEM_SIGNAL_SET, next());
    shmem_fence();
    shmem_putmem_signal(nullptr, nullptr, 0, words.get(), step + 100, SHMEM_SIGNAL_SET, next());
    shmem_quiet();
    meet();
    EXPECT_EQ(shmem_signal_fetch(words.get()), step + 100);
    meet();
  }
}

}  // namespace
}  // namespace halocline::test
