// Copies between a device and the host that no driver takes at once. In the place of one there is a table of functions that note them.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "device/staging.hpp"

namespace halocline::core::device {
namespace {

constexpr std::int64_t kGigabyte = std::int64_t{1} << 30, kMost = std::numeric_limits<std::int32_t>::max();

std::vector<Copy3d> noted;
char anything[64];

template <class Handle>
Result give(Handle *handle) {
  *handle = reinterpret_cast<Handle>(anything);
  return kSuccess;
}

Driver noting() {
  Driver table;
  table.pointer_get_attributes.call = [](unsigned, int *, void **answers, Address) { return give(static_cast<Context *>(answers[0])); };
  table.context_push.call = [](Context) { return kSuccess; };
  table.context_pop.call = [](Context *context) { return give(context); };
  table.stream_create.call = [](Stream *stream, unsigned) { return give(stream); };
  table.stream_synchronize.call = table.stream_destroy.call = [](Stream) { return kSuccess; };
  table.event_create.call = [](Event *event, unsigned) { return give(event); };
  table.event_destroy.call = [](Event) { return kSuccess; };
  table.host_alloc.call = [](void **memory, std::size_t, unsigned) { return give(memory); };
  table.host_free.call = [](void *) { return kSuccess; };
  table.copy_3d.call = [](const void *copy, Stream) {
    noted.push_back(*static_cast<const Copy3d *>(copy));
    return kSuccess;
  };
  return table;
}

/// The copies of rows between two addresses, which are not accessed.
std::vector<Copy3d> copies_of(std::int64_t run, std::int64_t count, std::int64_t step) {
  static const Driver table = noting();
  found_driver.store(&table);
  Staging staging;
  EXPECT_EQ(staging.open({"test", 0}, anything, 0, 1), Status::ok);
  StridedCopy copy;
  copy.run = run;
  copy.count[0] = count;
  copy.from = {reinterpret_cast<char *>(std::uintptr_t{1} << 40), true, {step}};
  copy.to = {reinterpret_cast<char *>(std::uintptr_t{1} << 41), false, {step}};
  noted.clear();
  EXPECT_EQ(staging.begin({"test", 0}, {&copy, 1}), Status::ok);
  return noted;
}

/// Row after row, each from its first byte to its last.
void expect_all(std::int64_t run, std::int64_t count, std::int64_t step) {
  std::vector<Copy3d> copies = copies_of(run, count, step);
  std::sort(copies.begin(), copies.end(), [](const Copy3d &a, const Copy3d &b) { return a.from.device < b.from.device; });
  std::int64_t row = 0, done = 0;
  for (const Copy3d &one : copies) {
    EXPECT_EQ(one.from.device, (Address{1} << 40) + static_cast<Address>(row * step + done));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(one.to.host), (std::uintptr_t{1} << 41) + static_cast<std::uintptr_t>(row * step + done));
    EXPECT_EQ(one.height * one.depth, 1U);
    for (const std::size_t bytes : {one.width_bytes, one.from.pitch, one.to.pitch}) EXPECT_LE(bytes, static_cast<std::size_t>(kMost));
    done += static_cast<std::int64_t>(one.width_bytes);
    if (done < run) continue;
    EXPECT_EQ(done, run);
    done = 0;
    ++row;
  }
  EXPECT_EQ(row, count);
}

TEST(Staging, takes_a_run_as_long_as_a_pitch_may_be_at_once) { EXPECT_EQ(copies_of(kMost, 1, 0).size(), 1U); }

TEST(Staging, takes_longer_runs_in_pieces) {
  for (const std::int64_t run : {kMost + 1, kMost + 2, 3 * kGigabyte, 5 * kGigabyte + 7}) expect_all(run, 1, 0);
}

TEST(Staging, takes_each_of_several_longer_runs_in_pieces) { expect_all(3 * kGigabyte + 8, 3, 4 * kGigabyte); }

}  // namespace
}  // namespace halocline::core::device
