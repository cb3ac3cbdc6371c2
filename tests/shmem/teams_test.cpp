// OpenSHMEM 1.5, team management, and contexts of teams.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <thread>
#include <vector>

#include "core_test.hpp"
#include "support/skew.hpp"

namespace halocline::test {
namespace {

TEST(ShmemTeam, of_all_pes_and_of_the_node_are_there) {
  EXPECT_EQ(shmem_team_my_pe(SHMEM_TEAM_WORLD), rank());
  EXPECT_EQ(shmem_team_n_pes(SHMEM_TEAM_WORLD), size());
  const int shared = shmem_team_n_pes(SHMEM_TEAM_SHARED);
  EXPECT_GE(shared, 1);
  EXPECT_EQ(shmem_team_translate_pe(SHMEM_TEAM_SHARED, shmem_team_my_pe(SHMEM_TEAM_SHARED), SHMEM_TEAM_WORLD), rank());
  const Words words(1);
  for (int pe = 0; pe < shared; ++pe)
    EXPECT_NE(shmem_ptr(words.get(), shmem_team_translate_pe(SHMEM_TEAM_SHARED, pe, SHMEM_TEAM_WORLD)), nullptr);
  for (int pe = 0; pe < shared; ++pe)
    EXPECT_EQ(shmem_team_ptr(SHMEM_TEAM_SHARED, words.get(), pe),
              shmem_ptr(words.get(), shmem_team_translate_pe(SHMEM_TEAM_SHARED, pe, SHMEM_TEAM_WORLD)));
  EXPECT_EQ(shmem_team_ptr(SHMEM_TEAM_WORLD, words.get(), size()), nullptr);
  EXPECT_EQ(shmem_team_ptr(SHMEM_TEAM_INVALID, words.get(), 0), nullptr);
  EXPECT_EQ(shmem_team_my_pe(SHMEM_TEAM_INVALID), -1);
  EXPECT_EQ(shmem_team_n_pes(SHMEM_TEAM_INVALID), -1);
}

TEST(ShmemTeam, of_every_other_pe_numbers_them_anew) {
  shmem_team_t team = SHMEM_TEAM_INVALID;
  const int members = (size() + 1) / 2;
  EXPECT_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, members, nullptr, 0, &team), 0);
  EXPECT_EQ(team != SHMEM_TEAM_INVALID, rank() % 2 == 0);
  EXPECT_EQ(shmem_team_my_pe(team), rank() % 2 == 0 ? rank() / 2 : -1);
  EXPECT_EQ(shmem_team_n_pes(team), rank() % 2 == 0 ? members : -1);
  if (team != SHMEM_TEAM_INVALID) {
    for (int pe = 0; pe < size(); ++pe) EXPECT_EQ(shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, team), pe % 2 == 0 ? pe / 2 : -1);
    for (int pe = 0; pe < members; ++pe) EXPECT_EQ(shmem_team_translate_pe(team, pe, SHMEM_TEAM_WORLD), 2 * pe);
    EXPECT_EQ(shmem_team_translate_pe(team, members, SHMEM_TEAM_WORLD), -1);
    EXPECT_EQ(shmem_team_sync(team), 0);
  }
  shmem_team_destroy(team);
  meet();
}

TEST(ShmemTeam, of_a_team_is_counted_in_its_numbers) {
  shmem_team_t upper = SHMEM_TEAM_INVALID, last = SHMEM_TEAM_INVALID;
  if (size() < 3) GTEST_SKIP() << "needs 3 PEs";
  EXPECT_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 1, size() - 1, nullptr, 0, &upper), 0);
  if (upper != SHMEM_TEAM_INVALID) {
    EXPECT_EQ(shmem_team_split_strided(upper, 1, 1, size() - 2, nullptr, 0, &last), 0);
    EXPECT_EQ(shmem_team_my_pe(last), rank() >= 2 ? rank() - 2 : -1);
    if (last != SHMEM_TEAM_INVALID) {
      EXPECT_EQ(shmem_team_translate_pe(last, 0, SHMEM_TEAM_WORLD), 2);
    }
  }
  shmem_team_destroy(last);
  shmem_team_destroy(upper);
  meet();
}

TEST(ShmemTeam, of_two_dimensions_are_rows_and_columns) {
  for (int width = 1; width <= size() + 1; ++width) {
    shmem_team_t row = SHMEM_TEAM_INVALID, column = SHMEM_TEAM_INVALID;
    EXPECT_EQ(shmem_team_split_2d(SHMEM_TEAM_WORLD, width, nullptr, 0, &row, nullptr, 0, &column), 0);
    const int wide = width < size() ? width : size();
    EXPECT_EQ(shmem_team_my_pe(row), rank() % wide);
    EXPECT_EQ(shmem_team_my_pe(column), rank() / wide);
    EXPECT_EQ(shmem_team_translate_pe(row, 0, SHMEM_TEAM_WORLD), rank() / wide * wide);
    EXPECT_EQ(shmem_team_translate_pe(column, 0, SHMEM_TEAM_WORLD), rank() % wide);
    long mine = rank(), *sums = static_cast<long *>(shmem_calloc(2, sizeof(long)));
    auto *source = static_cast<long *>(shmem_malloc(sizeof(long)));
    *source = mine;
    EXPECT_EQ(shmem_long_sum_reduce(row, sums, source, 1), 0);
    EXPECT_EQ(shmem_long_sum_reduce(column, sums + 1, source, 1), 0);
    long in_row = 0, in_column = 0;
    for (int pe = 0; pe < size(); ++pe) {
      if (pe / wide == rank() / wide) in_row += pe;
      if (pe % wide == rank() % wide) in_column += pe;
    }
    EXPECT_EQ(sums[0], in_row) << "width " << width;
    EXPECT_EQ(sums[1], in_column) << "width " << width;
    shmem_free(source);
    shmem_free(sums);
    shmem_team_destroy(row);
    shmem_team_destroy(column);
    meet();
  }
}

TEST(ShmemTeam, is_not_made_of_pes_that_are_not_there) {
  shmem_team_t team = SHMEM_TEAM_WORLD;
  EXPECT_NE(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, size() + 1, nullptr, 0, &team), 0);
  EXPECT_EQ(team, SHMEM_TEAM_INVALID);
  EXPECT_NE(shmem_team_split_strided(SHMEM_TEAM_WORLD, -1, 1, 1, nullptr, 0, &team), 0);
  EXPECT_NE(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 0, nullptr, 0, &team), 0);
  EXPECT_NE(shmem_team_split_strided(SHMEM_TEAM_INVALID, 0, 1, 1, nullptr, 0, &team), 0);
  EXPECT_NE(shmem_team_split_2d(SHMEM_TEAM_INVALID, 1, nullptr, 0, &team, nullptr, 0, &team), 0);
  EXPECT_EQ(shmem_team_translate_pe(SHMEM_TEAM_INVALID, 0, SHMEM_TEAM_WORLD), -1);
  shmem_team_destroy(SHMEM_TEAM_INVALID);
}

TEST(ShmemTeam, keeps_its_configuration) {
  shmem_team_t team = SHMEM_TEAM_INVALID;
  shmem_team_config_t config{3}, read{0};
  EXPECT_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, size(), &config, SHMEM_TEAM_NUM_CONTEXTS, &team), 0);
  EXPECT_EQ(shmem_team_get_config(team, SHMEM_TEAM_NUM_CONTEXTS, &read), 0);
  EXPECT_EQ(read.num_contexts, 3);
  EXPECT_EQ(shmem_team_get_config(team, 0, nullptr), 0);
  EXPECT_NE(shmem_team_get_config(SHMEM_TEAM_INVALID, 0, nullptr), 0);
  shmem_team_destroy(team);
  meet();
}

TEST(ShmemTeam, has_contexts_that_use_its_numbers) {
  if (size() < 2) GTEST_SKIP() << "needs 2 PEs";
  const Words words(2);
  shmem_team_t team = SHMEM_TEAM_INVALID;
  EXPECT_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 1, size() - 1, nullptr, 0, &team), 0);
  shmem_ctx_t ctx = SHMEM_CTX_INVALID;
  if (team == SHMEM_TEAM_INVALID) {
    EXPECT_NE(shmem_team_create_ctx(team, 0, &ctx), 0);
    EXPECT_EQ(ctx, SHMEM_CTX_INVALID);
  } else {
    EXPECT_EQ(shmem_team_create_ctx(team, SHMEM_CTX_SERIALIZED, &ctx), 0);
    shmem_team_t of = SHMEM_TEAM_INVALID;
    EXPECT_EQ(shmem_ctx_get_team(ctx, &of), 0);
    EXPECT_EQ(of, team);
    shmem_ctx_uint64_p(ctx, words.get(), 5, (shmem_team_my_pe(team) + 1) % shmem_team_n_pes(team));
    shmem_ctx_uint64_atomic_add(ctx, words.get() + 1, 1, 0);
    shmem_ctx_quiet(ctx);
    shmem_ctx_destroy(ctx);
  }
  meet();
  EXPECT_EQ(words.get()[0], rank() == 0 ? 0u : 5u);
  EXPECT_EQ(words.get()[1], rank() == 1 ? static_cast<unsigned>(size() - 1) : 0u);
  shmem_team_destroy(team);
  meet();
}

TEST(ShmemTeam, can_be_made_again_and_again) {
  const Words words(2);
  for (int i = 0; i < 300; ++i) {
    shmem_team_t team = SHMEM_TEAM_INVALID;
    const int first = i % size();
    ASSERT_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, first, 1, size() - first, nullptr, 0, &team), 0) << "team " << i;
    if (team != SHMEM_TEAM_INVALID) {
      words.get()[0] = 1;
      EXPECT_EQ(shmem_uint64_sum_reduce(team, words.get() + 1, words.get(), 1), 0);
      EXPECT_EQ(words.get()[1], static_cast<unsigned>(size() - first)) << "team " << i;
    }
    shmem_team_destroy(team);
  }
  meet();
}

/// Each thread has a parent of its own, so that the PEs need not agree on which thread is first.
TEST(ShmemTeam, of_several_parents_are_made_at_a_time) {
  constexpr int threads = 3, rounds = 40;
  std::vector<shmem_team_t> parents(threads, SHMEM_TEAM_INVALID);
  for (shmem_team_t &parent : parents) ASSERT_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, size(), nullptr, 0, &parent), 0);
  const Words words(2 * threads);
  std::vector<std::thread> all;
  std::atomic<int> wrong{0};
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      std::uint64_t *const mine = words.get() + 2 * t, *const sum = mine + 1;
      Skew skew(static_cast<std::uint64_t>(t));
      for (int round = 0; round < rounds; ++round) {
        const int first = (round + t) % size();
        shmem_team_t team = SHMEM_TEAM_INVALID;
        skew.delay();
        wrong += shmem_team_split_strided(parents[static_cast<std::size_t>(t)], first, 1, size() - first, nullptr, 0, &team) != 0 ? 1 : 0;
        if (team == SHMEM_TEAM_INVALID) continue;
        *mine = word_of(t, static_cast<std::uint64_t>(round), 0);
        wrong += shmem_uint64_sum_reduce(team, sum, mine, 1) != 0 || *sum != static_cast<unsigned>(size() - first) * *mine ? 1 : 0;
        shmem_team_destroy(team);
      }
    });
  for (std::thread &thread : all) thread.join();
  EXPECT_EQ(wrong, 0);
  meet();
  for (const shmem_team_t parent : parents) shmem_team_destroy(parent);
  meet();
}

/// PE 0 has a thread for each parent; the others take one parent after the other, the last first, and the next when PE 0 is done with that one.
TEST(ShmemTeam, of_several_parents_are_made_by_threads_and_in_turn) {
  constexpr int threads = 3, rounds = 10;
  std::vector<shmem_team_t> parents(threads, SHMEM_TEAM_INVALID);
  for (shmem_team_t &parent : parents) ASSERT_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, size(), nullptr, 0, &parent), 0);
  const Words words(threads);
  std::atomic<int> wrong{0};
  const auto make = [&](int t, int round) {
    shmem_team_t team = SHMEM_TEAM_INVALID;
    wrong += shmem_team_split_strided(parents[static_cast<std::size_t>(t)], 0, 1, size(), nullptr, 0, &team) != 0 ? 1 : 0;
    shmem_team_destroy(team);
    std::uint64_t *const made = words.get() + t;
    if (rank() == 0) {
      for (int pe = 1; pe < size(); ++pe) shmem_uint64_p(made, static_cast<std::uint64_t>(round) + 1, pe);
      shmem_quiet();
    } else {
      shmem_uint64_wait_until(made, SHMEM_CMP_GT, static_cast<std::uint64_t>(round));
    }
  };
  if (rank() == 0) {
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t)
      all.emplace_back([&, t] {
        for (int round = 0; round < rounds; ++round) make(t, round);
      });
    for (std::thread &thread : all) thread.join();
  } else {
    for (int round = 0; round < rounds; ++round)
      for (int t = threads - 1; t >= 0; --t) make(t, round);
  }
  EXPECT_EQ(wrong, 0);
  meet();
  for (const shmem_team_t parent : parents) shmem_team_destroy(parent);
  meet();
}

TEST(ShmemTeam, tells_when_there_are_too_many) {
  std::vector<shmem_team_t> teams;
  shmem_team_t team = SHMEM_TEAM_INVALID;
  while (shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, size(), nullptr, 0, &team) == 0) teams.push_back(team);
  EXPECT_EQ(team, SHMEM_TEAM_INVALID);
  EXPECT_GE(teams.size(), 32u);
  for (const shmem_team_t made : teams) shmem_team_destroy(made);
  EXPECT_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, size(), nullptr, 0, &team), 0);
  shmem_team_destroy(team);
  meet();
}

}  // namespace
}  // namespace halocline::test
