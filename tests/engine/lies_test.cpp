// Malformed and forged messages of a peer of the job that has its secret: broken copies accompany all messages (lying_libfabric.cpp). All
// tests of segments in this program have to pass as usual, and memory around what they use stays untouched.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include <algorithm>
#include <cstring>

#include "engine/segments.hpp"
#include "support/library.hpp"

namespace halocline::test {
namespace {

void *liar() {
  static void *const handle = dlopen(HALOCLINE_LYING_LIBFABRIC, RTLD_NOW | RTLD_LOCAL);
  return handle;
}

std::uint64_t lies() { return reinterpret_cast<std::uint64_t (*)()>(dlsym(liar(), "halocline_test_lies"))(); }
void forge(int on) { reinterpret_cast<void (*)(int)>(dlsym(liar(), "halocline_test_forge"))(on); }

/// Every rank performs atomics and sets notifications at every other, on numbers of its own, between numbers that no rank touches.
TEST(Lies, change_nothing_in_a_segment) {
  constexpr std::int64_t guard = 512;
  const std::int64_t mine = guard + 64 * rank();
  TestSegment segment(2 * guard + 64 * size(), size());
  std::fill(segment.data(), segment.data() + 2 * guard + 64 * size(), std::byte{0});
  std::fill(segment.data(), segment.data() + guard, untouched);
  std::fill(segment.data() + guard + 64 * size(), segment.data() + 2 * guard + 64 * size(), untouched);
  segment.barrier();
  const std::uint64_t before = lies();
  for (int step = 0; step < 50; ++step)
    for (int to = 0; to < size(); ++to) {
      std::int64_t old = -1;
      EXPECT_TRUE(ok(hlc_atomic_fetch_add(segment.at(to, mine), HLC_NUMBER_INT64, 3, &old)));
      EXPECT_EQ(old, 3 * step);
      EXPECT_TRUE(ok(hlc_atomic_compare_swap(segment.at(to, mine + 8), HLC_NUMBER_INT64, step, step + 1, &old)));
      EXPECT_EQ(old, step);
      const std::int32_t ones[] = {1, 1, 1, 1, 1};
      EXPECT_TRUE(ok(hlc_accumulate(segment.at(to, mine + 16), {HLC_OP_SUM, HLC_NUMBER_INT32}, ones, 5)));
      EXPECT_TRUE(ok(hlc_flush(segment.raw(), to)));
      hlc_atomic list[2] = {{segment.at(to, mine + 40), HLC_NUMBER_INT64, HLC_OP_SUM, 0, 5, 0, -1},
                            {segment.at(to, mine + 48), HLC_NUMBER_INT64, HLC_OP_SUM, 1, step + 1, step, -1}};
      EXPECT_TRUE(ok(hlc_atomics(list, 2)));
      EXPECT_EQ(list[0].old, 5 * step);
      EXPECT_EQ(list[1].old, step);
    }
  segment.barrier();
  for (int origin = 0; origin < size(); ++origin) {
    std::int64_t sums[2], listed[2];
    std::memcpy(listed, segment.data() + guard + 64 * origin + 40, sizeof listed);
    EXPECT_EQ(listed[0], 250);
    EXPECT_EQ(listed[1], 50);
    std::int32_t ones[5];
    std::memcpy(sums, segment.data() + guard + 64 * origin, sizeof sums);
    std::memcpy(ones, segment.data() + guard + 64 * origin + 16, sizeof ones);
    EXPECT_EQ(sums[0], 150);
    EXPECT_EQ(sums[1], 50);
    for (const std::int32_t one : ones) EXPECT_EQ(one, 50);
    EXPECT_EQ(segment.data()[guard + 64 * origin + 36], std::byte{0});
  }
  const auto is_untouched = [](std::byte byte) { return byte == untouched; };
  EXPECT_TRUE(std::all_of(segment.data(), segment.data() + guard, is_untouched));
  EXPECT_TRUE(std::all_of(segment.data() + guard + 64 * size(), segment.data() + 2 * guard + 64 * size(), is_untouched));
  EXPECT_GT(lies(), before + 100) << "nothing was tried";
  segment.barrier();
}

/// While puts are under way, each message of the target is followed by replies to any query that this rank may have sent. It has sent none.
TEST(Lies, do_not_end_a_put_before_its_time) {
  constexpr std::int64_t bytes = 4000;  // no query confirms puts of this size
  TestSegment segment(bytes * size(), size());
  segment.barrier();
  forge(1);
  const std::uint64_t before = lies();
  for (std::uint32_t step = 1; step <= 20; ++step) {
    const std::vector<std::byte> mine = bytes_of(rank(), step, bytes);
    for (int to = 0; to < size(); ++to)
      for (int again = 0; again < 8; ++again) EXPECT_TRUE(ok(hlc_put(segment.at(to, bytes * rank()), mine.data(), bytes)));
    for (int to = 0; to < size(); ++to) EXPECT_TRUE(ok(hlc_flush(segment.raw(), to)));
    segment.barrier();
    for (int from = 0; from < size(); ++from) {
      const std::vector<std::byte> theirs = bytes_of(from, step, bytes);
      EXPECT_TRUE(std::equal(theirs.begin(), theirs.end(), segment.data() + bytes * from)) << "from rank " << from;
    }
    segment.barrier();
    for (int to = 0; to < size(); ++to) EXPECT_TRUE(ok(hlc_notify(segment.raw(), to, {rank(), step})));
    EXPECT_TRUE(ok(hlc_flush_all(segment.raw())));
  }
  forge(0);
  EXPECT_GT(lies(), before + 100) << "nothing was tried";
  segment.barrier();
}

}  // namespace
}  // namespace halocline::test

/// The library looks up libfabric here, because a program's own functions are found first.
extern "C" __attribute__((visibility("default"))) void *dlopen(const char *file, int flags) noexcept {
  static const auto next = reinterpret_cast<void *(*)(const char *, int)>(dlsym(RTLD_NEXT, "dlopen"));
  Dl_info caller;
  const bool asked = file && std::strstr(file, "libfabric") && dladdr(__builtin_return_address(0), &caller) &&
                     halocline::test::is_halocline(caller.dli_fname);
  return next(asked ? HALOCLINE_LYING_LIBFABRIC : file, flags);
}
