// Segments that each rank makes alone: others find them by their ids.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include "core_rig.hpp"

namespace halocline::test {
namespace {

using core::Status;

struct StatusCodes {
  using Code = Status;
  static Status of(Status status) { return status; }
  static Status no_segment() { return Status::argument; }
};
using Segments = core::FaceSegments<StatusCodes>;

constexpr std::int64_t kCell = sizeof(std::uint64_t);

std::uint64_t cell_of(int from, int step) { return static_cast<std::uint64_t>(from + 1) << 32 | static_cast<std::uint64_t>(step); }

core::MemorySpec spec_of(std::int64_t bytes) { return {bytes, 0, 0, nullptr}; }

/// Makes a segment of this rank that holds one word, and publishes it.
void publish(Segments &segments, int id, std::uint64_t word) {
  EXPECT_EQ(segments.add(id, spec_of(kCell * (rank() + 1))), Status::ok);
  EXPECT_EQ(segments.with_own(id,
                              [&](const core::LocalMemory &own) {
                                std::memcpy(own.data(), &word, sizeof word);
                                return Status::ok;
                              }),
            Status::ok);
  segments.publish(id);
}

/// Reads the word of a rank's segment.
Status read(CoreRig &rig, Segments &segments, int from, int id, std::uint64_t *word) {
  HLC_TRY(rig.until([&] {
    return segments.with(from, id, [&](core::RemoteMemory &memory) {
      EXPECT_EQ(memory.bytes(), kCell * (from + 1));
      return get("test", core::Target{memory, 0}, {word, kCell});
    });
  }));
  return rig.requests() ? rig.requests()->flush(from, "test", false) : Status::ok;
}

/// Adds one to the count of changes at all ranks.
void tell_all(CoreRig &rig) {
  for (int to = 0; to < size(); ++to) {
    core::RemoteMemory *control = nullptr;
    core::Query query;
    constexpr std::uint64_t one = 1;
    std::uint64_t before = 0;
    EXPECT_TRUE(ok(rig.control.find(to, &control)));
    EXPECT_TRUE(ok(rig.until([&] {
      return fetch_op("test", core::Target{*control, rig.places.changed}, {HLC_OP_SUM, HLC_NUMBER_UINT64}, {&one, &before}, query);
    })));
  }
}

/// In each step the ranks delete their segment and make another.
TEST(SegmentDirectory, finds_what_each_rank_has_published_last) {
  CoreRig rig(kCell);
  Segments segments(rig.network(), rig.control, rig.places);
  for (int step = 1; step <= 10; ++step) {
    publish(segments, 2, cell_of(rank(), step));
    tell_all(rig);
    rig.meet();
    for (int from = 0; from < size(); ++from) {
      std::uint64_t found = 0;
      EXPECT_TRUE(ok(read(rig, segments, from, 2, &found)));
      EXPECT_EQ(found, cell_of(from, step)) << "of rank " << from;
    }
    rig.meet();
    EXPECT_EQ(segments.remove(2), Status::ok);
  }
  rig.meet();
  segments.close();
}

TEST(SegmentDirectory, tells_which_segments_there_are) {
  CoreRig rig(kCell);
  Segments segments(rig.network(), rig.control, rig.places);
  publish(segments, 0, cell_of(rank(), 1));
  EXPECT_EQ(segments.add(0, spec_of(kCell)), Status::argument);
  EXPECT_EQ(segments.remove(1), Status::argument);
  int count = 0;
  segments.for_each([&](int id) { count += id == 0 ? 1 : 100; });
  EXPECT_EQ(count, 1);
  EXPECT_TRUE(segments.keep(0));
  EXPECT_FALSE(segments.keep(CoreRig::kSegments));
  for (int from = 0; from < size(); ++from) {
    std::uint64_t word = 0;
    EXPECT_EQ(read(rig, segments, from, 3, &word), Status::argument) << "of rank " << from;
  }
  rig.meet();
  segments.close();
}

}  // namespace
}  // namespace halocline::test
