// Put and get, plain and strided, to every rank that can be reached, against a serial oracle. The oracle is an image of all ranks' parts.
// Every rank writes there what all ranks have drawn, from the same seeds.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstring>

#include "engine/segments.hpp"
#include "support/skew.hpp"

namespace halocline::test {
namespace {

constexpr std::int64_t put_sizes[] = {0, 1, 7, 8, 63, 4096, (1 << 20) + 3};
constexpr std::int64_t region_bytes = (1 << 20) + 4096;  // what one origin may write in a part

/// The parts of all ranks as they must be. Region r of each part is written by rank r alone.
class Image {
 public:
  Image() : parts_(static_cast<std::size_t>(size()), std::vector<std::byte>(part_bytes())) {}
  static std::size_t part_bytes() { return static_cast<std::size_t>(region_bytes * size()); }
  std::vector<std::byte> &part(int rank) { return parts_[static_cast<std::size_t>(rank)]; }

 private:
  std::vector<std::vector<std::byte>> parts_;
};

/// The random numbers of one rank in one step, the same on whichever rank they are drawn.
Random dice(int origin, int step, int stream) {
  return Random(mixed(seed() ^ mixed(static_cast<std::uint64_t>(origin) << 40 | static_cast<std::uint64_t>(step) << 8 |
                                     static_cast<std::uint64_t>(stream))));
}

struct Piece {
  int target;
  std::int64_t offset, bytes;
};

Piece draw_piece(Random &random, std::int64_t first, std::int64_t room) {
  const std::int64_t bytes = put_sizes[between(random, 0, std::size(put_sizes) - 1)];
  return {static_cast<int>(between(random, 0, size() - 1)), first + between(random, 0, std::min<std::int64_t>(4000, room - bytes)), bytes};
}

TEST(PutGet, agrees_with_a_serial_oracle_for_all_sizes_and_alignments_under_random_skew) {
  TestSegment segment(static_cast<std::int64_t>(Image::part_bytes()));
  Image image;
  Skew skew(1);
  for (int step = 1; step <= 40; ++step) {
    for (int origin = 0; origin < size(); ++origin) {
      Random random = dice(origin, step, 1);
      const Piece piece = draw_piece(random, origin * region_bytes, region_bytes);
      const std::vector<std::byte> bytes = bytes_of(origin, static_cast<std::uint64_t>(step), piece.bytes);
      std::copy(bytes.begin(), bytes.end(), image.part(piece.target).begin() + piece.offset);
      if (origin != rank()) continue;
      skew.delay();
      EXPECT_TRUE(ok(hlc_put(segment.at(piece.target, piece.offset), bytes.data(), piece.bytes)));
      EXPECT_TRUE(ok(hlc_flush(segment.raw(), piece.target)));
    }
    segment.barrier();
    Random random = dice(rank(), step, 2);
    const Piece piece = draw_piece(random, 0, region_bytes * size());
    std::vector<std::byte> got(static_cast<std::size_t>(piece.bytes) + 1, untouched);
    EXPECT_TRUE(ok(hlc_get(segment.at(piece.target, piece.offset), got.data(), piece.bytes)));
    EXPECT_TRUE(ok(hlc_flush_local(segment.raw(), piece.target)));
    EXPECT_TRUE(std::equal(got.begin(), got.end() - 1, image.part(piece.target).begin() + piece.offset)) << "got in step " << step;
    EXPECT_EQ(got.back(), untouched) << "the byte behind what was got in step " << step;
    skew.delay();
    segment.barrier();
  }
  EXPECT_EQ(std::memcmp(segment.data(), image.part(rank()).data(), Image::part_bytes()), 0) << "a byte of the part of rank " << rank();
}

/// A random block whose runs do not overlap on either side, and where it begins. Its lowest byte has an offset of 0 or more.
struct Block {
  hlc_block raw{};
  std::int64_t local_first = 0, target_first = 0, local_bytes = 0, target_bytes = 0;
};

/// Strides along the dimensions in any order, with gaps, some backwards. Returns where the block begins and how many bytes it spans.
std::array<std::int64_t, 2> draw_strides(Random &random, const hlc_block &block, std::int64_t (&strides)[HLC_MAX_DIMS]) {
  std::vector<int> order;
  for (int d = 0; d < block.ndims; ++d) order.insert(order.begin() + between(random, 0, d), d);
  std::int64_t span = block.run_bytes, first = 0;
  for (const int d : order) {
    const std::int64_t stride = span + between(random, 0, 5), steps = std::max<std::int64_t>(block.count[d] - 1, 0);
    strides[d] = between(random, 0, 3) == 0 ? -stride : stride;
    if (strides[d] < 0) first += steps * stride;
    span = stride * steps + span;
  }
  return {first, span};
}

Block draw_block(Random &random) {
  constexpr std::int64_t runs[] = {0, 1, 3, 8, 17, 64};
  Block block;
  block.raw.run_bytes = runs[between(random, 0, std::size(runs) - 1)];
  block.raw.ndims = static_cast<int>(between(random, 0, HLC_MAX_DIMS));
  for (int d = 0; d < block.raw.ndims; ++d) block.raw.count[d] = between(random, 0, 9) == 0 ? 0 : between(random, 1, 5);
  const auto local = draw_strides(random, block.raw, block.raw.local_stride);
  const auto target = draw_strides(random, block.raw, block.raw.target_stride);
  block.local_first = local[0], block.local_bytes = local[1];
  block.target_first = target[0], block.target_bytes = target[1];
  return block;
}

/// The oracle: byte by byte, by the formula of the header. Calls with the offsets of each byte on both sides.
template <class Visit>
void for_each_byte(const hlc_block &block, Visit visit) {
  std::int64_t runs = 1;
  for (int d = 0; d < block.ndims; ++d) runs *= block.count[d];
  for (std::int64_t run = 0; run < runs; ++run) {
    std::int64_t rest = run, local = 0, target = 0;
    for (int d = 0; d < block.ndims; rest /= block.count[d], ++d) {
      local += rest % block.count[d] * block.local_stride[d];
      target += rest % block.count[d] * block.target_stride[d];
    }
    for (std::int64_t b = 0; b < block.run_bytes; ++b) visit(local + b, target + b);
  }
}

TEST(PutGet, moves_strided_blocks_as_a_loop_over_their_bytes_would) {
  TestSegment segment(static_cast<std::int64_t>(Image::part_bytes()));
  Image image;
  Skew skew(2);
  for (int step = 1; step <= 60; ++step) {
    for (int origin = 0; origin < size(); ++origin) {
      Random random = dice(origin, step, 3);
      const Block block = draw_block(random);
      const auto target = static_cast<int>(between(random, 0, size() - 1));
      const std::int64_t at = origin * region_bytes + between(random, 0, region_bytes - block.target_bytes) + block.target_first;
      const std::vector<std::byte> bytes = bytes_of(origin, static_cast<std::uint64_t>(step), block.local_bytes + 1);
      const std::byte *data = bytes.data() + block.local_first;
      for_each_byte(block.raw, [&](std::int64_t l, std::int64_t t) { image.part(target)[static_cast<std::size_t>(at + t)] = data[l]; });
      if (origin != rank()) continue;
      skew.delay();
      EXPECT_TRUE(ok(hlc_put_strided(segment.at(target, at), data, &block.raw)));
      EXPECT_TRUE(ok(hlc_flush_all(segment.raw())));
    }
    segment.barrier();
    Random random = dice(rank(), step, 4);
    const Block block = draw_block(random);
    const auto target = static_cast<int>(between(random, 0, size() - 1));
    const std::int64_t at = between(random, 0, region_bytes * size() - block.target_bytes) + block.target_first;
    std::vector<std::byte> got(static_cast<std::size_t>(block.local_bytes) + 1, untouched), expected = got;
    for_each_byte(block.raw, [&](std::int64_t l, std::int64_t t) {
      expected[static_cast<std::size_t>(block.local_first + l)] = image.part(target)[static_cast<std::size_t>(at + t)];
    });
    EXPECT_TRUE(ok(hlc_get_strided(segment.at(target, at), got.data() + block.local_first, &block.raw)));
    EXPECT_TRUE(ok(hlc_flush_local_all(segment.raw())));
    EXPECT_EQ(got, expected) << "got in step " << step;
    segment.barrier();
  }
  EXPECT_EQ(std::memcmp(segment.data(), image.part(rank()).data(), Image::part_bytes()), 0) << "a byte of the part of rank " << rank();
}

TEST(Segment, has_parts_of_every_ranks_own_size_that_the_node_can_read) {
  const auto bytes_of_part = [](int r) { return static_cast<std::int64_t>(r) * 5000; };  // rank 0 has none
  const std::vector<int> nodes = nodes_of_ranks();
  TestSegment segment(bytes_of_part(rank()), 3);
  for (std::int64_t b = 0; b < bytes_of_part(rank()); ++b) {
    EXPECT_EQ(segment.data()[b], std::byte{0});
    segment.data()[b] = byte_of(rank(), 7, b);
  }
  segment.barrier();
  for (int r = 0; r < size(); ++r) {
    hlc_segment_info_t info{};
    EXPECT_TRUE(ok(hlc_segment_info(segment.raw(), r, &info)));
    EXPECT_EQ(info.bytes, bytes_of_part(r));
    EXPECT_EQ(info.notifications, 3);
    EXPECT_EQ(info.data == nullptr, r == 0 || nodes[static_cast<std::size_t>(r)] != nodes[static_cast<std::size_t>(rank())]);
    if (!info.data) continue;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(info.data) % 4096, 0u);
    for (std::int64_t b = 0; b < info.bytes; b += 77) EXPECT_EQ(static_cast<const std::byte *>(info.data)[b], byte_of(r, 7, b));
  }
  segment.barrier();
}

TEST(Segment, keeps_its_bytes_and_notifications_apart_from_those_of_another) {
  TestSegment first(64, 2), second(64, 2);
  const int next = (rank() + 1) % size(), before = (rank() + size() - 1) % size();
  const std::vector<std::byte> one = bytes_of(rank(), 1, 64), two = bytes_of(rank(), 2, 64);
  EXPECT_TRUE(ok(hlc_put_notify(first.at(next, 0), one.data(), 64, {0, 11})));
  EXPECT_TRUE(ok(hlc_put_notify(second.at(next, 0), two.data(), 64, {1, 22})));
  std::uint32_t value = 0;
  for (const auto &[segment, id, step] : {std::tuple{&first, 0, 1u}, std::tuple{&second, 1, 2u}}) {
    int found = -1;
    EXPECT_TRUE(ok(hlc_notify_wait(segment->raw(), {0, 2}, &found)));
    EXPECT_EQ(found, id);
    EXPECT_TRUE(ok(hlc_notify_reset(segment->raw(), id, &value)));
    EXPECT_EQ(value, 11 * step);
    EXPECT_TRUE(std::equal(segment->data(), segment->data() + 64, bytes_of(before, step, 64).begin()));
    EXPECT_TRUE(is_status(HLC_AGAIN, hlc_notify_test(segment->raw(), {0, 2}, &found)));
  }
}

TEST(PutStrided, with_strides_of_0_ends_and_leaves_the_last_run) {
  TestSegment segment(64);
  const int next = (rank() + 1) % size(), before = (rank() + size() - 1) % size();
  constexpr std::int64_t many = std::int64_t{1} << 32;
  const std::int64_t mine[3] = {100 + rank(), 200 + rank(), 300 + rank()};
  hlc_block block{};
  block.ndims = 4;
  block.run_bytes = 8;
  for (int d = 0; d < 4; ++d) block.count[d] = many;
  // Three dimensions are written to and read from one place. The last has three runs, one after the other, to one place.
  block.count[3] = 3;
  block.local_stride[3] = 8;
  EXPECT_TRUE(ok(hlc_put_strided({segment.raw(), next, 16}, mine, &block)));
  EXPECT_TRUE(ok(hlc_flush_all(segment.raw())));
  EXPECT_TRUE(ok(hlc_barrier(segment.raw())));
  EXPECT_EQ(static_cast<const std::int64_t *>(hlc_segment_data(segment.raw()))[2], 300 + before);
  EXPECT_EQ(static_cast<const std::int64_t *>(hlc_segment_data(segment.raw()))[3], 0);

  // Vice versa: the local place receives the last of what is read.
  std::int64_t got[2] = {-1, -1};
  block.local_stride[3] = 0;
  block.target_stride[3] = 8;
  EXPECT_TRUE(ok(hlc_get_strided({segment.raw(), next, 0}, got, &block)));
  EXPECT_TRUE(ok(hlc_flush_all(segment.raw())));
  EXPECT_EQ(got[0], 300 + rank());
  EXPECT_EQ(got[1], -1);
  EXPECT_TRUE(ok(hlc_barrier(segment.raw())));
}

}  // namespace
}  // namespace halocline::test
