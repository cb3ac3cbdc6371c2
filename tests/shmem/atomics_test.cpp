// OpenSHMEM 1.5, atomic memory operations: all types, all operations, with and without contexts; on heap and static variables; contended.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "core_test.hpp"

namespace halocline::test {
namespace {

// clang-format off
#define BITWISE_TYPES(X) X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long) X(int32, int32_t) X(int64, int64_t) \
  X(uint32, uint32_t) X(uint64, uint64_t)
#define AMO_TYPES(X) BITWISE_TYPES(X) X(int, int) X(long, long) X(longlong, long long) X(size, size_t) X(ptrdiff, ptrdiff_t)
#define EXTENDED_TYPES(X) AMO_TYPES(X) X(float, float) X(double, double)
// clang-format on

/// A context for a test.
class Context {
 public:
  Context() { EXPECT_EQ(shmem_ctx_create(0, &handle_), 0); }
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;
  ~Context() { shmem_ctx_destroy(handle_); }
  shmem_ctx_t get() const { return handle_; }

 private:
  shmem_ctx_t handle_ = SHMEM_CTX_INVALID;
};

/// One variable per PE; that of the next is changed by this PE alone.
template <class T>
class Variable {
 public:
  Variable() : place_(static_cast<T *>(shmem_malloc(sizeof(T)))) {}
  Variable(const Variable &) = delete;
  Variable &operator=(const Variable &) = delete;
  ~Variable() {
    meet();
    shmem_free(place_);
  }
  T *get() const { return place_; }
  /// Sets all of them.
  void begin(T value) const {
    meet();
    *place_ = value;
    meet();
  }

 private:
  T *place_;
};

// fetch, set and swap of one type.
#define MOVES(name, type)                                                                      \
  TEST(ShmemAtomics, moves_##name) {                                                           \
    const Variable<type> variable;                                                             \
    const Context context;                                                                     \
    const type first = static_cast<type>(11 + next()), second = static_cast<type>(90);         \
    variable.begin(static_cast<type>(11 + rank()));                                            \
    type old{};                                                                                \
    EXPECT_EQ(shmem_##name##_atomic_fetch(variable.get(), next()), first);                     \
    EXPECT_EQ(shmem_##name##_atomic_swap(variable.get(), second, next()), first);              \
    shmem_##name##_atomic_fetch_nbi(&old, variable.get(), next());                             \
    shmem_quiet();                                                                             \
    EXPECT_EQ(old, second);                                                                    \
    shmem_##name##_atomic_set(variable.get(), first, next());                                  \
    shmem_quiet();                                                                             \
    shmem_ctx_##name##_atomic_swap_nbi(context.get(), &old, variable.get(), second, next());   \
    shmem_ctx_quiet(context.get());                                                            \
    EXPECT_EQ(old, first);                                                                     \
    EXPECT_EQ(shmem_ctx_##name##_atomic_fetch(context.get(), variable.get(), next()), second); \
    meet();                                                                                    \
    EXPECT_EQ(*variable.get(), second);                                                        \
  }
EXTENDED_TYPES(MOVES)

// Additions, increments, compare and swap of one type.
#define COUNTS(name, type)                                                                                  \
  TEST(ShmemAtomics, counts_##name) {                                                                       \
    const Variable<type> variable;                                                                          \
    const Context context;                                                                                  \
    variable.begin(static_cast<type>(100));                                                                 \
    type old{};                                                                                             \
    EXPECT_EQ(shmem_##name##_atomic_fetch_add(variable.get(), 7, next()), static_cast<type>(100));          \
    EXPECT_EQ(shmem_##name##_atomic_fetch_inc(variable.get(), next()), static_cast<type>(107));             \
    shmem_##name##_atomic_add(variable.get(), 2, next());                                                   \
    shmem_##name##_atomic_inc(variable.get(), next());                                                      \
    shmem_quiet();                                                                                          \
    EXPECT_EQ(shmem_##name##_atomic_compare_swap(variable.get(), 5, 6, next()), static_cast<type>(111));    \
    EXPECT_EQ(shmem_##name##_atomic_compare_swap(variable.get(), 111, 50, next()), static_cast<type>(111)); \
    shmem_ctx_##name##_atomic_fetch_add_nbi(context.get(), &old, variable.get(), 1, next());                \
    shmem_ctx_quiet(context.get());                                                                         \
    EXPECT_EQ(old, static_cast<type>(50));                                                                  \
    shmem_##name##_atomic_fetch_inc_nbi(&old, variable.get(), next());                                      \
    shmem_quiet();                                                                                          \
    EXPECT_EQ(old, static_cast<type>(51));                                                                  \
    shmem_##name##_atomic_compare_swap_nbi(&old, variable.get(), 52, 60, next());                           \
    shmem_quiet();                                                                                          \
    EXPECT_EQ(old, static_cast<type>(52));                                                                  \
    shmem_ctx_##name##_atomic_add(context.get(), variable.get(), 3, next());                                \
    shmem_ctx_quiet(context.get());                                                                         \
    meet();                                                                                                 \
    EXPECT_EQ(*variable.get(), static_cast<type>(63));                                                      \
  }
AMO_TYPES(COUNTS)

// Bits of one type.
#define BITS(name, type)                                                                               \
  TEST(ShmemAtomics, changes_bits_of_##name) {                                                         \
    const Variable<type> variable;                                                                     \
    const Context context;                                                                             \
    variable.begin(static_cast<type>(0xF0));                                                           \
    type old{};                                                                                        \
    EXPECT_EQ(shmem_##name##_atomic_fetch_or(variable.get(), 0x0F, next()), static_cast<type>(0xF0));  \
    EXPECT_EQ(shmem_##name##_atomic_fetch_and(variable.get(), 0x3C, next()), static_cast<type>(0xFF)); \
    EXPECT_EQ(shmem_##name##_atomic_fetch_xor(variable.get(), 0x0C, next()), static_cast<type>(0x3C)); \
    shmem_##name##_atomic_or(variable.get(), 0x01, next());                                            \
    shmem_fence();                                                                                     \
    shmem_##name##_atomic_and(variable.get(), 0x21, next());                                           \
    shmem_fence();                                                                                     \
    shmem_##name##_atomic_xor(variable.get(), 0x40, next());                                           \
    shmem_quiet();                                                                                     \
    shmem_##name##_atomic_fetch_or_nbi(&old, variable.get(), 0x80, next());                            \
    shmem_quiet();                                                                                     \
    EXPECT_EQ(old, static_cast<type>(0x61));                                                           \
    shmem_ctx_##name##_atomic_fetch_and_nbi(context.get(), &old, variable.get(), 0xE0, next());        \
    shmem_ctx_quiet(context.get());                                                                    \
    EXPECT_EQ(old, static_cast<type>(0xE1));                                                           \
    shmem_##name##_atomic_fetch_xor_nbi(&old, variable.get(), 0xFF, next());                           \
    shmem_quiet();                                                                                     \
    EXPECT_EQ(old, static_cast<type>(0xE0));                                                           \
    meet();                                                                                            \
    EXPECT_EQ(*variable.get(), static_cast<type>(0x1F));                                               \
  }
BITWISE_TYPES(BITS)

TEST(ShmemAtomics, of_all_pes_on_one_counter_lose_nothing) {
  constexpr long rounds = 500;
  static long counter;
  const Variable<long> number;
  number.begin(0);
  counter = 0;
  meet();
  std::vector<long> seen;
  for (long i = 0; i < rounds; ++i) {
    seen.push_back(shmem_long_atomic_fetch_inc(number.get(), 0));
    shmem_long_atomic_add(&counter, 2, 0);
  }
  meet();
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(shmem_long_g(number.get(), 0), rounds * size());
  EXPECT_EQ(shmem_long_g(&counter, 0), 2 * rounds * size());
}

/// A program may wait by repeating an atomic on a variable of its own: it does nothing else while PEs of other nodes change that.
TEST(ShmemAtomics, serve_other_nodes_while_a_program_repeats_them) {
  constexpr long rounds = 20;
  const Variable<long> variable;
  variable.begin(0);
  long *const mine = variable.get();
  const auto repeat = [mine](long round, auto look) {
    shmem_long_atomic_inc(mine, next());
    while (look() < round) continue;
  };
  for (long round = 1; round <= rounds; round += 5) {
    repeat(round, [mine] { return shmem_long_atomic_fetch(mine, rank()); });
    repeat(round + 1, [mine] { return shmem_long_atomic_fetch_add(mine, 0, rank()); });
    repeat(round + 2, [mine] { return shmem_long_atomic_compare_swap(mine, -1, -2, rank()); });
    repeat(round + 3, [mine] {
      long seen = 0;
      shmem_long_get(&seen, mine, 1, rank());
      return seen;
    });
    repeat(round + 4,
           [mine] { return static_cast<long>(shmem_ulong_atomic_fetch_or(reinterpret_cast<unsigned long *>(mine), 0, rank())); });
  }
  meet();
  EXPECT_EQ(*mine, rounds);
  meet();
}

TEST(ShmemAtomics, have_their_deprecated_names) {
  const Variable<long> variable;
  variable.begin(3);
  EXPECT_EQ(shmem_long_fadd(variable.get(), 2, next()), 3);
  EXPECT_EQ(shmem_long_finc(variable.get(), next()), 5);
  EXPECT_EQ(shmem_long_cswap(variable.get(), 6, 20, next()), 6);
  shmem_long_add(variable.get(), 1, next());
  shmem_long_inc(variable.get(), next());
  shmem_quiet();
  EXPECT_EQ(shmem_long_fetch(variable.get(), next()), 22);
  EXPECT_EQ(shmem_long_swap(variable.get(), 4, next()), 22);
  shmem_long_set(variable.get(), 9, next());
  shmem_quiet();
  EXPECT_EQ(shmem_long_fetch(variable.get(), next()), 9);
  meet();
}

}  // namespace
}  // namespace halocline::test
