// OpenSHMEM 1.5, collective routines, of teams and of active sets, against what each PE works out alone.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <complex>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "core_test.hpp"

namespace halocline::test {
namespace {

/// PEs as PEs of the world, in the order of a team or an active set.
struct Members {
  int first = 0, stride = 1, count = 0;
  int me = -1;

  int world(int member) const { return first + member * stride; }
};

Members members_of(shmem_team_t team) {
  const int count = shmem_team_n_pes(team);
  Members members{shmem_team_translate_pe(team, 0, SHMEM_TEAM_WORLD), 1, count, shmem_team_my_pe(team)};
  if (count > 1) members.stride = shmem_team_translate_pe(team, 1, SHMEM_TEAM_WORLD) - members.first;
  return members;
}

/// The teams that the tests use: all PEs, those of the node, every other one, all but the first.
void with_teams(const std::function<void(shmem_team_t, const Members &)> &work) {
  std::vector<shmem_team_t> teams{SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED};
  shmem_team_t made = SHMEM_TEAM_INVALID;
  if (shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (size() + 1) / 2, nullptr, 0, &made) == 0) teams.push_back(made);
  if (size() > 1 && shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 1, size() - 1, nullptr, 0, &made) == 0) teams.push_back(made);
  for (const shmem_team_t team : teams) {
    if (team != SHMEM_TEAM_INVALID) work(team, members_of(team));
    meet();
  }
  for (std::size_t i = 2; i < teams.size(); ++i) shmem_team_destroy(teams[i]);
  meet();
}

/// The active sets that the tests use, with those of their PEs that this process is.
struct Active {
  int start, log_stride, count;
};

void with_active_sets(const std::function<void(const Active &, const Members &)> &work) {
  std::vector<Active> sets{{0, 0, size()}, {0, 1, (size() + 1) / 2}};
  if (size() > 1) sets.push_back({1, 0, size() - 1});
  if (size() > 2) sets.push_back({size() - 1, 0, 1});
  for (const Active &set : sets) {
    const int stride = 1 << set.log_stride, distance = rank() - set.start;
    if (distance >= 0 && distance % stride == 0 && distance / stride < set.count)
      work(set, {set.start, stride, set.count, distance / stride});
    meet();
  }
}

long sync_array[SHMEM_REDUCE_SYNC_SIZE], work_array[SHMEM_REDUCE_MIN_WRKDATA_SIZE];

constexpr std::size_t sizes[] = {1, 3, 100, 1000, 5000};
constexpr std::size_t most = 5000;

TEST(ShmemCollective, broadcast_gives_all_the_data_of_the_root) {
  const Words source(most), dest(most);
  with_teams([&](shmem_team_t team, const Members &members) {
    std::uint64_t step = 0;
    for (const std::size_t count : sizes) {
      for (int root = 0; root < members.count; ++root) {
        write_words(source.get(), count, rank(), ++step);
        std::fill_n(dest.get(), count, 0);
        EXPECT_EQ(shmem_team_sync(team), 0);
        EXPECT_EQ(shmem_uint64_broadcast(team, dest.get(), source.get(), count, root), 0);
        expect_words(dest.get(), count, members.world(root), step);
        EXPECT_EQ(shmem_team_sync(team), 0);
      }
    }
    std::memset(dest.get(), 0, 8);
    std::memset(source.get(), 17 + members.me, 5);
    EXPECT_EQ(shmem_team_sync(team), 0);
    EXPECT_EQ(shmem_broadcastmem(team, dest.get(), source.get(), 5, members.count - 1), 0);
    EXPECT_EQ(reinterpret_cast<char *>(dest.get())[4], 16 + members.count);
    EXPECT_EQ(reinterpret_cast<char *>(dest.get())[5], 0);
  });
}

TEST(ShmemCollective, broadcast_of_an_active_set_leaves_the_root_alone) {
  const Words source(most), dest(most);
  with_active_sets([&](const Active &set, const Members &members) {
    std::uint64_t step = 0;
    for (const std::size_t count : sizes) {
      for (int root = 0; root < members.count; ++root) {
        write_words(source.get(), count, rank(), ++step);
        std::fill_n(dest.get(), count, 9);
        shmem_barrier(set.start, set.log_stride, set.count, sync_array);
        shmem_broadcast64(dest.get(), source.get(), count, root, set.start, set.log_stride, set.count, sync_array);
        if (members.me == root)
          EXPECT_TRUE(std::all_of(dest.get(), dest.get() + count, [](std::uint64_t word) { return word == 9; }));
        else
          expect_words(dest.get(), count, members.world(root), step);
        shmem_sync(set.start, set.log_stride, set.count, sync_array);
      }
    }
  });
}

TEST(ShmemCollective, collect_puts_what_all_have_one_after_the_other) {
  const std::size_t all = most * static_cast<std::size_t>(size());
  const Words source(most + 16), dest(all + 16 * static_cast<std::size_t>(size() * size()));
  with_teams([&](shmem_team_t team, const Members &members) {
    std::uint64_t step = 0;
    for (const std::size_t count : sizes) {
      const auto mine = static_cast<std::size_t>(members.me);
      write_words(source.get(), count + mine, rank(), ++step);
      EXPECT_EQ(shmem_team_sync(team), 0);
      EXPECT_EQ(shmem_uint64_fcollect(team, dest.get(), source.get(), count), 0);
      for (int member = 0; member < members.count; ++member)
        expect_words(dest.get() + static_cast<std::size_t>(member) * count, count, members.world(member), step);
      EXPECT_EQ(shmem_team_sync(team), 0);
      EXPECT_EQ(shmem_uint64_collect(team, dest.get(), source.get(), count + mine), 0);
      const std::uint64_t *at = dest.get();
      for (int member = 0; member < members.count; ++member) {
        expect_words(at, count + static_cast<std::size_t>(member), members.world(member), step);
        at += count + static_cast<std::size_t>(member);
      }
      EXPECT_EQ(shmem_team_sync(team), 0);
    }
    // One of them has nothing.
    write_words(source.get(), 2, rank(), ++step);
    EXPECT_EQ(shmem_team_sync(team), 0);
    EXPECT_EQ(shmem_uint64_collect(team, dest.get(), source.get(), members.me == 0 ? 0 : 2), 0);
    for (int member = 1; member < members.count; ++member) expect_words(dest.get() + 2 * (member - 1), 2, members.world(member), step);
  });
}

TEST(ShmemCollective, collect_works_for_active_sets) {
  const Words source(101), dest(101 * static_cast<std::size_t>(size()) * 2);
  with_active_sets([&](const Active &set, const Members &members) {
    write_words(source.get(), 100, rank(), 3);
    shmem_barrier(set.start, set.log_stride, set.count, sync_array);
    shmem_fcollect64(dest.get(), source.get(), 100, set.start, set.log_stride, set.count, sync_array);
    for (int member = 0; member < members.count; ++member) expect_words(dest.get() + 100 * member, 100, members.world(member), 3);
    shmem_barrier(set.start, set.log_stride, set.count, sync_array);
    shmem_collect64(dest.get(), source.get(), static_cast<std::size_t>(members.me + 1), set.start, set.log_stride, set.count, sync_array);
    const std::uint64_t *at = dest.get();
    for (int member = 0; member < members.count; at += member + 1, ++member)
      expect_words(at, static_cast<std::size_t>(member + 1), members.world(member), 3);
    shmem_barrier(set.start, set.log_stride, set.count, sync_array);
    auto *halves = reinterpret_cast<std::uint32_t *>(dest.get());
    shmem_fcollect32(halves, source.get(), 2, set.start, set.log_stride, set.count, sync_array);
    for (int member = 0; member < members.count; ++member) expect_words(dest.get() + member, 1, members.world(member), 3);
  });
}

/// Word `index` of what a member has for another.
std::uint64_t word_for(int from, int to, std::uint64_t index) { return word_of(from, static_cast<std::uint64_t>(to) + 1, index); }

TEST(ShmemCollective, alltoall_gives_each_its_part) {
  const auto count = std::size_t{200}, all = count * static_cast<std::size_t>(size()) * 3;
  const Words source(all), dest(all);
  with_teams([&](shmem_team_t team, const Members &members) {
    for (const std::ptrdiff_t stride : {1, 2, 3}) {
      for (int to = 0; to < members.count; ++to)
        for (std::size_t i = 0; i < count; ++i)
          source.get()[(static_cast<std::size_t>(to) * count + i) * static_cast<std::size_t>(stride)] =
              word_for(rank(), members.world(to), i);
      std::fill_n(dest.get(), all, 0);
      EXPECT_EQ(shmem_team_sync(team), 0);
      const std::ptrdiff_t other = 4 - stride;
      if (stride == 1)
        EXPECT_EQ(shmem_uint64_alltoall(team, dest.get(), source.get(), count), 0);
      else
        EXPECT_EQ(shmem_uint64_alltoalls(team, dest.get(), source.get(), other, stride, count), 0);
      const auto step = static_cast<std::size_t>(stride == 1 ? 1 : other);
      for (int from = 0; from < members.count; ++from)
        for (std::size_t i = 0; i < count; ++i)
          ASSERT_EQ(dest.get()[(static_cast<std::size_t>(from) * count + i) * step], word_for(members.world(from), rank(), i))
              << "word " << i << " of PE " << from << ", stride " << stride;
      EXPECT_EQ(shmem_team_sync(team), 0);
    }
  });
  with_active_sets([&](const Active &set, const Members &members) {
    for (int to = 0; to < members.count; ++to)
      for (std::size_t i = 0; i < count; ++i)
        source.get()[static_cast<std::size_t>(to) * count + i] = word_for(rank(), members.world(to), i);
    shmem_barrier(set.start, set.log_stride, set.count, sync_array);
    shmem_alltoall64(dest.get(), source.get(), count, set.start, set.log_stride, set.count, sync_array);
    for (int from = 0; from < members.count; ++from)
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(dest.get()[static_cast<std::size_t>(from) * count + i], word_for(members.world(from), rank(), i));
    shmem_barrier(set.start, set.log_stride, set.count, sync_array);
    shmem_alltoalls64(dest.get(), source.get(), 2, 1, count, set.start, set.log_stride, set.count, sync_array);
    for (int from = 0; from < members.count; ++from)
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(dest.get()[2 * (static_cast<std::size_t>(from) * count + i)], word_for(members.world(from), rank(), i));
  });
}

/// Small numbers, so that no sum or product of all PEs is rounded or overflows; bits that differ.
template <class T>
T number_of(int pe, std::size_t index) {
  return static_cast<T>(static_cast<signed char>(1 + (static_cast<std::size_t>(pe) + index) % 2));
}

/// Compares a reduction with the same in a loop: of longs for each team, of other types for all PEs.
template <class T, class Call, class Combine>
void expect_reduction(const char *what, Call call, Combine combine) {
  auto *source = static_cast<T *>(shmem_malloc(most * sizeof(T))), *dest = static_cast<T *>(shmem_malloc(most * sizeof(T)));
  const auto compare = [&](shmem_team_t team, const Members &members, std::size_t count, bool in_place) {
    for (std::size_t i = 0; i < count; ++i) source[i] = number_of<T>(rank(), i), dest[i] = T{};
    EXPECT_EQ(shmem_team_sync(team), 0);
    T *result = in_place ? source : dest;
    EXPECT_EQ(call(team, result, source, count), 0);
    for (std::size_t i = 0; i < count; ++i) {
      T expected = number_of<T>(members.world(0), i);
      for (int member = 1; member < members.count; ++member)
        expected = static_cast<T>(combine(expected, number_of<T>(members.world(member), i)));
      if (result[i] == expected) continue;
      ADD_FAILURE() << what << ": element " << i << " of " << count << (in_place ? ", in place" : "");
      break;
    }
    EXPECT_EQ(shmem_team_sync(team), 0);
  };
  const auto compare_all = [&](shmem_team_t team, const Members &members) {
    compare(team, members, 1, true);
    compare(team, members, 7, false);
    compare(team, members, most, false);
    compare(team, members, most, true);
  };
  if constexpr (std::is_same_v<T, long>)
    with_teams(compare_all);
  else
    compare_all(SHMEM_TEAM_WORLD, members_of(SHMEM_TEAM_WORLD));
  shmem_free(dest);
  shmem_free(source);
}

#define SAME(operation, name, type, combine) \
  expect_reduction<type>("shmem_" #name "_" #operation "_reduce", shmem_##name##_##operation##_reduce, combine)
#define ORDER(name, type)                                                \
  TEST(ShmemCollective, reduces_##name##_by_order) {                     \
    SAME(max, name, type, [](type a, type b) { return a < b ? b : a; }); \
    SAME(min, name, type, [](type a, type b) { return b < a ? b : a; }); \
  }
#define NUMBERS(name, type)                                       \
  TEST(ShmemCollective, reduces_##name##_by_sum_and_product) {    \
    SAME(sum, name, type, [](type a, type b) { return a + b; });  \
    SAME(prod, name, type, [](type a, type b) { return a * b; }); \
  }
#define REDUCED_BITS(name, type)                                 \
  TEST(ShmemCollective, reduces_bits_of_##name) {                \
    SAME(and, name, type, [](type a, type b) { return a & b; }); \
    SAME(or, name, type, [](type a, type b) { return a | b; });  \
    SAME(xor, name, type, [](type a, type b) {                   \
      return a ^ b;                                              \
    });                                                          \
  }
// clang-format off
#define BIT_TYPES(X) X(uchar, unsigned char) X(ushort, unsigned short) X(uint, unsigned int) X(ulong, unsigned long) \
  X(ulonglong, unsigned long long) X(int8, int8_t) X(int16, int16_t) X(int32, int32_t) X(int64, int64_t) X(uint8, uint8_t) \
  X(uint16, uint16_t) X(uint32, uint32_t) X(uint64, uint64_t) X(size, size_t)
#define NUMBER_TYPES(X) BIT_TYPES(X) X(float, float) X(double, double) X(longdouble, long double) X(char, char) X(schar, signed char) \
  X(short, short) X(int, int) X(long, long) X(longlong, long long) X(ptrdiff, ptrdiff_t)
// clang-format on
BIT_TYPES(REDUCED_BITS)
NUMBER_TYPES(ORDER)
NUMBER_TYPES(NUMBERS)
NUMBERS(complexf, std::complex<float>)
NUMBERS(complexd, std::complex<double>)

/// The same for the reductions of active sets.
template <class T, class Call, class Combine>
void expect_active(const char *what, Call call, Combine combine) {
  auto *source = static_cast<T *>(shmem_malloc(most * sizeof(T))), *dest = static_cast<T *>(shmem_malloc(most * sizeof(T)));
  auto *scratch = static_cast<T *>(shmem_malloc(most * sizeof(T)));
  with_active_sets([&](const Active &set, const Members &members) {
    for (const std::size_t count : {std::size_t{1}, most}) {
      for (std::size_t i = 0; i < count; ++i) source[i] = number_of<T>(rank(), i), dest[i] = T{};
      shmem_barrier(set.start, set.log_stride, set.count, sync_array);
      call(dest, source, static_cast<int>(count), set.start, set.log_stride, set.count, scratch, sync_array);
      for (std::size_t i = 0; i < count; ++i) {
        T expected = number_of<T>(members.world(0), i);
        for (int member = 1; member < members.count; ++member)
          expected = static_cast<T>(combine(expected, number_of<T>(members.world(member), i)));
        if (dest[i] != expected) {
          ADD_FAILURE() << what << ": element " << i << " of " << count;
          break;
        }
      }
      shmem_barrier(set.start, set.log_stride, set.count, sync_array);
    }
  });
  shmem_free(scratch);
  shmem_free(dest);
  shmem_free(source);
}

#define ACTIVE(operation, name, type, combine) \
  expect_active<type>("shmem_" #name "_" #operation "_to_all", shmem_##name##_##operation##_to_all, combine)
#define ACTIVE_NUMBERS(name, type)                                  \
  TEST(ShmemActiveSet, reduces_##name##_by_sum_and_product) {       \
    ACTIVE(sum, name, type, [](type a, type b) { return a + b; });  \
    ACTIVE(prod, name, type, [](type a, type b) { return a * b; }); \
  }
#define ACTIVE_ORDER(name, type)                                           \
  TEST(ShmemActiveSet, reduces_##name##_by_order) {                        \
    ACTIVE(max, name, type, [](type a, type b) { return a < b ? b : a; }); \
    ACTIVE(min, name, type, [](type a, type b) { return b < a ? b : a; }); \
  }
#define ACTIVE_BITS(name, type)                                    \
  TEST(ShmemActiveSet, reduces_bits_of_##name) {                   \
    ACTIVE(and, name, type, [](type a, type b) { return a & b; }); \
    ACTIVE(or, name, type, [](type a, type b) { return a | b; });  \
    ACTIVE(xor, name, type, [](type a, type b) {                   \
      return a ^ b;                                                \
    });                                                            \
  }
// clang-format off
#define OLD_BIT_TYPES(X) X(short, short) X(int, int) X(long, long) X(longlong, long long)
#define OLD_ORDER_TYPES(X) OLD_BIT_TYPES(X) X(float, float) X(double, double) X(longdouble, long double)
// clang-format on
OLD_BIT_TYPES(ACTIVE_BITS)
OLD_ORDER_TYPES(ACTIVE_ORDER)
OLD_ORDER_TYPES(ACTIVE_NUMBERS)
ACTIVE_NUMBERS(complexf, std::complex<float>)
ACTIVE_NUMBERS(complexd, std::complex<double>)

TEST(ShmemCollective, sums_have_the_same_bits_everywhere) {
  auto *source = static_cast<double *>(shmem_malloc(most * sizeof(double))),
       *dest = static_cast<double *>(shmem_malloc(most * sizeof(double)));
  const Words sums(most);
  for (const std::size_t count : {std::size_t{5}, most}) {
    for (std::size_t i = 0; i < count; ++i) source[i] = 1.0 / (3.0 + static_cast<double>(i) + 7.0 * rank());
    meet();
    EXPECT_EQ(shmem_double_sum_reduce(SHMEM_TEAM_WORLD, dest, source, count), 0);
    // The result of PE 0 is there once that has returned, too.
    meet();
    auto *first = reinterpret_cast<double *>(sums.get());
    shmem_double_get(first, dest, count, 0);
    EXPECT_EQ(std::memcmp(first, dest, count * sizeof(double)), 0) << count;
    meet();
  }
  shmem_free(dest);
  shmem_free(source);
}

TEST(ShmemBarrier, completes_what_was_put_before_it) {
  const Words words(static_cast<std::size_t>(size()));
  for (std::uint64_t step = 1; step <= 100; ++step) {
    for (int pe = 0; pe < size(); ++pe) shmem_uint64_p(words.get() + rank(), word_of(rank(), step, 0), pe);
    shmem_barrier_all();
    for (int pe = 0; pe < size(); ++pe) ASSERT_EQ(words.get()[pe], word_of(pe, step, 0)) << "step " << step;
    shmem_sync_all();
  }
}

TEST(ShmemBarrier, lets_nobody_leave_before_all_have_entered) {
  static long entered;
  entered = 0;
  meet();
  for (long step = 1; step <= 100; ++step) {
    shmem_long_atomic_inc(&entered, 0);
    shmem_quiet();
    shmem_sync_all();
    EXPECT_GE(shmem_long_atomic_fetch(&entered, 0), step * size());
    EXPECT_EQ(shmem_team_sync(SHMEM_TEAM_WORLD), 0);
  }
  EXPECT_EQ(work_array[0], 0);
}

TEST(ShmemCache, does_nothing) {
  const Words words(1);
  shmem_set_cache_inv();
  shmem_clear_cache_inv();
  shmem_set_cache_line_inv(words.get());
  shmem_clear_cache_line_inv(words.get());
  shmem_udcflush();
  shmem_udcflush_line(words.get());
  EXPECT_EQ(*words.get(), 0u);
}

}  // namespace
}  // namespace halocline::test
