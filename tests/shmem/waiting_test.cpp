// OpenSHMEM 1.5, point-to-point synchronization.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "core_test.hpp"

namespace halocline::test {
namespace {

constexpr std::size_t count = 8;

/// Variables that the previous PE changes.
template <class T>
class Variables {
 public:
  Variables() : place_(static_cast<T *>(shmem_calloc(count, sizeof(T)))) { meet(); }
  Variables(const Variables &) = delete;
  Variables &operator=(const Variables &) = delete;
  ~Variables() {
    meet();
    shmem_free(place_);
  }
  T *get() const { return place_; }

 private:
  T *place_;
};

// clang-format off
#define WAIT_TYPES(X) X(short, short) X(int, int) X(long, long) X(longlong, long long) X(ushort, unsigned short) X(uint, unsigned int) \
  X(ulong, unsigned long) X(ulonglong, unsigned long long) X(int32, int32_t) X(int64, int64_t) X(uint32, uint32_t) X(uint64, uint64_t) \
  X(size, size_t) X(ptrdiff, ptrdiff_t)
// clang-format on

// Every comparison, each with a value that fulfils it and one that does not; then a wait for what the previous PE writes.
#define WAITS(name, type)                                                                                     \
  TEST(ShmemWait, compares_##name) {                                                                          \
    const Variables<type> variables;                                                                          \
    type *ivar = variables.get();                                                                             \
    *ivar = 5;                                                                                                \
    const int right[] = {SHMEM_CMP_EQ, SHMEM_CMP_NE, SHMEM_CMP_GT, SHMEM_CMP_GE, SHMEM_CMP_LT, SHMEM_CMP_LE}; \
    const type holds[] = {5, 4, 4, 5, 6, 5}, fails[] = {4, 5, 5, 6, 5, 4};                                    \
    for (int i = 0; i < 6; ++i) {                                                                             \
      EXPECT_EQ(shmem_##name##_test(ivar, right[i], holds[i]), 1) << i;                                       \
      EXPECT_EQ(shmem_##name##_test(ivar, right[i], fails[i]), 0) << i;                                       \
      shmem_##name##_wait_until(ivar, right[i], holds[i]);                                                    \
    }                                                                                                         \
    meet();                                                                                                   \
    shmem_##name##_p(ivar, static_cast<type>(20 + rank()), next());                                           \
    shmem_##name##_wait_until(ivar, SHMEM_CMP_EQ, static_cast<type>(20 + previous()));                        \
    EXPECT_EQ(*ivar, static_cast<type>(20 + previous()));                                                     \
  }
WAIT_TYPES(WAITS)

// All, any and some of one type, and as vectors.
#define SEVERAL(name, type)                                                                                     \
  TEST(ShmemWait, looks_at_several_##name) {                                                                    \
    const Variables<type> variables;                                                                            \
    type *ivars = variables.get();                                                                              \
    int status[count] = {0, 1, 0, 0, 0, 0, 0, 0};                                                               \
    std::size_t indices[count] = {};                                                                            \
    type wanted[count];                                                                                         \
    for (std::size_t i = 0; i < count; ++i) wanted[i] = static_cast<type>(i + 1);                               \
    EXPECT_EQ(shmem_##name##_test_any(ivars, count, status, SHMEM_CMP_NE, 0), SIZE_MAX);                        \
    EXPECT_EQ(shmem_##name##_test_some(ivars, count, indices, status, SHMEM_CMP_NE, 0), 0u);                    \
    EXPECT_EQ(shmem_##name##_test_all(ivars, count, status, SHMEM_CMP_NE, 0), 0);                               \
    EXPECT_EQ(shmem_##name##_test_all(ivars, 0, nullptr, SHMEM_CMP_NE, 0), 1);                                  \
    EXPECT_EQ(shmem_##name##_wait_until_any(ivars, 0, nullptr, SHMEM_CMP_NE, 0), SIZE_MAX);                     \
    EXPECT_EQ(shmem_##name##_wait_until_some(ivars, 0, indices, nullptr, SHMEM_CMP_NE, 0), 0u);                 \
    shmem_##name##_wait_until_all(ivars, 0, nullptr, SHMEM_CMP_NE, 0);                                          \
    meet();                                                                                                     \
    shmem_##name##_p(ivars + 3, 4, next());                                                                     \
    EXPECT_EQ(shmem_##name##_wait_until_any(ivars, count, status, SHMEM_CMP_NE, 0), 3u);                        \
    EXPECT_EQ(shmem_##name##_wait_until_some_vector(ivars, count, indices, status, SHMEM_CMP_EQ, wanted), 1u);  \
    EXPECT_EQ(indices[0], 3u);                                                                                  \
    EXPECT_EQ(shmem_##name##_test_any_vector(ivars, count, status, SHMEM_CMP_EQ, wanted), 3u);                  \
    meet();                                                                                                     \
    for (std::size_t i = 0; i < count; ++i)                                                                     \
      if (status[i] == 0) shmem_##name##_p(ivars + i, wanted[i], next());                                       \
    shmem_##name##_wait_until_all(ivars, count, status, SHMEM_CMP_NE, 0);                                       \
    shmem_##name##_wait_until_all_vector(ivars, count, status, SHMEM_CMP_EQ, wanted);                           \
    EXPECT_EQ(shmem_##name##_test_all_vector(ivars, count, status, SHMEM_CMP_EQ, wanted), 1);                   \
    EXPECT_EQ(shmem_##name##_test_all_vector(ivars, count, nullptr, SHMEM_CMP_EQ, wanted), 0);                  \
    EXPECT_EQ(shmem_##name##_test_some_vector(ivars, count, indices, status, SHMEM_CMP_EQ, wanted), count - 1); \
    EXPECT_EQ(shmem_##name##_wait_until_some(ivars, count, indices, status, SHMEM_CMP_GT, 6), 2u);              \
    EXPECT_EQ(indices[0], 6u);                                                                                  \
    EXPECT_EQ(indices[1], 7u);                                                                                  \
    EXPECT_EQ(shmem_##name##_wait_until_any_vector(ivars, count, status, SHMEM_CMP_EQ, wanted), 0u);            \
    EXPECT_EQ(shmem_##name##_test(ivars + 1, SHMEM_CMP_EQ, 0), 1);                                              \
  }
WAIT_TYPES(SEVERAL)

TEST(ShmemWait, sees_the_data_that_was_put_before_a_fence) {
  const Words words(101);
  for (std::uint64_t step = 1; step <= 50; ++step) {
    std::uint64_t data[100];
    write_words(data, 100, rank(), step);
    shmem_put64(words.get(), data, 100, next());
    shmem_fence();
    shmem_uint64_p(words.get() + 100, step, next());
    shmem_uint64_wait_until(words.get() + 100, SHMEM_CMP_EQ, step);
    expect_words(words.get(), 100, previous(), step);
    meet();
  }
}

TEST(ShmemWait, returns_the_signal_for_which_it_waited) {
  const Words words(11);
  auto *signal = words.get() + 10;
  for (std::uint64_t step = 1; step <= 20; ++step) {
    std::uint64_t data[10];
    write_words(data, 10, rank(), step);
    shmem_uint64_put_signal(words.get(), data, 10, signal, 3, SHMEM_SIGNAL_ADD, next());
    EXPECT_EQ(shmem_signal_wait_until(signal, SHMEM_CMP_GE, 3 * step), 3 * step);
    EXPECT_EQ(shmem_signal_fetch(signal), 3 * step);
    expect_words(words.get(), 10, previous(), step);
    meet();
  }
}

TEST(ShmemWait, waits_for_another_pes_variable_that_shmem_ptr_finds) {
  const Words words(1);
  *words.get() = 0;
  meet();
  if (auto *theirs = static_cast<std::uint64_t *>(shmem_ptr(words.get(), next()))) {
    shmem_uint64_p(words.get(), 5, next());
    shmem_uint64_wait_until(theirs, SHMEM_CMP_EQ, 5);
    EXPECT_EQ(*theirs, 5u);
  }
  meet();
}

TEST(ShmemWait, has_its_deprecated_form) {
  const Words words(1);
  auto *flag = reinterpret_cast<long *>(words.get());
  shmem_long_p(flag, 7, next());
  shmem_long_wait(flag, 0);
  EXPECT_EQ(*flag, 7);
  shmem_wait_until(flag, SHMEM_CMP_EQ, 7);
  meet();
}

}  // namespace
}  // namespace halocline::test
