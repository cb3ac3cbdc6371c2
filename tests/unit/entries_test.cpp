// Prefetching the entries of a list: it goes through each form that a list is kept in, and ends at its limit.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "index_halo/entries.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace halocline::core {
namespace {

constexpr std::int64_t kAmple = 1 << 20;

/// Entries of three doubles in an array of 1000.
struct Array {
  std::vector<char> bytes = std::vector<char>(24'000);
  EntryKind kind{HLC_FLOAT64, 8, 3};
  EntryLayout side_by_side{bytes.data(), 24, 8};
  EntryLayout in_blocks{bytes.data(), 8, 8'000};

  std::int64_t left(const Indices &list, const EntryLayout &layout, std::int64_t most = kAmple) const {
    return prefetch(map_to_buffer(list), kind, layout, most);
  }
};

Indices every(std::int64_t stride, std::size_t count) {
  Indices list(count);
  for (std::size_t k = 0; k < count; ++k) list[k] = static_cast<std::int64_t>(k) * stride;
  return list;
}

TEST(Entries, prefetch_goes_through_runs_lists_and_blocks) {
  const Array array;
  for (const Indices &list : {every(1, 100), every(3, 100), Indices{7, 3, 8, 8, 500}, Indices{}})
    for (const EntryLayout &layout : {array.side_by_side, array.in_blocks})
      EXPECT_EQ(array.left(list, layout), kAmple - 24 * static_cast<std::int64_t>(list.size()));
}

TEST(Entries, prefetch_goes_through_several_runs_of_some_entries) {
  const Array array;
  Indices runs(20);
  std::iota(runs.begin(), runs.begin() + 10, 0);
  std::iota(runs.begin() + 10, runs.end(), 900);
  EXPECT_EQ(array.left(runs, array.side_by_side), kAmple - 24 * 20);
  EXPECT_EQ(array.left(runs, array.in_blocks), kAmple - 24 * 20);
}

TEST(Entries, prefetch_ends_at_its_limit) {
  const Array array;
  for (const Indices &list : {every(1, 300), every(3, 300)})
    for (const EntryLayout &layout : {array.side_by_side, array.in_blocks}) EXPECT_EQ(array.left(list, layout, 1000), 0);
  EXPECT_EQ(array.left(every(1, 300), array.side_by_side, 0), 0);
}

}  // namespace
}  // namespace halocline::core
